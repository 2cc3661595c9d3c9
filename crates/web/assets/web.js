// What all pages share: asking, copying, colours, keys, and the bar that says that something is running.

const MAY_CONTROL = document.querySelector("meta[name=may-control]").content === "yes";
const byId = (id) => document.getElementById(id);

/** In a folder of pages: what there would be to ask a server for, by path. */
const SAVED = byId("saved") ? JSON.parse(byId("saved").textContent) : null;
/** The address of a page. */
const pageOf = (path) => (SAVED ? `${byId("saved").dataset.root}${path}.html` : path);

/** An element with a class and a text. */
function make(tag, text = "", classes = "") {
  const node = document.createElement(tag);
  node.textContent = text;
  if (classes) node.className = classes;
  return node;
}

/** Asks the server; a refusal is an error with its hints. */
async function ask(path, body) {
  if (SAVED) {
    if (body === undefined && path in SAVED) return SAVED[path];
    throw Object.assign(new Error("these pages were saved, and no server is asked"), { hints: ["tacho serve has one"] });
  }
  const options = body === undefined ? {} : { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  let response;
  try {
    response = await fetch(`/api/v1${path}`, options);
  } catch {
    throw Object.assign(new Error("the server does not answer"), { hints: ["is tacho serve still running?"] });
  }
  const answer = await response.json().catch(() => null);
  if (response.ok) return answer;
  const { message = `the server answered ${response.status}`, hints = [], setting } = answer?.error ?? {};
  throw Object.assign(new Error(message), { hints, setting, status: response.status });
}

/** Shows an error in a box, or empties it. */
function trouble(box, error) {
  box.replaceChildren();
  if (!error) return;
  const remark = make("div", "", "remark bad");
  remark.append(make("span", "", "mark"), make("p", [error.message, ...(error.hints ?? []).map((hint) => `hint: ${hint}`)].join(" · ")));
  box.append(remark);
}

const minuteOf = (date) => (date ? date.slice(0, 16).replace("T", " ") : "–");
const numberOf = (value) => value.toLocaleString("en").replaceAll(",", "\u202f");

const countOf = (count, word) => `${numberOf(count)} ${word}${count === 1 ? "" : "s"}`;

/** Three digits or all whole ones. */
function figureOf(value) {
  if (value === null || value === undefined) return "–";
  return value >= 100 ? numberOf(Math.round(value)) : String(Number(value.toPrecision(3)));
}

function timeOf(us) {
  if (us === null || us === undefined) return "–";
  if (us < 1) return `${Math.round(us * 1e3)}\u202fns`;
  const [value, unit] = us < 1000 ? [us, "µs"] : us < 1e6 ? [us / 1e3, "ms"] : [us / 1e6, "s"];
  return `${value >= 99.95 ? numberOf(Math.round(value)) : value.toPrecision(3)}\u202f${unit}`;
}

function spanOf(seconds) {
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60), Math.floor(seconds % 60)];
  const two = (own) => String(own).padStart(2, "0");
  return h ? `${h}:${two(m)}:${two(s)}` : `${two(m)}:${two(s)}`;
}

for (const button of document.querySelectorAll("[data-copy]")) {
  const name = button.textContent;
  button.addEventListener("click", async () => {
    const text = document.querySelector(button.dataset.copy).textContent;
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
    } catch {
      // Without permission the user copies what is selected now.
      getSelection().selectAllChildren(document.querySelector(button.dataset.copy));
      button.textContent = "Selected: press Ctrl-C";
    }
    setTimeout(() => (button.textContent = name), 1500);
  });
}

{
  const root = document.documentElement;
  const button = byId("scheme");
  const dark = () => (root.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  const name = () => (button.textContent = dark() ? "Light" : "Dark");
  button.addEventListener("click", () => {
    root.dataset.theme = dark() ? "light" : "dark";
    try {
      localStorage.setItem("tacho-theme", root.dataset.theme);
    } catch { /* no storage: for this page alone */ }
    name();
  });
  name();
}

const KEYS = SAVED ? { r: "/index", c: "/compare", t: "/trends", s: "/sweeps" } : { r: "/", n: "/new", l: "/live", c: "/compare", t: "/trends", s: "/sweeps", d: "/targets", w: "/workloads", "?": "/help" };
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea")) return;
  if (event.key === "/" && byId("search")) {
    event.preventDefault();
    byId("search").focus();
  } else if (KEYS[event.key]) {
    location.href = pageOf(KEYS[event.key]);
  }
});

/** Every page but the live one says that something is running. */
async function sayWhatRuns() {
  const box = byId("running");
  if (byId("live")) return;
  const activity = await ask("/activity").catch(() => null);
  box.hidden = activity?.state !== "running";
  if (!box.hidden && box.dataset.number !== String(activity.number)) {
    box.dataset.number = activity.number;
    const link = make("a", "watch it");
    link.href = "/live";
    box.replaceChildren(make("span", `Running: ${activity.words}  `), link);
  }
}
if (!SAVED) {
  sayWhatRuns();
  setInterval(() => document.hidden || sayWhatRuns(), 5000);
}
