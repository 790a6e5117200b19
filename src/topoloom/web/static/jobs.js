// The queue: waiting, running and finished tasks; each can be cancelled, and is shown as a command.

function jobsPage(main, _query, catalogue) {
  const body = make("tbody"), wrong = makeWrong();
  main.append(make("h1", {}, "Jobs"), wrong, make("div", { class: "wide" }, make("table", { id: "jobs-table" }, make("thead", {}, make("tr", {}, ...["operation", "arguments", "state", "seconds", ""].map((name, at) => make("th", { scope: "col", class: at < 3 ? "text" : null }, name)))), body)));
  const rows = new Map();
  /** The details of a task: where and when it ran, its time and memory, and the command for it. */
  const toggleDetails = async (job, row) => {
    const details = row.nextElementSibling;
    if (details && details.classList.contains("log")) { details.remove(); return; }
    let record = {};
    try { record = await api(`/api/tasks/${job.digest}`); } catch { /* it has not started */ }
    const facts = makeFacts([["requested", new Date(1000 * job.at).toLocaleString()], ["ended", record.at], ["machine", record.host], ["version", record.version], ["attempts", record.attempts && counted(record.attempts, "time")], ["seconds", record.seconds], ["memory", record.memory_mb ? `${written(record.memory_mb, 0)} MB` : ""], ["error", record.error]]);
    row.after(make("tr", { class: "log" }, make("td", { class: "text", colSpan: 5 }, facts, makeHow([job]))));
  };
  const rowOf = (job) => make("tr", { "data-digest": job.digest }, make("td", { class: "text" }, make("button", { type: "button", class: "chip", "aria-label": `details of this ${job.operation}`, onclick: (event) => toggleDetails(job, event.target.closest("tr")) }, job.operation)), make("td", { class: "text", title: job.command }, Object.entries(job.arguments).map(([name, value]) => `${name} ${typeof value === "object" ? JSON.stringify(value) : value}`).join(", ").slice(0, 300)),
    make("td", { class: "text" }, make("span", { class: `state ${job.state}` }, stateOf(job)), job.error ? make("div", { class: "wrong" }, job.error) : null), make("td", {}, job.seconds ? written(job.seconds, 2) : ""),
    make("td", {}, over(job) || catalogue.read_only ? "" : make("button", { type: "button", onclick: () => cancelTask(job.digest).catch((error) => showWrong(wrong, error)) }, "cancel")));
  const put = (job) => {
    const row = rowOf(job), old = rows.get(job.digest);
    if (old && old.nextElementSibling && old.nextElementSibling.classList.contains("log")) old.nextElementSibling.remove();
    if (old) old.replaceWith(row);
    else body.prepend(row);
    rows.set(job.digest, row);
  };
  api("/api/tasks").then((jobs) => { for (const job of jobs.reverse()) put(job); if (!jobs.length) main.append(make("p", { class: "quiet" }, "No task was requested yet.")); }).catch((error) => showWrong(wrong, error));
  ANYONE.add(put);
  return () => ANYONE.delete(put);
}
