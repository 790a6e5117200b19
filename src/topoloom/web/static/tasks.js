// The queue: waiting, running and finished tasks; each can be cancelled, and is shown as a command.

const STATES = ["running", "waiting", "done", "failed", "cancelled"];
const MOST_TASKS = 500;

function TasksPage({ query, go, catalogue }) {
  const [jobs, setJobs] = useState(null), [error, setError] = useState(null), state = query.get("state") || "", opened = query.get("task") || "";
  useEffect(() => {
    const put = (job) => setJobs((earlier) => [job, ...(earlier || []).filter(({ digest }) => digest !== job.digest)].sort((a, b) => b.at - a.at).slice(0, MOST_TASKS));
    api("/api/tasks").then((all) => setJobs(all.sort((a, b) => b.at - a.at)), setError);
    ANYONE.add(put);
    return () => ANYONE.delete(put);
  }, []);
  const change = (settings) => go("/tasks", { state, task: opened, ...settings }, { push: false });
  const shown = (jobs || []).filter((job) => !state || job.state === state);
  return html`<h1>Tasks</h1><${Wrong} error=${error} />
    <div class="tools"><label class="pick"><b>state</b><${Choice} label="state" value=${state} changed=${(value) => change({ state: value })} options=${[["", "all"], ...STATES.map((name) => [name, name])]} /></label></div>
    ${jobs && !shown.length ? html`<p class="quiet">${jobs.length ? `No task is ${state}.` : "No task was requested yet."}</p>` : null}
    ${shown.length ? html`<div class="wide" tabindex="0" role="region" aria-label="tasks"><table id="tasks-table"><thead><tr>${["operation", "arguments", "state"].map((name) => html`<th scope="col" class="text">${name}</th>`)}<th scope="col">seconds</th><th scope="col" class="text">action</th></tr></thead>
      <tbody>${shown.map((job) => html`<${TaskRow} key=${job.digest} job=${job} open=${opened === job.digest} toggle=${() => change({ task: opened === job.digest ? "" : job.digest })} read_only=${catalogue.read_only} failed=${setError} />`)}</tbody></table></div>` : null}`;
}

function TaskRow({ job, open, toggle, read_only, failed }) {
  const words = Object.entries(job.arguments).map(([name, value]) => `${name} ${typeof value === "object" ? JSON.stringify(value) : value}`).join(", ").slice(0, 300);
  return html`<tr data-digest=${job.digest}><td class="text"><button type="button" class="chip" aria-expanded=${String(open)} onClick=${toggle}>${job.operation}</button></td><td class="text">${words}</td>
    <td class="text"><span class="state ${job.state}">${stateOf(job)}</span>${job.error ? html`<div class="wrong">${job.error}</div>` : null}</td><td>${job.seconds ? written(job.seconds, 2) : ""}</td>
    <td class="text">${over(job) || read_only ? null : html`<button type="button" onClick=${() => cancelTask(job.digest).catch(failed)}>cancel</button>`}</td></tr>
    ${open ? html`<tr class="log"><td class="text" colspan="5"><${TaskDetails} job=${job} /></td></tr>` : null}`;
}

/** Where and when a task ran, its time and memory, and the command for it. */
function TaskDetails({ job }) {
  const [record, setRecord] = useState({});
  useEffect(() => { api(`/api/tasks/${job.digest}`).then(setRecord, () => {}); }, [job.digest, job.state]);
  return html`<${Facts} pairs=${[["requested", new Date(1000 * job.at).toLocaleString()], ["ended", record.task ? record.at : null], ["machine", record.host], ["version", record.version], ["attempts", record.attempts && counted(record.attempts, "time")], ["seconds", record.seconds], ["memory", record.memory_mb ? `${written(record.memory_mb, 0)} MB` : ""], ["error", record.error]]} /><${Commands} jobs=${[job]} />`;
}
