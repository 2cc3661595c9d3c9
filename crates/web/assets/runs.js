// The lists of runs and of sweeps. What is typed into the filters stands in the address.

const tableOf = (id) => byId(id)?.tBodies[0];
const CHOSEN = new Set();
/** Rows that are drawn at once; the rest follows while the browser is idle. */
const CHUNK = 200;

function cell(row, text, classes = "") {
  const node = row.insertCell();
  node.textContent = text;
  if (classes) node.className = classes;
  return node;
}

const tone = (verdict) => ({ VALID: "good", "THRESHOLD FAILED": "bad", INVALID: "bad", unreadable: "bad", running: "" })[verdict] ?? "warn";

function runRow(body, run) {
  const row = body.insertRow();
  const box = document.createElement("input");
  box.type = "checkbox";
  box.checked = CHOSEN.has(run.id);
  box.setAttribute("aria-label", `choose ${run.id}`);
  box.addEventListener("change", () => {
    if (box.checked) CHOSEN.add(run.id);
    else CHOSEN.delete(run.id);
    byId("compare").disabled = CHOSEN.size < 2;
  });
  cell(row, "", "left").append(box);
  const link = make(run.page === false ? "span" : "a", run.id);
  link.href = run.verdict === "running" && !SAVED ? "/live" : pageOf(`/runs/${encodeURIComponent(run.id)}`);
  cell(row, "", "left").append(link);
  cell(row, minuteOf(run.started_at), "left");
  cell(row, run.workload ?? "–", "left");
  cell(row, run.target ?? "–", "left");
  cell(row, run.scale === null ? "–" : numberOf(run.scale));
  cell(row, run.sessions === null ? "–" : numberOf(run.sessions));
  const headline = run.headline_per_minute !== null ? `${figureOf(run.headline_per_minute)} ${run.headline_name}` : run.throughput_per_s !== null ? `${figureOf(run.throughput_per_s)} tps` : "–";
  cell(row, headline);
  cell(row, timeOf(run.latency_p95_us));
  const failed = run.failed_thresholds?.length > 0 && run.verdict !== "THRESHOLD FAILED";
  const verdict = failed ? `${run.verdict}, threshold failed` : run.verdict;
  cell(row, verdict, `left ${tone(run.verdict)}`).title = run.error ?? run.failed_thresholds?.join("; ") ?? "";
  cell(row, run.notices.join(" ") || "–", "left");
  cell(row, run.tags.join(", "), "left").title = run.note ?? "";
}

let drawing = 0;
function draw(runs) {
  const body = tableOf("runs");
  const turn = ++drawing;
  body.replaceChildren();
  const more = (from) => {
    if (turn !== drawing) return;
    runs.slice(from, from + CHUNK).forEach((run) => runRow(body, run));
    if (from + CHUNK < runs.length) setTimeout(() => more(from + CHUNK));
  };
  more(0);
}

/** The course of the figure over the runs that are listed, if they are of one kind. */
function spark(runs) {
  const figure = byId("spark");
  const known = runs.filter((run) => run.headline_per_minute !== null && run.verdict !== "INVALID").slice(0, 300).reverse();
  const names = new Set(known.map((run) => `${run.workload} on ${run.target}, ${run.headline_name}`));
  figure.querySelector("svg")?.remove();
  figure.hidden = names.size !== 1 || known.length < 3;
  if (figure.hidden) return;
  const top = Math.max(...known.map((run) => run.headline_per_minute));
  const [width, height] = [Math.min(600, known.length * 12), 36];
  const points = known.map((run, i) => `${(i / (known.length - 1)) * width},${height - (run.headline_per_minute / top) * (height - 2)}`);
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const attributes = { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `${known.length} runs in the order of time, from zero to ${figureOf(top)}` };
  for (const [name, value] of Object.entries(attributes)) svg.setAttribute(name, value);
  const line = document.createElementNS("http://www.w3.org/2000/svg", "polyline");
  for (const [name, value] of Object.entries({ points: points.join(" "), fill: "none", stroke: "var(--c0)", "stroke-width": 1.5 })) line.setAttribute(name, value);
  svg.append(line);
  figure.prepend(svg);
  figure.querySelector("figcaption").textContent = `${[...names][0]}: ${known.length} runs, oldest first, from zero`;
}

function options(select, values) {
  for (const value of [...new Set(values)].filter(Boolean).sort()) select.append(new Option(value, value));
}

async function listRuns() {
  const filters = { q: byId("search"), workload: byId("by-workload"), target: byId("by-target"), verdict: byId("by-verdict") };
  let runs;
  try {
    runs = await ask("/runs");
  } catch (error) {
    byId("count").textContent = error.message;
    return;
  }
  options(filters.workload, runs.map((run) => run.workload));
  options(filters.target, runs.map((run) => run.target));
  options(filters.verdict, runs.map((run) => run.verdict));
  const address = new URLSearchParams(location.search);
  for (const [name, field] of Object.entries(filters)) field.value = address.get(name) ?? "";
  byId("empty").hidden = runs.length > 0;
  // Which runs are compared was settled when the pages were saved.
  byId("compare").hidden = SAVED !== null;
  byId("runs").classList.toggle("unchosen", SAVED !== null);
  const show = () => {
    const words = filters.q.value.toLowerCase().split(/\s+/).filter(Boolean);
    const text = (run) => [run.id, run.target, run.workload, run.note, ...run.tags, ...run.notices].join(" ").toLowerCase();
    const fits = (run) => ["workload", "target", "verdict"].every((name) => !filters[name].value || run[name] === filters[name].value) && words.every((word) => text(run).includes(word));
    const shown = runs.filter(fits);
    byId("count").textContent = shown.length === runs.length ? countOf(runs.length, "run") : `${numberOf(shown.length)} of ${countOf(runs.length, "run")}`;
    draw(shown);
    spark(shown);
    const query = new URLSearchParams(Object.entries(filters).map(([name, field]) => [name, field.value]).filter(([, value]) => value));
    try {
      history.replaceState(null, "", query.size ? `?${query}` : location.pathname);
    } catch { /* a file: its address stays as it is */ }
  };
  Object.values(filters).forEach((field) => field.addEventListener("input", show));
  byId("filters").addEventListener("submit", (event) => event.preventDefault());
  byId("compare").addEventListener("click", () => {
    // The oldest that is chosen is what the others are held against.
    const [baseline, ...others] = runs.filter((run) => CHOSEN.has(run.id)).reverse().map((run) => run.id);
    location.href = `/compare?${new URLSearchParams({ baseline, runs: others.join(",") })}`;
  });
  show();
}

async function listSweeps() {
  const sweeps = await ask("/sweeps").catch((error) => ((byId("count").textContent = error.message), null));
  if (!sweeps) return;
  byId("count").textContent = sweeps.length ? countOf(sweeps.length, "sweep") : "No sweeps yet.";
  if (!sweeps.length) return;
  const names = Object.keys(sweeps[0]).filter((name) => sweeps.some((sweep) => sweep[name] !== null && typeof sweep[name] !== "object") && !["path", "page"].includes(name));
  byId("sweeps").tHead.rows[0].append(...names.map((name) => Object.assign(make("th", name.replaceAll("_", " "), "left"), { scope: "col" })));
  for (const sweep of sweeps) {
    const row = tableOf("sweeps").insertRow();
    for (const name of names) {
      const node = cell(row, name === "id" ? "" : name === "started_at" ? minuteOf(sweep[name]) : String(sweep[name] ?? "–"), "left");
      if (name !== "id") continue;
      const link = make(sweep.page === false ? "span" : "a", sweep.id);
      link.href = pageOf(`/sweeps/${encodeURIComponent(sweep.id)}`);
      node.append(link);
    }
  }
}

if (tableOf("runs")) listRuns();
else listSweeps();
