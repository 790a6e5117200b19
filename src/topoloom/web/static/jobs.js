// The queue: what waits, runs and is done; cancelled here, and said as a command.

function jobsPage(main, _query, catalogue) {
  const body = make("tbody"), wrong = makeWrong();
  main.append(make("h1", {}, "Jobs"), wrong, make("div", { class: "wide" }, make("table", { id: "jobs-table" }, make("thead", {}, make("tr", {}, ...["operation", "arguments", "state", "seconds", ""].map((name, at) => make("th", { scope: "col", class: at < 3 ? "text" : null }, name)))), body)));
  const rows = new Map();
  /** What is known of a task: where and when it ran, what it took, and how to run it by hand. */
  const tell = async (job, row) => {
    const beside = row.nextElementSibling;
    if (beside && beside.classList.contains("log")) { beside.remove(); return; }
    let known = {};
    try { known = await api(`/api/tasks/${job.digest}`); } catch { /* it was never begun */ }
    const facts = makeFacts([["asked for", new Date(1000 * job.at).toLocaleString()], ["ended", known.at], ["machine", known.host], ["version", known.version], ["begun", known.attempts && counted(known.attempts, "time")], ["seconds", known.seconds], ["memory", known.memory_mb ? `${written(known.memory_mb, 0)} MB` : ""], ["error", known.error]]);
    row.after(make("tr", { class: "log" }, make("td", { class: "text", colSpan: 5 }, facts, makeHow([job]))));
  };
  const rowOf = (job) => make("tr", { "data-digest": job.digest }, make("td", { class: "text" }, make("button", { type: "button", class: "chip", "aria-label": `what is known of this ${job.operation}`, onclick: (event) => tell(job, event.target.closest("tr")) }, job.operation)), make("td", { class: "text", title: job.command }, Object.entries(job.arguments).map(([name, value]) => `${name} ${typeof value === "object" ? JSON.stringify(value) : value}`).join(", ").slice(0, 300)),
    make("td", { class: "text" }, make("span", { class: `state ${job.state}` }, stateOf(job)), job.error ? make("div", { class: "wrong" }, job.error) : null), make("td", {}, job.seconds ? written(job.seconds, 2) : ""),
    make("td", {}, over(job) || catalogue.read_only ? "" : make("button", { type: "button", onclick: () => cancelTask(job.digest).catch((error) => showWrong(wrong, error)) }, "cancel")));
  const put = (job) => {
    const row = rowOf(job), old = rows.get(job.digest);
    if (old && old.nextElementSibling && old.nextElementSibling.classList.contains("log")) old.nextElementSibling.remove();
    if (old) old.replaceWith(row);
    else body.prepend(row);
    rows.set(job.digest, row);
  };
  api("/api/tasks").then((jobs) => { for (const job of jobs.reverse()) put(job); if (!jobs.length) main.append(make("p", { class: "quiet" }, "Nothing was asked for yet.")); }).catch((error) => showWrong(wrong, error));
  ANYONE.add(put);
  return () => ANYONE.delete(put);
}
