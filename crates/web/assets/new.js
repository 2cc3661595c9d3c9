// The form of a run. What it says is what the command line would say: the server tells the command and the plan.

const form = byId("new");
/** Settings with a field of their own. */
const OWN = ["target", "workload", "scale", "sessions", "rate", "duration", "ramp_up", "threshold"];

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

function facts(plan) {
  const own = plan?.plan ?? {};
  const rows = ["workload", "target", "scale", "profile", "form", "sessions", "rate", "duration_s", "ramp_up_s", "seed"].map((key) => [key.replace(/_s$/, "").replace("_", "-"), key.endsWith("_s") && own[key] !== undefined ? `${own[key]} s` : own[key]]);
  return rows.filter(([, value]) => value !== undefined && value !== null).map(([name, value]) => {
    const row = make("div");
    row.append(make("dt", name), make("dd", String(value)));
    return row;
  });
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
    byId("plan").replaceChildren(...facts(plan));
    trouble(byId("trouble"));
  } catch (error) {
    if (turn === asked) trouble(byId("trouble"), error);
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
    trouble(byId("trouble"), error);
  }
});
byId("test").addEventListener("click", () => (location.href = `/targets?${new URLSearchParams({ target: form.elements.target.value })}`));

function field(setting) {
  const label = make("label", `${setting.key.replaceAll("_", " ")} `);
  const input = setting.allowed ? document.createElement("select") : document.createElement(setting.repeated ? "textarea" : "input");
  if (setting.allowed) input.append(...["", ...setting.allowed].map((value) => new Option(value || `default: ${setting.default || "none"}`, value)));
  else input.placeholder = setting.default;
  if (setting.repeated && !setting.allowed) input.rows = 2;
  input.name = setting.key;
  label.title = setting.help;
  label.append(input, make("small", setting.help));
  return label;
}

async function fill() {
  const [known, workloads, targets] = await Promise.all([ask("/settings"), ask("/workloads"), ask("/targets").catch(() => [])]);
  form.elements.workload.append(...workloads.map(({ name, about }) => new Option(`${name}: ${about}`, name)));
  byId("targets").append(...targets.map(({ name, about }) => new Option(about, name)));
  for (const setting of known.filter((one) => ["sessions", "duration", "ramp_up"].includes(one.key))) form.elements[setting.key].placeholder = setting.default;
  const groups = Map.groupBy(known.filter((setting) => !OWN.includes(setting.key)), (setting) => setting.group);
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
