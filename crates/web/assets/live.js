// The measurement that runs. Events come as they happen; after a break those that were missed come first, so
// that a closed lid loses nothing. The charts are the report's, of the same figures.

/** Between two drawings of the charts, however short the intervals are. */
const DRAW_MS = 2000;
const FIGURES_LIVE = new Map();
let planned = null;
let elapsed = 0;
let record = null;
let drawn = 0;
let pending = null;

function says(text, classes = "") {
  byId("state").textContent = text;
  byId("state").className = `verdict ${classes}`;
}

function tiles(own) {
  byId("tiles").replaceChildren(...own.filter(([value]) => value !== null).map(([value, name, detail]) => {
    const tile = make("li");
    tile.append(make("b", value), make("span", name), make("small", detail));
    return tile;
  }));
}

function onBegins({ record: own }) {
  record = own;
  [planned, elapsed, hosts] = [null, 0, []];
  const { workload, target_name: target, scale, sessions } = own.plan;
  byId("subject").textContent = [workload, target, `scale ${scale}`, countOf(sessions, "session"), `run ${own.id}`].join(" · ");
  byId("title").textContent = `${workload} on ${target}`;
  byId("stop").hidden = !MAY_CONTROL;
  for (const id of ["figures", "steps", "kinds", "limits"]) byId(id).hidden = true;
}

function onPhase({ phase, length_s: length }) {
  [planned, elapsed] = [length, 0];
  says(phase, phase === "measure" ? "good" : "warn");
  byId("done").hidden = length === null;
}

/** Processors in use, of Tacho's machine first. */
let hosts = [];
function hostTiles() {
  return hosts.map((host) => [`${host.busy_cores.toFixed(1)} of ${host.cores}`, `processors of ${host.source}`, host.tacho_cores === null ? `${(host.available_bytes / 2 ** 30).toFixed(1)}\u202fGiB free` : `Tacho ${host.tacho_cores.toFixed(1)}, others ${host.other_cores.toFixed(1)}`]);
}

let last = null;
function onInterval(interval) {
  last = interval;
  sayPhase();
  scheduleCharts();
}

/** How far the phase is: the standing knows its length so far, also if its begin was missed. */
function sayPhase() {
  const left = planned === null ? "" : ` of ${spanOf(planned)}`;
  const count = record?.plan.steps?.steps.length ?? 0;
  const step = count && last.step ? ` · step ${last.step} of ${count}` : "";
  byId("phase").textContent = `${last.phase} ${spanOf(elapsed)}${left}${step} · ${last.sessions} of ${last.sessions_planned} sessions`;
  if (planned) Object.assign(byId("done"), { max: planned, value: Math.min(elapsed, planned) });
}

function onStanding(own) {
  elapsed = own.elapsed_s;
  if (last) sayPhase();
  if (own.headline) byId("steps-headline").textContent = own.headline.name;
  const all = own.transactions.at(-1);
  if (!all) return;
  const now = last?.headline_per_minute ?? null;
  const rate = own.elapsed_s > 0 ? all.count / own.elapsed_s : null;
  const when = own.phase === "measure" ? "so far" : "in ramp-up";
  tiles([
    own.headline ? [figureOf(own.headline.per_minute), own.headline.name, `${when}; ${figureOf(now)} now`] : [figureOf(rate), "transactions/s", when],
    [figureOf(rate), "transactions/s", `${when}; ${figureOf(last?.throughput_per_s)} now`],
    [timeOf(all.latency.p95_us), "p95", `p50 ${timeOf(all.latency.p50_us)}`],
    [numberOf(all.failed), "failed", `of ${numberOf(all.count + all.failed)}`],
    ...hostTiles(),
  ]);
  byId("kinds").hidden = false;
  byId("kinds").querySelector("tbody").replaceChildren(...[...own.transactions, ...own.queries].map((kind) => {
    const row = make("tr");
    const share = all.count ? `${((100 * kind.count) / all.count).toFixed(1)}\u202f%` : "–";
    const cells = [kind.name, share, numberOf(kind.count), timeOf(kind.latency.p50_us), timeOf(kind.latency.p95_us), timeOf(kind.latency.p99_us), timeOf(kind.latency.max_us), numberOf(kind.failed)];
    row.append(...cells.map((text, i) => make("td", text, i === 0 ? "left" : "")));
    return row;
  }));
  byId("limits").hidden = !own.thresholds.length;
  byId("limits").querySelector("ul").replaceChildren(...own.thresholds.map((limit) => make("li", `${limit.passed ? "✓" : "✗"} ${limit.expression}: ${limit.measured_text}`, limit.passed ? "good" : "bad")));
}

function note(text) {
  const box = byId("notes");
  box.append(make("p", text, "quiet"));
  while (box.children.length > 50) box.firstChild.remove();
}

function figure(chart) {
  const node = document.createElement("figure");
  node.dataset.chart = chart.id;
  node.dataset.kind = chart.kind;
  const caption = make("figcaption");
  caption.append(make("h3", chart.title), make("p", chart.reading));
  const details = make("details", "", "figures");
  const scroll = make("div", "", "scroll");
  scroll.tabIndex = 0;
  scroll.setAttribute("role", "region");
  scroll.setAttribute("aria-label", `${chart.title}: figures`);
  details.append(make("summary", "Figures as a table"), scroll);
  node.append(caption, make("div", "", "tools"), make("div", "", "plot"), make("p", chart.note, "note"), details);
  return node;
}

/** A row for each step that has begun, the newest last. */
function drawSteps(steps) {
  byId("steps").hidden = !steps.length;
  byId("steps").querySelector("tbody").replaceChildren(...steps.map((step) => {
    const row = make("tr");
    const time = `${spanOf(step.measured_s)} of ${spanOf(step.planned_s)}`;
    const cells = [numberOf(step.number), step.load, time, figureOf(step.headline_per_minute), figureOf(step.throughput_per_s), numberOf(step.failed)];
    row.append(...cells.map((text, i) => make("td", text, i === 1 ? "left" : "")));
    return row;
  }));
}

async function drawCharts() {
  drawn = Date.now();
  const answer = await ask("/activity/charts").catch(() => null);
  if (!answer) return;
  byId("figures").hidden = !answer.charts.length;
  drawSteps(answer.steps);
  const ids = answer.charts.map((chart) => chart.id);
  for (const [id, own] of FIGURES_LIVE) if (!ids.includes(id)) (own.node.remove(), FIGURES_LIVE.delete(id));
  for (const chart of answer.charts) {
    REPORT.charts[chart.id] = chart.data;
    let own = FIGURES_LIVE.get(chart.id);
    if (!own) {
      const node = figure(chart);
      byId("figures").append(node);
      own = new Figure(node);
      FIGURES_LIVE.set(chart.id, own);
      new ResizeObserver(() => own.draw()).observe(own.plot);
    }
    own.data = chart.data;
    own.draw(own.plot.clientWidth, true);
    own.fill();
  }
}

/** Soon, but at most every two seconds, and only while the page is visible. */
function scheduleCharts() {
  if (pending || document.hidden) return;
  pending = setTimeout(() => ((pending = null), drawCharts()), Math.max(0, drawn + DRAW_MS - Date.now()));
}
document.addEventListener("visibilitychange", scheduleCharts);

let ended = false;
async function onEnd({ exit_code: code, run }) {
  ended = true;
  byId("stop").hidden = true;
  byId("done").hidden = true;
  const activity = await ask("/activity").catch(() => null);
  const verdict = activity?.answer?.result?.verdict;
  says(code === 0 ? "ended" : `ended with exit code ${code}`, code === 0 ? "good" : "bad");
  byId("phase").replaceChildren();
  if (run) {
    const link = make("a", `Report of run ${run}${verdict ? `: ${typeof verdict === "string" ? verdict : ""}` : ""}`);
    link.href = `/runs/${encodeURIComponent(run)}`;
    byId("phase").append(link);
  }
  (activity?.complaints ?? []).filter(Boolean).forEach(note);
  if (typeof activity?.answer === "string" && activity.answer.trim()) {
    byId("answer").textContent = activity.answer;
    byId("answer").hidden = false;
  }
  drawCharts();
}

function onBuild(build) {
  const all = build.tables.reduce((sum, table) => sum + table.expected, 0);
  const rows = build.tables.reduce((sum, table) => sum + table.rows, 0);
  Object.assign(byId("done"), { hidden: false, max: all || 1, value: rows });
  says("loading the data", "warn");
  byId("phase").textContent = `${numberOf(rows)} of ${numberOf(all)} rows, ${figureOf(build.rows_per_s)} a second${build.remaining_s === null ? "" : `, about ${spanOf(build.remaining_s)} left`}`;
}

function onCheck(check) {
  says("checking the data", "warn");
  byId("phase").textContent = `${check.done} of ${check.count} queries completed`;
}

const HANDLERS = {
  activity: ({ command }) => {
    says(`${command} begins`);
    byId("notes").replaceChildren();
    byId("answer").hidden = true;
    byId("stop").hidden = !MAY_CONTROL;
    tiles([]);
  },
  begins: onBegins, phase: onPhase, interval: onInterval, standing: onStanding, build: onBuild, check: onCheck, end: onEnd,
  ending: ({ step }) => says(step, "warn"),
  host: (host) => ((hosts = host.hosts), null),
  mark: ({ at_s: at, text }) => note(`${spanOf(at)}: ${text}`),
  note: ({ text }) => note(text),
  point: ({ number, count, values }) => note(`point ${number} of ${count}: ${values}`),
};

// A browser connects again by itself, and says which event it saw last.
const source = new EventSource("/api/v1/activity/events");
for (const [name, handler] of Object.entries(HANDLERS)) source.addEventListener(name, (event) => handler(JSON.parse(event.data)));
source.addEventListener("open", async () => {
  const activity = await ask("/activity").catch(() => null);
  if (activity?.state === "none") {
    says("nothing is running");
    const link = make("a", "Start a run");
    link.href = "/new";
    byId("phase").replaceChildren(link);
  }
});
source.addEventListener("error", () => {
  // The view of one measurement ends with it.
  if (ended) note("The server has ended with its command; tacho serve shows the saved run.");
  else says("connection lost; trying again", "bad");
  ended = false;
});
byId("stop").addEventListener("click", async () => {
  byId("stop").disabled = true;
  await ask("/activity/stop", {}).catch((error) => note(error.message));
  setTimeout(() => ((byId("stop").disabled = false), (byId("stop").textContent = "Stop at once")), 2000);
});
