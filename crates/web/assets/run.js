// What can be done with a saved run.

const actions = document.querySelector(".actions");
const run = actions?.dataset.run;
const say = (text) => (byId("said").textContent = text);
const sayError = (error) => say([error.message, ...error.hints].join(" · "));
byId("again")?.addEventListener("click", () =>
  ask("/runs", { settings: { from: run } }).then(() => (location.href = "/live"), sayError));
byId("add-tag")?.addEventListener("click", () =>
  ask(`/runs/${encodeURIComponent(run)}/tags`, { add: [byId("tag").value] }).then((answer) => say(`Tags: ${answer.tags.join(", ")}`), sayError));
