// Tasks are asked for, and their records come back: at once where they are known, else when the server tells that they are done.

class Refused extends Error {}

async function api(path, options = {}) {
  let answer;
  try {
    answer = await fetch(path, options);
  } catch {
    throw new Refused("the server does not answer; start topoloom serve again");
  }
  const text = await answer.text();
  let content = null;
  try {
    content = JSON.parse(text);
  } catch {
    throw new Refused(text.trim() || `the server says ${answer.status}`);
  }
  if (!answer.ok) throw new Refused(content.error || `the server says ${answer.status}`);
  return content;
}

const WAITING = new Map(); // digest -> functions that are told each change
const ANYONE = new Set(); // told every change
let connected = false;

function listen() {
  const socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/api/events`);
  socket.onopen = () => { connected = true; };
  socket.onmessage = (event) => heard(JSON.parse(event.data));
  socket.onclose = () => {
    connected = false;
    setTimeout(listen, 2000);
  };
}

function heard(job) {
  for (const tell of WAITING.get(job.digest) || []) tell(job);
  for (const tell of ANYONE) tell(job);
}

const over = (job) => !["waiting", "running"].includes(job.state);

/** Asks for a task; `progress` is told its job whenever that changes. The record, when it is done. */
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
    const tells = WAITING.get(digest) || new Set();
    WAITING.set(digest, tells);
    const tell = (job) => {
      progress(job);
      if (over(job)) finish();
    };
    const finish = () => {
      clearInterval(looking);
      tells.delete(tell);
      if (!tells.size) WAITING.delete(digest);
      settle();
    };
    // What changed before we listened, or while nobody was connected.
    const looking = setInterval(async () => {
      try {
        const found = await api(`/api/tasks/${digest}`);
        if (found.task || over(found)) finish();
      } catch { /* the next look may succeed */ }
    }, connected ? 3000 : 700);
    tells.add(tell);
  });
}

const cancelTask = (digest) => api(`/api/tasks/${digest}`, { method: "DELETE" });
