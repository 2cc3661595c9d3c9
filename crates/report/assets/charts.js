// The drawings: one entry of CHARTS for each kind of chart, with the figure (`draw`) and the table
// of the same figures (`table`). Observable Plot draws; this file says what.

const REPORT = JSON.parse(document.getElementById("data").textContent);
const COLORS = d3.range(7).map((i) => `var(--c${i})`);
const OTHER = "var(--c7)";
const FAILURES = [1, 0, 4, 3, 5, 6, 2, 7].map((i) => `var(--c${i})`);
const DASHES = ["none", "7 3", "2 3", "9 3 2 3", "12 4", "4 4", "1 4"];
/** No two of 49 lines look alike: where colours begin again, dashes are one further. */
const lineStyle = (i) => ({ color: COLORS[i % 7], dash: DASHES[(i + Math.floor(i / 7)) % 7] });
const SYMBOLS = ["circle", "square", "triangle", "diamond", "star", "wye", "times"];
const COMPACT = 520;

/** Textures of waits, by their numbers: plain, two hatchings, dots. */
const TEXTURES = [null, "M-1,7 L7,-1 M-1,1 L1,-1 M5,7 L7,5", "M-1,-1 L7,7 M-1,5 L1,7 M5,-1 L7,1", "M3,2 a1,1 0 1,0 0.1,0 Z"];
const textureOf = (number) => (number ? `url(#texture-${number})` : "none");
/** What waits look like: the page draws what the report has chosen by the names of the waits. */
const waitColor = ([color]) => `var(--c${color})`;
const EVENTS = {
  failures: { name: "failures", color: "var(--bad)", symbol: "triangle" },
  outage: { name: "outage", color: "var(--bad)", symbol: "cross" },
  fault: { name: "fault", color: "var(--bad)", symbol: "triangle" },
  step: { name: "change of the load", color: "var(--c1)", symbol: "square" },
  checkpoint: { name: "checkpoint", color: "var(--quiet)", symbol: "diamond" },
};

/** Service time runs within latency where there is no queue: the one thin, the other broad and paler, so that both are seen. */
const LATENCY = { color: "var(--c0)", dash: "none", stroke: 5.5, opacity: 0.45, r: 4.5 };
const SERVICE = { color: "var(--c1)", dash: "none", stroke: 1.7, opacity: 1, r: 2.4 };

const left = (text) => ({ text, left: true });
const right = (text) => ({ text, left: false });
const halo = { stroke: "var(--paper)", strokeWidth: 4, fill: "var(--ink)", paintOrder: "stroke" };

/** Share of their height that wide plots have: less on paper, where it decides what fits a page. */
let flatness = 1;

/** What all plots have in common. */
function plot(width, options) {
  const { label, height, x, y, marks, ...rest } = options;
  const [acrossAxis, across] = logScale(x, Plot.axisX, Plot.gridX);
  const [upwardsAxis, upwards] = logScale(y, Plot.axisY, Plot.gridY);
  const svg = Plot.plot({
    width,
    height: width < COMPACT ? height : height * flatness,
    marginLeft: 64,
    marginRight: 16,
    marginTop: 40,
    marginBottom: 36,
    ariaLabel: label,
    style: { fontSize: "12px", color: "var(--ink)" },
    x: across,
    y: upwards,
    marks: [...acrossAxis, ...upwardsAxis, ...marks],
    ...rest,
  });
  // One picture with a name; its figures are in the table below it.
  svg.setAttribute("role", "img");
  // Parts of a picture have no names of their own.
  for (const part of svg.querySelectorAll("g[aria-label]")) {
    part.dataset.part = part.getAttribute("aria-label");
    part.removeAttribute("aria-label");
  }
  return svg;
}

/** Marks of a logarithmic axis, and its scale without them: of its own axis D3 drops words as it sees fit. */
function logScale(scale, axis, grid) {
  if (scale?.type !== "log") return [[], scale];
  const { ticks, tickFormat, label, labelArrow, grid: hasGrid, ...rest } = scale;
  const words = axis(ticks, { text: (own) => tickFormat(own), label, labelArrow });
  return [[hasGrid ? grid(ticks) : null, words], { ...rest, axis: null }];
}

/** The textures as parts of a picture, so that it keeps them when it is saved. */
function withTextures(svg) {
  const defs = d3.select(svg).insert("defs", ":first-child");
  TEXTURES.forEach((path, number) => {
    if (!path) return;
    const own = defs.append("pattern").attr("id", `texture-${number}`).attr("width", 6).attr("height", 6).attr("patternUnits", "userSpaceOnUse");
    own.append("path").attr("d", path).attr("stroke", "var(--paper)").attr("stroke-width", 1.6).attr("stroke-opacity", 0.75).attr("fill", number === 3 ? "var(--paper)" : "none");
  });
  return svg;
}

/** Ticks of an axis of time, at times that people count in. */
function timeTicks(from, to, width) {
  const steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400];
  const wanted = (to - from) / Math.max(2, Math.floor(width / 85));
  const step = steps.find((own) => own >= wanted) ?? steps.at(-1);
  return d3.range(Math.ceil(from / step) * step, to + 1e-9, step);
}

function timeAxis(data, width) {
  const [from, to] = [data.from[0], data.to.at(-1)];
  return {
    domain: [from, to],
    ticks: timeTicks(from, to, width - 80),
    tickFormat: clock,
    label: `time since the start (${to < 3600 ? "min:s" : "h:min:s"})`,
    labelArrow: "none",
  };
}

/** Ticks of a logarithmic axis: decades, and what lies between them if there are few. */
function logAxis(values, label, room = 1.15) {
  const known = values.filter((own) => own > 0);
  let [low, high] = d3.extent(known);
  if (low === undefined) [low, high] = [1, 10];
  const domain = [low / room, high * room];
  const decades = d3.range(Math.floor(Math.log10(domain[0])), Math.ceil(Math.log10(domain[1])) + 1);
  const between = Math.log10(domain[1] / domain[0]) < 2.5 ? [1, 2, 5] : [1];
  const ticks = decades.flatMap((own) => between.map((part) => part * 10 ** own));
  const inside = ticks.filter((own) => own >= domain[0] && own <= domain[1]);
  // An axis with one mark or none has no scale to read.
  const shown = inside.length > 1 ? inside : d3.ticks(domain[0], domain[1], 4);
  return { type: "log", domain, ticks: shown, tickFormat: tickMicros, grid: true, label, labelArrow: "none" };
}

function rateAxis(top, label) {
  return { domain: [0, top > 0 ? top : 1], grid: true, ticks: 5, tickFormat: tickCount, label, labelArrow: "none", nice: true };
}

/** Shades the phases that are not measured, and names them where there is room. */
function phaseMarks(data, width, shade = { fill: "var(--quiet)", fillOpacity: 0.14 }) {
  const shaded = (data.phases ?? []).filter((own) => own.phase !== "measure");
  const span = data.to.at(-1) - data.from[0];
  const wide = shaded.filter((own) => ((own.to - own.from) / span) * (width - 80) > 58);
  return [
    Plot.rectX(shaded, { x1: "from", x2: "to", ...shade }),
    Plot.text(wide, { x: (own) => (own.from + own.to) / 2, text: "phase", frameAnchor: "top", dy: -16, fill: "var(--quiet)" }),
    ...eventMarks(data, width),
  ];
}

/** Outages and faults that last are shaded; what happened at a moment has a sign above the plot, and signs that would touch are one. */
function eventMarks(data, width) {
  const events = data.events ?? [];
  const end = data.to.at(-1);
  const room = ((end - data.from[0]) / Math.max(1, width - 80)) * 9;
  const signs = Object.keys(EVENTS).flatMap((kind) => {
    const own = events.filter((event) => event.kind === kind).map((event) => ({ ...event, at: (event.from + Math.min(event.to ?? end, kind === "outage" ? event.from : end)) / 2 }));
    return own.reduce((kept, event) => (kept.length && event.at - kept.at(-1).at < room ? kept : [...kept, event]), []);
  });
  return [
    Plot.rectX(events.filter((own) => own.kind === "fault" && own.to > own.from), { x1: "from", x2: "to", fill: EVENTS.fault.color, fillOpacity: 0.08, className: "fault" }),
    Plot.rectX(events.filter((own) => own.kind === "outage"), { x1: "from", x2: (own) => own.to ?? end, fill: "var(--bad)", fillOpacity: 0.15 }),
    Plot.ruleX(signs.filter((own) => own.kind !== "failures"), { x: "at", stroke: (own) => EVENTS[own.kind].color, strokeOpacity: 0.6, strokeDasharray: "2 3" }),
    Plot.dot(signs, { x: "at", frameAnchor: "top", dy: -5, r: 3.6, symbol: (own) => EVENTS[own.kind].symbol, fill: (own) => EVENTS[own.kind].color, className: "event" }),
  ];
}

const eventKeys = (data) => Object.entries(EVENTS).filter(([kind]) => (data.events ?? []).some((own) => own.kind === kind)).map(([, own]) => own);
/** What happened in a column, for the remark at the pointer. */
const eventWords = (data, i) => (data.events ?? []).filter((own) => own.from < data.to[i] && (own.to ?? Infinity) > data.from[i]).map((own) => own.words);

const middle = (data) => data.from.map((from, i) => (from + data.to[i]) / 2);

/** A remark that follows the pointer along the axis of time. */
function tip(data, x, y, lines) {
  const rows = x.map((at, i) => ({ at, y: y[i], i }));
  return Plot.tip(
    rows,
    Plot.pointerX({
      x: "at", y: (row) => row.y ?? undefined, title: (row) => [`${clock(data.from[row.i])} to ${clock(data.to[row.i])}`, ...lines(row.i), ...eventWords(data, row.i)].join("\n"),
      fontSize: 12, fill: "var(--paper)", stroke: "var(--line)",
    }),
  );
}

/** Rectangles on each other: one series after the other, in each column. */
function stacked(data, series) {
  const base = data.from.map(() => 0);
  return series.flatMap((values, place) =>
    values.map((value, i) => {
      const y1 = base[i];
      base[i] += value;
      return { x1: data.from[i], x2: data.to[i], y1, y2: base[i], place };
    }),
  ).filter((own) => own.y2 > own.y1);
}

/** Boxes of waits in their colours, with their textures over them. */
function waitBoxes(boxes, look) {
  const box = (fill) => ({ x1: "x1", x2: "x2", y1: "y1", y2: "y2", fill, shapeRendering: "crispEdges" });
  return [Plot.rect(boxes, box((own) => waitColor(look(own)))), Plot.rect(boxes.filter((own) => look(own)[1]), box((own) => textureOf(look(own)[1])))];
}

const waitKey = (name, look) => ({ name, color: waitColor(look), box: 1, texture: look[1] });

function timeColumns(data, i) {
  return [clock(data.from[i]), clock(data.to[i])];
}

const CHARTS = {
  throughput: {
    draw(data, width) {
      const x = middle(data);
      const measured = data.phases.find((own) => own.phase === "measure");
      const mean = measured && data.mean;
      const top = d3.max([...data.value, mean?.value, mean?.high]) * 1.06;
      const marks = [...phaseMarks(data, width)];
      if (mean) {
        const band = { x1: measured.from, x2: measured.to, ...mean };
        if (mean.low !== null) marks.push(Plot.rect([band], { x1: "x1", x2: "x2", y1: "low", y2: "high", fill: "var(--c0)", fillOpacity: 0.18 }));
        marks.push(Plot.ruleY([band], { x1: "x1", x2: "x2", y: "value", stroke: "var(--ink)", strokeDasharray: "5 4" }));
      }
      marks.push(
        Plot.ruleY([0], { stroke: "var(--quiet)" }),
        Plot.lineY(x, { x, y: data.value, stroke: "var(--c0)", strokeWidth: 1.8 }),
        x.length < 60 ? Plot.dot(x, { x, y: data.value, fill: "var(--c0)", r: 2.2 }) : null,
        tip(data, x, data.value, (i) => [`${figure(data.value[i])} ${data.metric}`, `${figure(data.per_s[i])} transactions/s`]),
      );
      return plot(width, { label: `${data.metric} over time`, height: 270, x: timeAxis(data, width), y: rateAxis(top, data.metric), symbol: { type: "identity" }, marks });
    },
    keys: (data) => [
      { name: data.metric, color: "var(--c0)" },
      ...(data.mean ? [{ name: "figure of the run", color: "var(--ink)", dash: "5 4" }] : []),
      ...(data.mean && data.mean.low !== null ? [{ name: "its 95 % CI", color: "var(--c0)", box: 0.18 }] : []),
      ...eventKeys(data),
    ],
    table: (data) => ({
      columns: [right("from"), right("to"), left("phase"), right(data.metric), right("transactions/s")],
      rows: data.from.map((from, i) => [
        ...timeColumns(data, i),
        data.phases.find((own) => own.from <= from && from < own.to)?.phase ?? "",
        figure(data.value[i]),
        figure(data.per_s[i]),
      ]),
    }),
  },

  failures: {
    draw(data, width) {
      const colors = data.kinds.map((_, i) => FAILURES[i % FAILURES.length]);
      const totals = data.from.map((_, i) => d3.sum(data.counts, (own) => own[i]));
      return plot(width, {
        label: "failed transactions over time", height: 190, x: timeAxis(data, width), y: rateAxis(d3.max(totals), "failed"),
        marks: [
          ...phaseMarks(data, width),
          Plot.rect(stacked(data, data.counts), { x1: "x1", x2: "x2", y1: "y1", y2: "y2", fill: (own) => colors[own.place] }),
          Plot.ruleY([0], { stroke: "var(--quiet)" }),
          tip(data, middle(data), totals, (i) => data.kinds.map((kind, k) => `${grouped(data.counts[k][i])} ${kind}`)),
        ],
      });
    },
    keys: (data) => data.kinds.map((name, i) => ({ name, color: FAILURES[i % FAILURES.length], box: 1 })),
    table: (data) => ({
      columns: [right("from"), right("to"), ...data.kinds.map(right)],
      rows: data.from.map((_, i) => [...timeColumns(data, i), ...data.counts.map((own) => grouped(own[i]))]),
    }),
  },

  latency: {
    kinds: (data) => data.kinds.map((own) => own.name),
    draw(data, width, kind) {
      const own = data.kinds.find((one) => one.name === kind);
      const x = middle(data);
      const line = (values, stroke, strokeWidth, strokeDasharray = "none") =>
        Plot.lineY(x, { x, y: values, stroke, strokeWidth, strokeDasharray });
      const alone = (values, fill) => {
        // A point without neighbours has no line.
        const at = d3.range(x.length).filter((i) => values[i] !== null && values[i - 1] == null && values[i + 1] == null);
        return Plot.dot(at, { x: (i) => x[i], y: (i) => values[i], fill, r: 2 });
      };
      return plot(width, {
        label: `latency of ${kind} over time`, height: 270, x: timeAxis(data, width), y: logAxis([own.p50, own.p95, own.p99, own.max].flat(), "latency"), symbol: { type: "identity" },
        marks: [
          ...phaseMarks(data, width),
          line(own.max, "var(--quiet)", 1, "2 3"), line(own.p99, "var(--c1)", 1.5, "7 3"), line(own.p95, "var(--c0)", 1.5), line(own.p50, "var(--c2)", 2.2),
          alone(own.max, "var(--quiet)"), alone(own.p99, "var(--c1)"), alone(own.p95, "var(--c0)"), alone(own.p50, "var(--c2)"),
          tip(data, x, own.max, (i) => ["max", "p99", "p95", "p50"].map((name) => `${name} ${micros(own[name][i])}`)),
        ],
      });
    },
    keys(data, kind) {
      const own = data.kinds.find((one) => one.name === kind);
      const all = [
        { name: "max", color: "var(--quiet)", dash: "2 3" }, { name: "p99", color: "var(--c1)", dash: "7 3" },
        { name: "p95", color: "var(--c0)" }, { name: "p50", color: "var(--c2)", wide: true },
      ];
      // A percentile for which there never were enough transactions has no line.
      return [...all.filter((key) => own[key.name].some((value) => value !== null)), ...eventKeys(data)];
    },
    table: (data, kind) => {
      const own = data.kinds.find((one) => one.name === kind);
      return {
        columns: [right("from"), right("to"), right("p50"), right("p95"), right("p99"), right("max")],
        rows: data.from.map((_, i) => [...timeColumns(data, i), ...["p50", "p95", "p99", "max"].map((name) => micros(own[name][i]))]),
      };
    },
  },

  heatmap: {
    kinds: (data) => data.kinds.map((own) => own.name),
    cells(data, kind) {
      const flat = data.kinds.find((one) => one.name === kind).cells;
      const edge = (row) => 10 ** (row / data.rows_per_decade);
      return d3.range(0, flat.length, 3).map((i) => ({
        column: flat[i], x1: data.from[flat[i]], x2: data.to[flat[i]], y1: edge(flat[i + 1]), y2: edge(flat[i + 1] + 1), count: flat[i + 2],
      }));
    },
    draw(data, width, kind) {
      const cells = this.cells(data, kind);
      const y = logAxis(cells.flatMap((own) => [own.y1, own.y2]), "latency", 1);
      return plot(width, {
        label: `latency of ${kind}, counts over time`, height: 300, x: timeAxis(data, width), y, opacity: { type: "sqrt", domain: [0, d3.max(cells, (own) => own.count) ?? 1], range: [0.05, 1] }, symbol: { type: "identity" },
        marks: [
          ...eventMarks(data, width),
          Plot.rect(cells, { x1: "x1", x2: "x2", y1: "y1", y2: "y2", fill: "var(--heat)", fillOpacity: "count", shapeRendering: "crispEdges", inset: 0 }),
          Plot.tip(cells, Plot.pointer({
            x1: "x1", x2: "x2", y1: "y1", y2: "y2", fontSize: 12, fill: "var(--paper)", stroke: "var(--line)",
            title: (own) => `${clock(own.x1)} to ${clock(own.x2)}\n${micros(own.y1)} to ${micros(own.y2)}\n${grouped(own.count)} ${own.count === 1 ? "transaction" : "transactions"}`,
          })),
        ],
      });
    },
    keys(data, kind) {
      const most = d3.max(this.cells(data, kind), (own) => own.count) ?? 0;
      const counts = [...new Set([0.05, 0.25, 0.5, 0.75, 1].map((share) => Math.max(1, Math.round(most * share * share))))];
      return counts.map((count, i) => ({ name: grouped(count) + (i === counts.length - 1 ? " transactions" : ""), color: "var(--heat)", box: 0.05 + 0.95 * Math.sqrt(count / most) })).concat(eventKeys(data));
    },
    table(data, kind) {
      const cells = this.cells(data, kind);
      return {
        columns: [right("from"), right("to"), right("latency from"), right("to"), right("transactions")],
        rows: cells.map((own) => [...timeColumns(data, own.column), micros(own.y1), micros(own.y2), grouped(own.count)]),
      };
    },
  },

  curves: {
    draw(data, width) {
      const times = data.kinds.flatMap((own) => [...own.latency.us, ...own.service.us, own.latency.max, own.service.max]);
      const y = logAxis(times, "latency");
      const far = d3.max(data.kinds, (own) => Math.log10(own.count)) ?? 1;
      return panels(width, data.kinds, (own, panel) => curvePanel(panel, y, far, own.name, [
        { curve: own.latency, count: own.count, ...LATENCY },
        { curve: own.service, count: own.count, ...SERVICE },
      ]), (own) => `${own.name} (${grouped(own.count)})`);
    },
    keys: () => [{ name: "latency", ...LATENCY }, { name: "service time", ...SERVICE }, { name: "slowest", color: "var(--c0)", symbol: "circle" }],
    table: (data) => ({
      columns: [left("transaction"), left("percentile"), right("latency"), right("service time")],
      rows: data.kinds.flatMap((own) => [
        ...own.latency.nines.map((nines, i) => [own.name, percentile(nines), micros(own.latency.us[i]), micros(own.service.us[i])]),
        [own.name, "max", micros(own.latency.max), micros(own.service.max)],
      ]),
    }),
  },

  waits: {
    draw(data, width) {
      const totals = data.from.map((_, i) => d3.sum(data.sessions, (own) => own[i]));
      const top = d3.max([...totals, data.cores ?? 0]) * 1.05;
      const shaded = { ...data, phases: data.measured_from > data.from[0] ? [{ phase: "ramp-up", from: data.from[0], to: data.measured_from }] : [] };
      const cores = data.cores ? [
        Plot.ruleY([data.cores], { stroke: "var(--ink)", strokeWidth: 1.5, strokeDasharray: "6 3" }),
        Plot.text([data.cores], { y: (own) => own, text: (own) => `${own} cores`, frameAnchor: "right", textAnchor: "end", dx: -4, dy: -9, ...halo }),
      ] : [];
      const boxes = stacked(data, data.sessions);
      return withTextures(plot(width, {
        label: data.label ?? "sessions in the server by what they wait for", height: 270, x: timeAxis(data, width), y: rateAxis(top, data.axis ?? "active sessions"), symbol: { type: "identity" },
        marks: [
          ...waitBoxes(boxes, (own) => data.looks[own.place]),
          ...phaseMarks(shaded, width, { fill: "var(--paper)", fillOpacity: 0.5 }), Plot.ruleY([0], { stroke: "var(--quiet)" }), ...cores,
          tip(data, middle(data), totals, (i) => data.waits.map((name, w) => [name, data.sessions[w][i]]).filter(([, own]) => own >= 0.005).map(([name, own]) => `${own.toFixed(2)} ${name}`).reverse()),
        ],
      }));
    },
    keys: (data) => [...data.waits.map((name, i) => waitKey(name, data.looks[i])), ...eventKeys(data)],
    table: (data) => ({
      columns: [right("from"), right("to"), ...data.waits.map(right)],
      rows: data.from.map((_, i) => [...timeColumns(data, i), ...data.sessions.map((own) => significant(own[i]))]),
    }),
  },

  profile: {
    draw(data, width) {
      const points = data.points.filter((own) => own.value !== null);
      const groups = [...new Set(points.map((own) => own.series))];
      const place = (own) => groups.indexOf(own.series);
      const x = valueAxis(data, points, width);
      const at = (own) => (data.numeric ? +own.x : own.x);
      const style = { stroke: (own) => COLORS[place(own) % 7] };
      const dots = (y) => Plot.dot(points, { x: at, y, symbol: (own) => SYMBOLS[place(own) % 7], fill: (own) => (own.valid ? COLORS[place(own) % 7] : "var(--paper)"), stroke: (own) => COLORS[place(own) % 7], r: 4 });
      // Between words, such as forms, there is nothing for a line to run through.
      const line = (y, more = {}) => (this.ordered(data) ? Plot.line(points, { x: at, y, z: "series", strokeWidth: 2, ...style, ...more }) : null);
      // Words of several series would lie over each other: a ring marks the peak of each instead.
      const alone = groups.length === 1;
      const named = points.filter((own) => alone && (own.peak || own.knee));
      const rings = points.filter((own) => !alone && own.peak);
      const name = (own) => (own.peak && own.knee ? "knee and peak" : own.peak ? "peak" : "knee");
      const top = d3.max(points, (own) => Math.max(own.value, own.high ?? 0)) * 1.14;
      const symbol = { type: "identity" };
      const text = (own) => `${name(own)} ${grouped(own.value)}`;
      const order = [...new Set(points.map((own) => own.x))];
      // Where a point stands, as a share of the width: ladders are mostly even.
      const share = (own) => order.indexOf(own.x) / Math.max(1, order.length - 1);
      const reach = (own) => (text(own).length * 7.5) / (width - 100);
      const anchor = (own) => (share(own) < reach(own) / 2 ? "start" : share(own) > 1 - reach(own) / 2 ? "end" : "middle");
      // The peak is named above its point. The knee is named below and right of its own, where no rising line
      // runs through the words, or above and left of it at the right end.
      const words = (own) => {
        if (own.peak) return Plot.text([own], { x: at, y: own.high ?? own.value, text, textAnchor: anchor(own), dy: -12, fontWeight: 600, ...halo });
        const below = share(own) + reach(own) < 1;
        return Plot.text([own], { x: at, y: "value", text, textAnchor: below ? "start" : "end", dx: below ? 9 : -9, dy: below ? 15 : -8, fontWeight: 600, ...halo });
      };
      const names = named.map(words);
      const ideal = this.ideal(data, points, top);
      const least = d3.min(points, (own) => own.low ?? own.value);
      // Equal steps of a logarithmic axis are factors, which is what they must be upwards as well, unless
      // there is a line of what a factor would be.
      const isLog = x.type === "log" && !ideal.length && least > 0;
      const y = isLog ? { ...logAxis(points.flatMap((own) => [own.value, own.low, own.high]), data.metric, 1.2), tickFormat: tickCount } : { ...rateAxis(top, data.metric), nice: false };
      const upper = plot(width, {
        label: `${data.metric} over ${data.key}`, height: 280, x: { ...x, label: null }, y, symbol,
        marks: [
          isLog ? null : Plot.ruleY([0], { stroke: "var(--quiet)" }),
          Plot.line(ideal, { x: "x", y: "y", stroke: "var(--quiet)", strokeWidth: 1.6, strokeDasharray: "1 4", strokeLinecap: "round" }),
          Plot.ruleX(points.filter((own) => own.low !== null), { x: at, y1: "low", y2: "high", strokeWidth: 2, ...style, strokeOpacity: 0.55 }),
          line("value"), dots("value"),
          Plot.dot(rings, { x: at, y: "value", r: 9, strokeWidth: 1.5, ...style }),
          ...names,
          pointTip(points, at, "value", data),
        ],
      });
      const times = points.flatMap((own) => [own.p95, own.p99]);
      const lower = plot(width, {
        label: `latency over ${data.key}`, height: 210, x, y: logAxis(times, "latency"), symbol,
        marks: [
          line("p99", { strokeDasharray: "7 3", strokeWidth: 1.5 }), line("p95"), dots("p95"),
          this.ordered(data) ? null : Plot.dot(points, { x: at, y: "p99", symbol: "plus", r: 5, strokeWidth: 1.8, ...style }),
          pointTip(points.filter((own) => own.p95 !== null), at, "p95", data),
        ],
      });
      return [upper, lower];
    },
    /** From the first point on, as much more throughput as there is more load, as far as the plot is high. */
    ideal(data, points, top) {
      if (!data.load || !data.numeric) return [];
      const [first, last] = d3.extent(points, (own) => +own.x);
      const begin = d3.max(points.filter((own) => +own.x === first), (own) => own.value);
      if (!(first > 0) || !(begin > 0) || last === first) return [];
      const end = Math.min(last, (Math.max(top, begin) / begin) * first);
      return d3.range(0, 41).map((step) => first * (end / first) ** (step / 40)).map((own) => ({ x: own, y: (begin * own) / first }));
    },
    latencies(data, color) {
      const [p95, p99] = this.ordered(data) ? [{}, { dash: "7 3" }] : [{ symbol: "circle" }, { symbol: "plus", hollow: true }];
      return [{ name: "latency p95", color, ...p95 }, { name: "latency p99", color, ...p99 }];
    },
    /** Whether the values are numbers, or begin with one as sizes do. */
    ordered: (data) => data.numeric || data.points.every((own) => /^[\d.]/.test(own.x)),
    keys(data) {
      const groups = [...new Set(data.points.map((own) => own.series))];
      const tint = groups.length > 1 ? "var(--ink)" : "var(--c0)";
      const series = groups.length > 1 ? groups.map((name, i) => ({ name, color: COLORS[i % 7], symbol: SYMBOLS[i % 7] })) : [];
      const ring = groups.length > 1 && data.points.some((own) => own.peak) ? [{ name: "peak", color: "var(--ink)", symbol: "circle", hollow: true }] : [];
      const measured = data.points.filter((own) => own.value !== null);
      const ideal = this.ideal(data, measured, Infinity).length ? [{ name: "ideal scaling: twice the load, twice the throughput", color: "var(--quiet)", dash: "1 4" }] : [];
      return [...series, ...ring, { name: "95 % CI", color: "var(--c0)", upright: true }, ...ideal, ...this.latencies(data, tint)];
    },
    table: (data) => ({
      columns: [left("series"), right(data.key), right(data.metric), right("from"), right("to"), right("p95"), right("p99"), right("failed"), left("note")],
      rows: data.points.map((own) => [
        own.series, own.x, ...[own.value, own.low, own.high].map((value) => (value === null ? ABSENT : grouped(value))), micros(own.p95), micros(own.p99), grouped(own.failed),
        [own.knee && "knee", own.peak && "peak", own.verdict !== "VALID" && own.verdict].filter(Boolean).join(", "),
      ]),
    }),
  },

  points: {
    choice: "point",
    kinds: (data) => data.points.map((own) => own.name),
    of: (data, kind) => data.points.find((own) => own.name === kind).data,
    draw(data, width, kind) { return CHARTS.throughput.draw(this.of(data, kind), width); },
    keys(data, kind) { return CHARTS.throughput.keys(this.of(data, kind)); },
    table(data, kind) { return CHARTS.throughput.table(this.of(data, kind)); },
  },

  sweepWaits: {
    /** What runs is first and lies at the bottom; of the rest the more frequent before the less. */
    names(data) {
      const sums = d3.rollups(data.bars.flatMap((own) => own.waits), (all) => d3.sum(all, (own) => own[1]), (own) => own[0]);
      const named = d3.sort(sums, (own) => own[0] !== "CPU", (own) => -own[1]).map((own) => own[0]).filter((own) => own !== "other");
      return named.length > 7 || sums.some((own) => own[0] === "other") ? [...named.slice(0, 7), "other"] : named;
    },
    look: (data, name) => (name === "other" ? [7, 0] : data.looks[name]),
    value: (bar, name, names) => d3.sum(bar.waits.filter((own) => (name === "other" ? !names.includes(own[0]) || own[0] === "other" : own[0] === name)), (own) => own[1]),
    draw(data, width) {
      const names = this.names(data);
      const groups = [...new Set(data.bars.map((own) => own.series))];
      const bars = (group) => data.bars.filter((own) => own.series === group).flatMap((bar) => {
        let sum = 0;
        return names.map((name) => ({ x: bar.x, name, y1: sum, y2: (sum += this.value(bar, name, names)) }));
      }).filter((own) => own.y2 > own.y1);
      const all = groups.map(bars);
      const top = d3.max(all.flat(), (own) => own.y2) * 1.05;
      const bar = (fill, more = {}) => ({ x: "x", y1: "y1", y2: "y2", fill, stroke: "var(--paper)", strokeWidth: 0.7, ...more });
      const draw = (rows, own) => withTextures(plot(own, {
        label: `sessions by wait over ${data.key}`, height: 250, x: { type: "band", label: data.key, labelArrow: "none", domain: [...new Set(rows.map((row) => row.x))] }, y: rateAxis(top, "active sessions"),
        marks: [
          Plot.barY(rows, bar((row) => waitColor(this.look(data, row.name)))),
          Plot.barY(rows, bar((row) => textureOf(this.look(data, row.name)[1]))),
          Plot.ruleY([0], { stroke: "var(--quiet)" }),
          Plot.tip(rows, Plot.pointer({ x: "x", y: (row) => (row.y1 + row.y2) / 2, title: (row) => `${data.key} ${row.x}\n${significant(row.y2 - row.y1)} ${row.name}`, fontSize: 12, fill: "var(--paper)", stroke: "var(--line)" })),
        ],
      }));
      if (groups.length === 1) return draw(all[0], width);
      return panels(width, groups, (group, own) => draw(all[groups.indexOf(group)], own), (group) => group);
    },
    keys(data) { return this.names(data).map((name) => waitKey(name, this.look(data, name))); },
    table(data) {
      return {
        columns: [left("series"), right(data.key), left("wait"), right("sessions")],
        rows: data.bars.flatMap((own) => own.waits.map(([name, sessions]) => [own.series, own.x, name, significant(sessions)])),
      };
    },
  },

  changes: {
    color: (row) => ({ better: "var(--good)", WORSE: "var(--bad)" })[row.verdict] ?? "var(--quiet)",
    draw(data, width) {
      const [least, most] = [d3.min(data.rows, (row) => Math.min(0, row.low)), d3.max(data.rows, (row) => Math.max(0, row.high))];
      const room = (most - least || 0.01) * 0.04;
      const narrow = width < COMPACT;
      const filled = (row) => (row.verdict === "better" || row.verdict === "WORSE" ? this.color(row) : "var(--paper)");
      return plot(width, {
        label: "change of each metric with its interval", height: 44 + 26 * data.rows.length, marginLeft: narrow ? 124 : 160, marginRight: narrow ? 20 : 120, marginBottom: 34, marginTop: 8,
        x: { domain: [least - room, most + room], tickFormat: (own) => tickChange(own), ticks: Math.max(2, Math.min(7, Math.floor((width - (narrow ? 144 : 280)) / 110))), grid: true, label: "change", labelArrow: "none" },
        y: { type: "band", domain: data.rows.map((row) => row.name), label: null, tickSize: 0 },
        symbol: { type: "identity" },
        marks: [
          Plot.ruleX([0], { stroke: "var(--ink)" }),
          Plot.ruleY(data.rows, { x1: "low", x2: "high", y: "name", stroke: this.color, strokeWidth: 3 }),
          Plot.dot(data.rows, { x: "value", y: "name", r: 4.5, symbol: (row) => (row.verdict === "WORSE" ? "diamond" : "circle"), stroke: this.color, fill: filled, strokeWidth: 2 }),
          narrow ? null : Plot.text(data.rows, { frameAnchor: "right", y: "name", dx: 112, textAnchor: "end", text: "verdict", fill: this.color, fontWeight: (row) => (row.verdict === "WORSE" ? 700 : 400) }),
          Plot.tip(data.rows, Plot.pointerY({ x: "value", y: "name", title: (row) => `${row.name}\n${change(row.value)} (${change(row.low)} to ${change(row.high)})\n${row.verdict}`, fontSize: 12, fill: "var(--paper)", stroke: "var(--line)" })),
        ],
      });
    },
    keys: () => [
      { name: "better", color: "var(--good)", symbol: "circle" }, { name: "WORSE", color: "var(--bad)", symbol: "diamond" },
      { name: "no difference, or unclear", color: "var(--quiet)", symbol: "circle", hollow: true },
    ],
    table: (data) => ({
      columns: [left("metric"), right("change"), right("from"), right("to"), left("verdict")],
      rows: data.rows.map((row) => [row.name, change(row.value), change(row.low), change(row.high), row.verdict]),
    }),
  },

  manyChanges: {
    color: (row) => CHARTS.changes.color(row),
    draw(data, width) {
      const rows = data.rows.map((row, i) => ({ ...row, place: i + 1 }));
      const dense = rows.length > 100;
      const [least, most] = [d3.min(rows, (row) => Math.min(0, row.low)), d3.max(rows, (row) => Math.max(0, row.high))];
      const room = (most - least || 0.01) * 0.04;
      const claimed = (row) => row.verdict === "better" || row.verdict === "WORSE";
      return plot(width, {
        label: `change of ${data.metric} of each run`, height: 300,
        x: { domain: [0.5, rows.length + 0.5], ticks: Math.min(rows.length, Math.floor(width / 60)), tickFormat: (own) => (own % 1 ? "" : grouped(own)), label: "run, in the order of time", labelArrow: "none" },
        y: { domain: [least - room, most + room], tickFormat: tickChange, ticks: 6, grid: true, label: "change", labelArrow: "none" }, symbol: { type: "identity" },
        marks: [
          Plot.ruleX(rows, { x: "place", y1: "low", y2: "high", stroke: this.color, strokeOpacity: 0.55, strokeWidth: dense ? 1 : 2.5 }),
          Plot.ruleY([0], { stroke: "var(--ink)" }),
          Plot.dot(rows, { x: "place", y: "value", r: dense ? 2.2 : 4, symbol: (row) => (row.verdict === "WORSE" ? "diamond" : "circle"), stroke: this.color, fill: (row) => (claimed(row) ? this.color(row) : "var(--paper)") }),
          Plot.tip(rows, Plot.pointerX({ x: "place", y: "value", title: (row) => `${row.name}, ${row.at}\n${change(row.value)} (${change(row.low)} to ${change(row.high)})\n${row.verdict}`, fontSize: 12, fill: "var(--paper)", stroke: "var(--line)" })),
        ],
      });
    },
    keys: () => CHARTS.changes.keys(),
    table: (data) => ({
      columns: [left("run"), left("began"), right("change"), right("from"), right("to"), left("verdict")],
      rows: data.rows.map((row) => [row.name, row.at, change(row.value), change(row.low), change(row.high), row.verdict]),
    }),
  },

  overThroughput: {
    draw(data, width) {
      const [from, to] = [0, d3.max(data.runs, (own) => own.line.to.at(-1))];
      const top = d3.max(data.runs, (own) => d3.max(own.line.value)) * 1.06;
      const lines = data.runs.map((own, i) => {
        const x = middle(own.line);
        return Plot.lineY(x, { x, y: own.line.value, stroke: lineStyle(i).color, strokeDasharray: lineStyle(i).dash, strokeWidth: 1.8 });
      });
      const x = timeAxis({ from: [from], to: [to] }, width);
      return plot(width, {
        label: `${data.metric} of each over time`, height: 250, x: { ...x, label: x.label.replace("start", "start of the measured phase") }, y: rateAxis(top, data.metric),
        marks: [Plot.ruleY([0], { stroke: "var(--quiet)" }), ...lines],
      });
    },
    keys: (data) => data.runs.map((own, i) => ({ name: own.name, ...lineStyle(i) })),
    table: (data) => ({
      columns: [left("run"), right("from"), right("to"), right(data.metric)],
      rows: data.runs.flatMap((own) => own.line.value.map((value, i) => [own.name, ...timeColumns(own.line, i), significant(value)])),
    }),
  },

  overCurves: {
    kinds: (data) => data.runs[0].kinds.map((own) => own.name),
    of: (data, kind) => data.runs.map((run) => ({ name: run.name, ...run.kinds.find((own) => own.name === kind) })).filter((own) => own.latency),
    draw(data, width, kind) {
      const runs = this.of(data, kind);
      const y = logAxis(runs.flatMap((own) => [...own.latency.us, own.latency.max]), "latency");
      const far = d3.max(runs, (own) => Math.log10(own.count)) ?? 1;
      const series = runs.map((own, i) => ({ curve: own.latency, count: own.count, ...lineStyle(i) }));
      return curvePanel(width, y, far, kind, series, 280);
    },
    keys: (data) => data.runs.map((own, i) => ({ name: own.name, ...lineStyle(i) })),
    table(data, kind) {
      return {
        columns: [left("run"), left("percentile"), right("latency")],
        rows: this.of(data, kind).flatMap((own) => [
          ...own.latency.nines.map((nines, i) => [own.name, percentile(nines), micros(own.latency.us[i])]),
          [own.name, "max", micros(own.latency.max)],
        ]),
      };
    },
  },

  runs: {
    draw(data, width) {
      const groups = [...new Set(data.points.map((own) => own.group))];
      const place = (own) => groups.indexOf(own.group) % 7;
      const points = data.points.map((own, i) => ({ ...own, place: i + 1 }));
      const top = d3.max(points, (own) => Math.max(own.value, own.high ?? 0)) * 1.06;
      return plot(width, {
        label: `${data.metric} of each run`, height: 270, x: { domain: [0.5, points.length + 0.5], ticks: Math.min(points.length, Math.floor(width / 60)), tickFormat: (own) => (own % 1 ? "" : own), label: "run, in the order of time", labelArrow: "none" },
        y: data.unit === "us" ? { ...rateAxis(top, data.metric), tickFormat: tickMicros } : rateAxis(top, data.metric), symbol: { type: "identity" },
        marks: [
          Plot.ruleY([0], { stroke: "var(--quiet)" }),
          Plot.ruleX(points.filter((own) => own.low !== null), { x: "place", y1: "low", y2: "high", stroke: (own) => COLORS[place(own)], strokeOpacity: 0.5, strokeWidth: points.length > 100 ? 1 : 2 }),
          Plot.dot(points, { x: "place", y: "value", r: points.length > 100 ? 2.2 : 4, symbol: (own) => SYMBOLS[place(own)], stroke: (own) => COLORS[place(own)], fill: (own) => (own.valid ? COLORS[place(own)] : "var(--paper)") }),
          Plot.tip(points, Plot.pointerX({ x: "place", y: "value", title: (own) => `${own.id}, ${own.at}\n${own.group}\n${(data.unit === "us" ? micros : grouped)(own.value)} ${data.metric}`, fontSize: 12, fill: "var(--paper)", stroke: "var(--line)" })),
        ],
      });
    },
    keys(data) {
      const groups = [...new Set(data.points.map((own) => own.group))];
      const keys = groups.slice(0, 12).map((name, i) => ({ name, color: COLORS[i % 7], symbol: SYMBOLS[i % 7] }));
      const more = groups.length - keys.length;
      return more > 0 ? [...keys, { name: `and ${more} more groups, in these colours again`, color: OTHER, symbol: "circle" }] : keys;
    },
    table: (data) => ({
      columns: [left("run"), left("began"), left("group"), right(data.metric), right("from"), right("to"), left("verdict")],
      rows: data.points.map((own) => [own.id, own.at, own.group, ...[own.value, own.low, own.high].map((value) => (value === null ? ABSENT : (data.unit === "us" ? micros : grouped)(value))), own.verdict]),
    }),
  },
};

/** The axis of what varied: each value has its tick. */
function valueAxis(data, points, width) {
  const label = { label: data.key, labelArrow: "none" };
  if (!data.numeric) return { type: "point", domain: [...new Set(points.map((own) => own.x))], padding: 0.5, ...label };
  const values = [...new Set(points.map((own) => +own.x))].sort(d3.ascending);
  const [low, high] = [values[0], values.at(-1)];
  const log = low > 0 && high / low >= 8;
  const scale = (log ? d3.scaleLog() : d3.scaleLinear()).domain([low, high === low ? low + 1 : high]).range([0, width - 100]);
  // A tick is left out where its words would touch those of the one before it.
  const ticks = values.reduce((kept, own) => (kept.length && scale(own) - scale(kept.at(-1)) < 34 ? kept : [...kept, own]), []);
  return { type: log ? "log" : "linear", domain: [low, high], ticks, tickFormat: tickCount, insetLeft: 14, insetRight: 22, ...label };
}

function pointTip(points, x, y, data) {
  return Plot.tip(points, Plot.pointerX({
    x, y, fontSize: 12, fill: "var(--paper)", stroke: "var(--line)",
    title: (own) => [`${data.key} ${own.x}${own.series ? `, ${own.series}` : ""}`, `${grouped(own.value)} ${data.metric}`, `p95 ${micros(own.p95)}, p99 ${micros(own.p99)}`].join("\n"),
  }));
}

/** Small drawings side by side, with a name each. */
function panels(width, list, draw, name) {
  const columns = width >= 900 ? 3 : width >= COMPACT ? 2 : 1;
  const own = Math.floor((width - 20 * (columns - 1)) / columns);
  const grid = d3.create("div").attr("class", "panels").style("grid-template-columns", `repeat(${columns}, 1fr)`);
  for (const one of list) {
    const panel = grid.append("div");
    panel.append("h4").text(name(one));
    panel.append(() => draw(one, own));
  }
  return grid.node();
}

/** Ticks of the nines that have room for their names; the median gives way first. */
function nineTicks(far, width) {
  const reach = (own) => percentile(own).length * 3.9 + 3;
  const fits = (a, b) => ((b - a) / far) * width > reach(a) + reach(b);
  const nines = d3.range(1, Math.floor(far) + 1).reduce((kept, own) => (fits(kept.at(-1), own) ? [...kept, own] : kept), [0]);
  const median = Math.log10(2);
  const room = fits(0, median) && (nines.length < 2 || fits(median, nines[1]));
  return room ? [0, median, ...nines.slice(1)] : nines;
}

/** Curves over the nines. */
function curvePanel(width, y, far, kind, series, height = 210) {
  const ticks = nineTicks(Math.max(1, far), width - 80);
  return plot(width, {
    label: `latency of ${kind} by percentile`, height,
    x: { domain: [0, Math.max(1, far)], ticks, tickFormat: percentile, label: "percentile", labelArrow: "none", grid: true }, y,
    marks: [
      ...series.flatMap(({ curve, count, color, dash, stroke = 1.9, opacity = 1, r = 3 }) => [
        Plot.line(curve.nines, { x: curve.nines, y: curve.us, stroke: color, strokeDasharray: dash, strokeWidth: stroke, strokeOpacity: opacity }),
        count > 0 ? Plot.dot([0], { x: [Math.log10(count)], y: [curve.max], fill: color, fillOpacity: opacity, r }) : null,
      ]),
      Plot.tip(series.flatMap(({ curve }) => curve.nines.map((nines, i) => ({ nines, us: curve.us[i] }))), Plot.pointer({
        x: "nines", y: "us", title: (own) => `${percentile(own.nines)} ${micros(own.us)}`, fontSize: 12, fill: "var(--paper)", stroke: "var(--line)",
      })),
    ],
  });
}
