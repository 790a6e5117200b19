// Requests a task and returns its record: at once if it is stored, else when the server reports that the task has ended.
// In a static site (`window.TOPOLOOM_SITE`) the records were computed when it was written, and are read from its files.

const SITE = window.TOPOLOOM_SITE || null;
const READ_ONLY_SITE = SITE !== null;

class Refused extends Error {}

async function api(path, options = {}) {
  if (SITE) return SITE.answer(path, options);
  let answer;
  try {
    answer = await fetch(path, options);
  } catch {
    throw new Refused("the server does not answer; restart topoloom serve");
  }
  const text = await answer.text();
  let content = null;
  try {
    content = JSON.parse(text);
  } catch {
    throw new Refused(text.trim() || `the server answered with status ${answer.status}`);
  }
  if (!answer.ok) throw new Refused(content.error || `the server answered with status ${answer.status}`);
  return content;
}

const WAITING = new Map(); // digest -> functions to call at each change
const ANYONE = new Set(); // functions to call at every change of any task
let connected = false;

function listen() {
  if (SITE) return;
  const socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/api/events`);
  socket.onopen = () => { connected = true; };
  socket.onmessage = (event) => notify(JSON.parse(event.data));
  socket.onclose = () => {
    connected = false;
    setTimeout(listen, 2000);
  };
}

function notify(job) {
  for (const listener of WAITING.get(job.digest) || []) listener(job);
  for (const listener of ANYONE) listener(job);
}

const over = (job) => !["waiting", "running"].includes(job.state);

/** Requests a task; `progress` receives its job at each change. Resolves to the record when the task is done. */
async function ask(operation, args, progress = () => {}) {
  const job = await api("/api/tasks", { method: "POST", body: JSON.stringify({ operation, arguments: args }) });
  progress(job);
  if (!over(job)) await ended(job.digest, progress);
  const record = await api(`/api/tasks/${job.digest}`);
  progress({ ...job, state: record.state });
  if (record.state !== "done") throw new Refused(record.error || `the task was ${record.state}`);
  return { job, record, result: record.result };
}

function ended(digest, progress) {
  return new Promise((settle) => {
    const listeners = WAITING.get(digest) || new Set();
    WAITING.set(digest, listeners);
    const listener = (job) => {
      progress(job);
      if (over(job)) finish();
    };
    const finish = () => {
      clearInterval(looking);
      listeners.delete(listener);
      if (!listeners.size) WAITING.delete(digest);
      settle();
    };
    // Polling finds changes from before this listener, or while the socket was closed.
    const looking = setInterval(async () => {
      try {
        const state = await api(`/api/tasks/${digest}`);
        if (state.task || over(state)) finish();
      } catch { /* the next poll may succeed */ }
    }, connected ? 3000 : 700);
    listeners.add(listener);
  });
}

const THIS_PAGE = Math.random().toString(36).slice(2);

/** The result of a task that is neither listed nor kept; null where a newer one of this page took its place. */
async function askPreview(operation, args) {
  const record = await api("/api/previews", { method: "POST", body: JSON.stringify({ operation, arguments: args, page: THIS_PAGE }) });
  if (record.state === "failed") throw new Refused(record.error);
  return record.state === "done" ? record.result : null;
}

const cancelTask = (digest) => api(`/api/tasks/${digest}`, { method: "DELETE" });
