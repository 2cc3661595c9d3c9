"use strict";
// Figures in words, as the command line writes them: the same digits, spaces and units.

const THIN = "\u202f";
const ABSENT = "–";

/** A whole number with a thin space between groups of three digits. */
function grouped(number) {
  const digits = Math.abs(Math.round(number)).toString();
  return (number < 0 ? "−" : "") + digits.replace(/\B(?=(\d{3})+$)/g, THIN);
}

/** A number with so many digits; what lies in the middle goes to the even one, as in Rust. */
function fixed(value, digits) {
  const size = Math.abs(value);
  const tie = (size * 2 ** (digits + 1)) % 2 === 1;
  if (!tie) return value.toFixed(digits);
  const below = Math.floor(size * 10 ** digits);
  return (value < 0 ? "-" : "") + ((below + (below % 2)) / 10 ** digits).toFixed(digits);
}

/** A figure that may be absent. */
function figure(value) {
  return value == null ? ABSENT : significant(value);
}

/** Three significant digits, and all digits before the point. */
function significant(value) {
  const size = Math.abs(value);
  if (size < 9.995) return fixed(value, 2);
  return size < 99.95 ? fixed(value, 1) : grouped(value);
}

/** A time in microseconds with its unit. */
function micros(us) {
  if (us == null) return ABSENT;
  const nanos = us * 1e3;
  const [value, unit] =
    nanos < 1e3 ? [null, "ns"] : nanos < 999500 ? [us, "µs"] : nanos < 999.5e6 ? [us / 1e3, "ms"] : [us / 1e6, "s"];
  // Parts of a nanosecond are not measured.
  return (value === null ? Math.round(nanos) : significant(value)) + THIN + unit;
}

/** The same for an axis: at most three digits, since its marks are round. */
function tickMicros(us) {
  const [value, unit] = us < 1 ? [us * 1e3, "ns"] : us < 1e3 ? [us, "µs"] : us < 1e6 ? [us / 1e3, "ms"] : [us / 1e6, "s"];
  return (value < 1e3 ? String(+value.toPrecision(3)) : grouped(value)) + THIN + unit;
}

/** A rate or a count for an axis. */
function tickCount(value) {
  if (value >= 1e6) return +(value / 1e6).toPrecision(3) + THIN + "M";
  if (value >= 1e4) return grouped(value / 1e3) + THIN + "k";
  return value % 1 ? String(+value.toPrecision(3)) : grouped(value);
}

/** Minutes and seconds of a run, and hours if there are any. */
function clock(seconds) {
  const whole = Math.round(seconds);
  const two = (n) => String(n).padStart(2, "0");
  const [h, m, s] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  return h ? `${h}:${two(m)}:${two(s)}` : `${two(m)}:${two(s)}`;
}

/** A change with its sign: +0.4 %. */
function change(share) {
  if (share >= 9) return "×" + significant(1 + share);
  return (share < 0 ? "−" : "+") + fixed(Math.abs(share) * 100, 1) + THIN + "%";
}

/** The same for an axis, with the digits that it takes. */
function tickChange(share) {
  const percent = Math.abs(share) * 100;
  return (share < 0 ? "−" : percent ? "+" : "") + +percent.toPrecision(3) + THIN + "%";
}

/** How many nines as a percentile: p50, p99.9. */
function percentile(nines) {
  if (nines === 0) return "min";
  const share = 100 * (1 - 10 ** -nines);
  const digits = Math.max(0, Math.ceil(nines - 1.7));
  return "p" + +share.toFixed(Math.min(digits, 8));
}
