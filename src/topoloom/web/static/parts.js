// Shared parts of the pages: components of Preact, tasks as hooks, fields, messages, progress, equivalent commands.

const { html, render, useState, useEffect, useMemo, useRef } = htmPreact;

/** Shows an element that `make` or `draw` made. */
function Made({ element, ...attributes }) {
  const box = useRef();
  useEffect(() => { box.current.replaceChildren(...(element ? [element] : [])); }, [element]);
  return html`<div ref=${box} ...${attributes}></div>`;
}

/** One sentence about what is wrong; nothing without an error. */
const Wrong = ({ error }) => (error ? html`<p class="wrong" role="alert">${error.message || String(error)}</p>` : null);

/** Names and values; values that are not known are omitted. */
function Facts({ pairs }) {
  const shown = pairs.filter(([, value]) => value !== null && value !== undefined && value !== "");
  return html`<dl class="facts">${shown.map(([name, value]) => html`<dt>${name}</dt><dd>${typeof value === "number" ? shortly(value) : value}</dd>`)}</dl>`;
}

/** The commands and the Python code that give the same result. */
function Commands({ jobs }) {
  const commands = jobs.filter(Boolean).map((job) => job.command).filter(Boolean), python = jobs.filter(Boolean).map((job) => job.python);
  if (!python.length) return null;
  return html`<details class="how"><summary>The same result by command line and Python</summary>
    ${commands.length ? html`<${Copied} label="command" text=${commands.join("\n")} />` : null}<${Copied} label="python" text=${python.join("\n")} /></details>`;
}

/** A text with a button that copies it. */
function Copied({ label, text }) {
  const [copied, setCopied] = useState(false);
  const copy = () => navigator.clipboard.writeText(text).then(() => { setCopied(true); announce("copied"); }, () => announce("the browser does not allow copying"));
  return html`<div class="copied"><pre class=${label} tabindex="0">${text}</pre><button type="button" onClick=${copy}>${copied ? "copied" : "copy"}</button></div>`;
}

function stateOf(job, more = 0) {
  const since = job.begun ? Math.max(0, job.now - job.begun) + more : 0, expected = Math.max(1, Math.round(job.expected_s || 0));
  if (job.state === "running") return `running, ${written(since, 0)} s${job.expected_s ? (since > expected ? `, longer than the expected ${shortly(expected)} s` : ` of about ${shortly(expected)} s`) : ""}`;
  return job.state;
}

/** The state of a task that is not over, with a button that cancels it. */
function Progress({ job }) {
  // The server tells of a task when its state changes; the seconds in between are the browser's.
  const [seconds, setSeconds] = useState(0), state = job ? `${job.digest} ${job.now}` : "";
  useEffect(() => {
    setSeconds(0);
    if (!job || over(job)) return undefined;
    const timer = setInterval(() => setSeconds((now) => now + 1), 1000);
    return () => clearInterval(timer);
  }, [state]);
  if (!job || over(job)) return null;
  return html`<p class="progress" role="status"><span class="state ${job.state}">${stateOf(job, seconds)}</span> <button type="button" onClick=${() => cancelTask(job.digest).catch(() => {})}>cancel</button></p>`;
}

/**
 * A task as a hook: { result, record, job, error }. The task is requested again when its arguments change; null requests nothing.
 * The last result stays until the next one arrives, so that a view does not flicker.
 */
function useTask(operation, args) {
  const key = args === null ? "" : JSON.stringify([operation, args]);
  const [task, setTask] = useState({ key: "", result: null, job: null, error: null });
  useEffect(() => {
    if (!key) return undefined;
    let current = true;
    setTask((earlier) => ({ ...earlier, error: null, busy: true }));
    const progress = (job) => current && setTask((earlier) => ({ ...earlier, running: job }));
    ask(operation, args, progress).then(
      ({ result, record, job }) => current && setTask({ key, result, record, job, error: null }),
      (error) => current && setTask({ key, result: null, job: null, error }));
    return () => { current = false; };
  }, [key]);
  return { ...task, fresh: task.key === key && !task.busy };
}

/** A view of one task: its progress, its error, or what `show` makes of the result; and the commands below. */
function Task({ operation, args, show }) {
  const task = useTask(operation, args);
  return html`<${Progress} job=${task.running} /><${Wrong} error=${task.error} />${task.result ? show(task.result, task) : null}<${Commands} jobs=${[task.job]} />`;
}

/** Delays `act` until no further call came for `wait` milliseconds. */
function later(act, wait = 250) {
  let timer = null;
  return (...args) => {
    clearTimeout(timer);
    timer = setTimeout(() => act(...args), wait);
  };
}

/** The latest value that did not change for `wait` milliseconds. */
function useSettled(value, wait = 400) {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), wait);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}

function save(name, type, text) {
  const link = make("a", { href: URL.createObjectURL(new Blob([text], { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/** A labelled field; `hint` says what may be entered, `error` what is wrong with it. */
function Field({ label, unit, hint, error, children }) {
  return html`<label class="field"><span class="label">${label}${unit ? html` <span class="unit">${unit}</span>` : null}</span>${children}${hint ? html`<small>${hint}</small>` : null}${error ? html`<small class="wrong" role="alert">${error}</small>` : null}</label>`;
}

/** A select with options [value, text]. */
function Choice({ label, options, value, changed, ...attributes }) {
  return html`<select aria-label=${label} value=${value} onChange=${(event) => changed(event.target.value)} ...${attributes}>${options.map(([each, text]) => html`<option value=${each} selected=${each === value}>${text}</option>`)}</select>`;
}

/** A table: `columns` are { key, title, text }, rows are objects or lists of cells. */
function Rows({ columns, rows, id, caption, best = -1 }) {
  return html`<div class="wide" tabindex="0" role="region" aria-label=${caption}><table id=${id}><thead><tr>${columns.map((column) => html`<th scope="col" class=${column.text ? "text" : null}>${column.title}</th>`)}</tr></thead>
    <tbody>${rows.map((row, at) => html`<tr class=${at === best ? "best" : null}>${columns.map((column) => { const value = row[column.key]; return html`<td class=${column.text ? "text" : null}>${typeof value === "number" ? written(value, column.digits ?? null) : value ?? ""}</td>`; })}</tr>`)}</tbody></table></div>`;
}

/** Colours of the style sheet, for canvases: `colourOf("--ink")`. */
const colourOf = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** Calls `changed` when the reader switches between light and dark colours; returns a function that stops it. */
function whenDarkChanges(changed) {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  dark.addEventListener("change", changed);
  return () => dark.removeEventListener("change", changed);
}
