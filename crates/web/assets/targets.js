// Looking at a target, and preparing, checking and cleaning its data. One thing at a time.

const form = byId("act");
const answer = byId("answer");

function shown(activity) {
  if (activity.state === "none" || activity.command === "run" || activity.command === "sweep") return;
  byId("doing").textContent = activity.state === "running" ? `Running: ${activity.words}` : `Ended with ${activity.exit_code}: ${activity.words}`;
  if (activity.state !== "ended") return;
  const texts = [typeof activity.answer === "string" ? activity.answer : JSON.stringify(activity.answer, null, 2), ...activity.complaints];
  answer.textContent = texts.map((text) => text.trim()).filter(Boolean).join("\n\n");
  answer.hidden = !answer.textContent;
  byId("done").hidden = true;
}

const source = new EventSource("/api/v1/activity/events");
const state = () => ask("/activity").then(shown, (error) => trouble(byId("trouble"), error));
source.addEventListener("end", state);
source.addEventListener("activity", state);
source.addEventListener("build", (event) => {
  const build = JSON.parse(event.data);
  const all = build.tables.reduce((sum, table) => sum + table.expected, 0);
  const rows = build.tables.reduce((sum, table) => sum + table.rows, 0);
  Object.assign(byId("done"), { hidden: false, max: all || 1, value: rows });
  byId("doing").textContent = `Loading: ${numberOf(rows)} of ${numberOf(all)} rows, ${figureOf(build.rows_per_s)} a second${build.remaining_s === null ? "" : `, about ${spanOf(build.remaining_s)} left`}`;
});
source.addEventListener("check", (event) => {
  const check = JSON.parse(event.data);
  Object.assign(byId("done"), { hidden: false, max: check.count || 1, value: check.done });
  byId("doing").textContent = `Checking: ${check.done} of ${check.count} queries completed`;
});

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const command = event.submitter.value;
  const { target, workload, scale } = Object.fromEntries(new FormData(form));
  const settings = { target };
  if (command !== "doctor") settings.workload = workload;
  if (command === "prepare" && scale.trim()) settings.scale = scale.trim();
  if (command === "clean") {
    if (!confirm(`Remove the tables of ${workload} from ${target}?`)) return;
    settings.yes = true;
  }
  trouble(byId("trouble"));
  answer.hidden = true;
  try {
    shown(await ask("/activity", { command, settings, output: "text" }));
  } catch (error) {
    trouble(byId("trouble"), error);
  }
});

async function fill() {
  const [targets, workloads] = await Promise.all([ask("/targets"), ask("/workloads")]);
  form.elements.workload.append(...workloads.map(({ name }) => new Option(name, name)));
  form.elements.target.value = new URLSearchParams(location.search).get("target") ?? "";
  byId("list").hidden = targets.length === 0;
  for (const { name, about } of targets) {
    const row = byId("list").tBodies[0].insertRow();
    const button = make("button", name);
    button.type = "button";
    button.addEventListener("click", () => (form.elements.target.value = name));
    const place = row.insertCell();
    place.className = "left";
    place.append(button);
    Object.assign(row.insertCell(), { textContent: about, className: "left" });
  }
  if (!MAY_CONTROL) form.querySelectorAll("button").forEach((button) => (button.disabled = true));
}
fill().catch((error) => trouble(byId("trouble"), error));
