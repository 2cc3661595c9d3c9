// The drawings of queries: as bars, as streams over time, and against the transactions of the same run.

/** An axis of time in microseconds. */
function spanAxis(top, width, label) {
  return { domain: [0, top || 1], ticks: Math.max(2, Math.floor(width / 130)), tickFormat: top >= 120e6 ? (us) => clock(us / 1e6) : tickSpan, grid: true, label, labelArrow: "none" };
}

/** A time of an axis with the digits that it takes. */
function tickSpan(us) {
  const [value, unit] = us < 1e3 ? [us, "µs"] : us < 1e6 ? [us / 1e3, "ms"] : [us / 1e6, "s"];
  return us ? +value.toPrecision(3) + THIN + unit : "0";
}

const failedWords = (own) => (own.failed ? `${grouped(own.failed)} FAILED (${own.why.join(", ")})` : "");
const barWords = (own) => [own.mean === null ? "" : micros(own.mean), own.failed ? `${grouped(own.failed)} FAILED` : ""].filter(Boolean).join(", ");
const cursor = { fontSize: 12, fill: "var(--paper)", stroke: "var(--line)" };

/** Bars of queries, `rows` of them side by side for each name. */
function queryBars(width, rows, names, groups, label) {
  const height = groups.length > 1 ? 15 : 20;
  const top = d3.max(rows, (own) => own.longest ?? 0);
  const line = (own) => `${own.name}\n${own.group}`;
  const several = groups.length > 1;
  const domain = names.flatMap((name) => groups.map((group) => `${name}\n${group}`));
  const color = (own) => COLORS[groups.indexOf(own.group) % 7];
  return plot(width, {
    label, height: 60 + height * domain.length, marginLeft: 56, marginRight: 92, marginTop: 8, marginBottom: 36,
    x: spanAxis(top, width - 150, "time"),
    y: { type: "band", domain, padding: 0.15, label: null, tickSize: 0, tickFormat: (own) => (several && !own.endsWith(`\n${groups[0]}`) ? "" : own.split("\n")[0]) },
    marks: [
      Plot.barX(rows.filter((own) => own.mean !== null), { x1: 0, x2: "mean", y: line, fill: color, fillOpacity: 0.75 }),
      Plot.ruleY(rows.filter((own) => own.count > 1), { x1: "shortest", x2: "longest", y: line, stroke: "var(--ink)", strokeWidth: 1.5 }),
      Plot.text(rows, { x: (own) => own.longest ?? 0, y: line, text: barWords, textAnchor: "start", dx: 5, fontSize: 11, fill: (own) => (own.failed ? "var(--bad)" : "var(--ink)") }),
      Plot.ruleX([0], { stroke: "var(--quiet)" }),
      Plot.tip(rows, Plot.pointerY({ x: (own) => own.mean ?? 0, y: line, title: (own) => [own.group, `${own.name} ${micros(own.mean)} of ${grouped(own.count)}`, failedWords(own)].filter(Boolean).join("\n"), ...cursor })),
    ],
  });
}

const queryRow = (own) => [own.name, grouped(own.count), micros(own.shortest), micros(own.mean), micros(own.longest), micros(own.firstRow), failedWords(own) || "0"];
const queryColumns = [left("query"), right("count"), right("shortest"), right("mean"), right("longest"), right("first row"), left("failed")];

Object.assign(CHARTS, {
  queries: {
    draw: (data, width) => queryBars(width, data.queries.map((own) => ({ ...own, group: "" })), data.queries.map((own) => own.name), [""], "time of each query"),
    keys: (data) => [
      { name: "mean time", color: "var(--c0)", box: 0.75 },
      ...(data.queries.some((own) => own.count > 1) ? [{ name: "shortest to longest", color: "var(--ink)" }] : []),
    ],
    table: (data) => ({ columns: queryColumns, rows: data.queries.map(queryRow) }),
  },

  overQueries: {
    draw(data, width) {
      const names = [...new Set(data.groups.flatMap((group) => group.queries.map((own) => own.name)))];
      const rows = data.groups.flatMap((group) => group.queries.map((own) => ({ ...own, group: group.name })));
      return queryBars(width, rows, names, data.groups.map((group) => group.name), "time of each query in each");
    },
    keys: (data) => data.groups.map((group, i) => ({ name: group.name, color: COLORS[i % 7], box: 0.75 })),
    table: (data) => ({
      columns: [left("run"), ...queryColumns],
      rows: data.groups.flatMap((group) => group.queries.map((own) => [group.name, ...queryRow(own)])),
    }),
  },

  frontier: {
    draw(data, width) {
      const points = d3.sort(data.points, (own) => own.queries);
      const onIt = points.filter((own) => !own.below);
      const right = d3.max(points, (own) => own.queries);
      const top = d3.max(points, (own) => own.value) * 1.1;
      return plot(width, {
        label: `${data.metric} against ${data.queries}`, height: 320, marginRight: 24,
        x: { ...rateAxis(right * 1.06, data.queries), nice: false, ticks: Math.max(2, Math.floor(width / 130)) },
        y: { ...rateAxis(top, data.metric), nice: false },
        marks: [
          Plot.ruleY([0], { stroke: "var(--quiet)" }),
          Plot.line(onIt, { x: "queries", y: "value", stroke: "var(--c0)", strokeWidth: 2 }),
          Plot.dot(points, { x: "queries", y: "value", r: 5, fill: (own) => (own.below || !own.valid ? "var(--paper)" : "var(--c0)"), stroke: (own) => (own.valid ? "var(--c0)" : "var(--bad)"), strokeWidth: 1.8 }),
          Plot.tip(points, Plot.pointer({
            x: "queries", y: "value", ...cursor,
            title: (own) => [own.name, `${grouped(own.value)} ${data.metric}`, `${grouped(own.queries)} ${data.queries}`, own.mean === null ? "" : `geometric mean ${micros(own.mean)}`].filter(Boolean).join("\n"),
          })),
        ],
      });
    },
    keys: (data) => [
      { name: "frontier", color: "var(--c0)" },
      ...(data.points.some((own) => own.below) ? [{ name: "below it", color: "var(--c0)", symbol: "circle", hollow: true }] : []),
    ],
    table: (data) => ({
      columns: [left("point"), right(data.metric), right(data.queries), right("geometric mean"), left("note")],
      rows: data.points.map((own) => [
        own.name, grouped(own.value), grouped(own.queries), own.mean === null ? ABSENT : micros(own.mean),
        [own.below && "below the frontier", !own.valid && "INVALID"].filter(Boolean).join(", "),
      ]),
    }),
  },

  streams: {
    draw(data, width) {
      const sessions = [...new Set(data.boxes.map((own) => own.session))].sort(d3.ascending);
      const top = d3.max(data.boxes, (own) => own.to);
      const inner = width - 90;
      const height = Math.max(12, Math.min(30, 600 / sessions.length));
      const named = data.boxes.filter((own) => ((own.to - own.from) / top) * inner > own.name.length * 7 + 6 && height >= 16);
      return plot(width, {
        label: "streams over time", height: 64 + height * sessions.length, marginLeft: 52, marginRight: 24, marginTop: 20, marginBottom: 36,
        x: spanAxis(top, inner, "time since the start"),
        y: { type: "band", domain: sessions, padding: 0.12, label: "session", labelArrow: "none", tickSize: 0, ticks: sessions.filter((_, i) => i % Math.ceil(16 / height) === 0) },
        marks: [
          Plot.barX(data.boxes, { x1: "from", x2: "to", y: "session", fill: (own) => (own.failed ? "var(--bad)" : "var(--c0)"), fillOpacity: (own) => (own.failed ? 0.9 : 0.4), stroke: "var(--paper)", strokeWidth: 0.8 }),
          Plot.text(named, { x: (own) => (own.from + own.to) / 2, y: "session", text: "name", fontSize: 11, fill: (own) => (own.failed ? "var(--paper)" : "var(--ink)") }),
          Plot.tip(data.boxes, Plot.pointer({ x: (own) => (own.from + own.to) / 2, y: "session", title: (own) => `session ${own.session}, ${own.name}\n${micros(own.to - own.from)} from ${micros(own.from)} on\n${own.failed ? `FAILED: ${own.failed}` : `${own.rows === null ? ABSENT : grouped(own.rows)} rows${own.firstRow === null ? "" : `, the first after ${micros(own.firstRow)}`}`}`, ...cursor })),
        ],
      });
    },
    keys: (data) => [
      { name: "query", color: "var(--c0)", box: 0.4 },
      ...(data.boxes.some((own) => own.failed) ? [{ name: "FAILED", color: "var(--bad)", box: 0.9 }] : []),
    ],
    table: (data) => ({
      columns: [right("session"), right("begin"), left("query"), right("time"), right("first row"), right("rows"), left("failed")],
      rows: data.boxes.map((own) => [grouped(own.session), micros(own.from), own.name, micros(own.to - own.from), micros(own.firstRow), own.rows === null ? ABSENT : grouped(own.rows), own.failed ?? ""]),
    }),
  },
});
