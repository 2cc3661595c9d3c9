// The form of a run. What it says is what the command line would say: the server tells the command and the plan.

const form = byId("new");
/** Settings that the plan shows even if they are not filled in. */
const FACTS = ["workload", "target", "scale", "profile", "form", "sessions", "duration", "ramp_up", "seed"];
/** The settings of a run, as the server describes them. */
let known = [];

/** The settings that are filled in, by key. */
function settings() {
  const found = {};
  for (const field of form.elements) {
    const value = field.name && field.value.trim();
    if (!value) continue;
    found[field.name] = field.tagName === "TEXTAREA" ? value.split("\n").map((line) => line.trim()).filter(Boolean) : value;
  }
  return found;
}

const toml = (value) => (Array.isArray(value) ? `[${value.map(toml).join(", ")}]` : /^-?\d+(\.\d+)?$/.test(value) ? value : JSON.stringify(value));

/** A recorded value with its unit. */
function valueOf(setting, value) {
  if (setting.kind === "duration") return `${value} s`;
  return setting.kind === "rate" ? `${value}/s` : typeof value === "object" ? JSON.stringify(value) : String(value);
}

function facts(plan, given) {
  const recorded = (setting) => plan?.plan?.[setting.recorded_as] ?? null;
  const shown = known.filter((setting) => (FACTS.includes(setting.key) || setting.key in given) && recorded(setting) !== null);
  return shown.map((setting) => {
    const row = make("div");
    row.append(make("dt", setting.label.toLowerCase()), make("dd", valueOf(setting, recorded(setting))));
    return row;
  });
}

/** Shows an error, also at the field of its setting. */
function refused(error) {
  trouble(byId("trouble"), error);
  for (const wrong of form.querySelectorAll("[aria-invalid]")) wrong.removeAttribute("aria-invalid");
  const field = error?.setting && (form.elements[error.setting] ?? form.elements.set);
  field?.setAttribute("aria-invalid", "true");
}

let asked = 0;
async function preview() {
  const turn = ++asked;
  const own = settings();
  byId("toml").textContent = ["[run.mine]", ...Object.entries(own).map(([key, value]) => `${key} = ${toml(value)}`)].join("\n");
  try {
    const { words, plan } = await ask("/plan", { command: "run", settings: own });
    if (turn !== asked) return;
    byId("words").textContent = words;
    byId("plan").replaceChildren(...facts(plan, own));
    refused();
  } catch (error) {
    if (turn === asked) refused(error);
  }
}

let waiting;
form.addEventListener("input", () => {
  clearTimeout(waiting);
  waiting = setTimeout(preview, 300);
});
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  try {
    await ask("/runs", { settings: settings() });
    location.href = "/live";
  } catch (error) {
    refused(error);
  }
});
byId("test").addEventListener("click", () => (location.href = `/targets?${new URLSearchParams({ target: form.elements.target.value })}`));

function field(setting) {
  const label = make("label", `${setting.label} `);
  const input = setting.allowed ? document.createElement("select") : document.createElement(setting.repeated ? "textarea" : "input");
  if (setting.allowed) input.append(...["", ...setting.allowed].map((value) => new Option(value || `default: ${setting.default || "none"}`, value)));
  else input.placeholder = setting.default;
  if (setting.repeated && !setting.allowed) input.rows = 2;
  input.name = setting.key;
  label.title = `${setting.help}: ${setting.limits}`;
  label.append(input, make("small", setting.help));
  return label;
}

async function fill() {
  const [all, workloads, targets] = await Promise.all([ask("/settings"), ask("/workloads"), ask("/targets").catch(() => [])]);
  known = all.filter((setting) => setting.group && setting.commands.includes("run"));
  for (const set of form.querySelectorAll("[data-settings]")) {
    set.append(...set.dataset.settings.split(" ").map((key) => field(known.find((setting) => setting.key === key))));
  }
  form.elements.workload.append(...workloads.map(({ name, about }) => new Option(`${name}: ${about}`, name)));
  byId("targets").append(...targets.map(({ name, about }) => new Option(about, name)));
  const groups = Map.groupBy(known.filter((setting) => !form.elements[setting.key]), (setting) => setting.group);
  for (const [group, members] of groups) {
    const set = make("fieldset");
    set.append(make("legend", group), ...members.map(field));
    byId("others").append(set);
  }
  const address = new URLSearchParams(location.search);
  for (const [key, value] of address) if (form.elements[key]) form.elements[key].value = value;
  await preview();
}
fill().catch((error) => trouble(byId("trouble"), error));
