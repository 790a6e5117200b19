// Shared parts of the pages: facts, messages, equivalent commands, progress, input fields.

function showWrong(box, error) {
  box.textContent = error ? error.message : "";
  box.hidden = !error;
}

const makeWrong = () => make("p", { class: "wrong", role: "alert", hidden: true });

function makeFacts(pairs) {
  return make("dl", { class: "facts" }, ...pairs.filter(([, value]) => value !== null && value !== undefined && value !== "")
    .flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, typeof value === "number" ? shortly(value) : String(value))]));
}

/** The commands and the Python code that give the same result. */
function makeHow(jobs) {
  const commands = jobs.map((job) => job.command).filter(Boolean), python = jobs.map((job) => job.python);
  return make("details", { class: "how" }, make("summary", {}, "the same result by command line and Python"),
    commands.length ? make("pre", { class: "command" }, commands.join("\n")) : null, make("pre", { class: "python" }, python.join("\n")));
}

/** A line that shows the state of a task, with a button that cancels it. */
function makeProgress() {
  const text = make("span", { class: "state" }), stop = make("button", { type: "button", hidden: true }, "cancel");
  const line = make("p", { class: "progress", role: "status" }, text, " ", stop);
  let digest = null;
  stop.onclick = () => cancelTask(digest).catch(() => {});
  line.show = (job) => {
    digest = job.digest;
    text.textContent = over(job) ? "" : stateOf(job);
    text.className = `state ${job.state}`;
    stop.hidden = over(job);
  };
  return line;
}

/** Sets the address to a page with its settings, so that it can be shared; nothing is loaded. */
function address(path, settings, push = false) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(settings))
    for (const one of Array.isArray(value) ? value : [value]) if (one !== "" && one !== null && one !== undefined) query.append(name, one);
  const text = `${path}${query.size ? `?${query}` : ""}`;
  if (text !== location.pathname + location.search) history[push ? "pushState" : "replaceState"](null, "", text);
}

/** A text field with completions from a list. */
function makeInput(label, value, list, changed, attributes = {}) {
  const field = make("input", { value, list, spellcheck: "false", autocomplete: "off", "aria-label": label, ...attributes });
  field.addEventListener("input", () => changed(field.value));
  return field;
}
