// Files that the user drops or chooses, sent to the server, which stores them as uploads/NAME.

/** Bytes of a request, of a file that is compressed first, and of files that are sent together. */
const MOST_SENT = 1e6, COMPRESSED = 400e3, TOGETHER = 600e3;
const FOLDERS_IN_FRONT = 2;

/** A file's path with the characters that the server stores, below the folder of the drop. */
function storedName(path) {
  const parts = path.split("/").filter(Boolean).map((part) => part.replace(/[^A-Za-z0-9._+@-]+/g, "_").replace(/^[^A-Za-z0-9]+/, "").slice(0, 60).replace(/[.-]+$/, "") || "file");
  return [...parts.slice(0, -1).slice(0, FOLDERS_IN_FRONT - 1), ...(parts.length > FOLDERS_IN_FRONT ? [parts.slice(FOLDERS_IN_FRONT - 1, -1).join("_").slice(0, 60)] : []), parts[parts.length - 1]].join("/");
}

/** A name for a drop: that of its folder or file, and digits over the names, sizes and dates of its files. */
function dropName(files) {
  let digest = 2166136261;
  for (const { path, file } of files)
    for (const letter of `${path} ${file.size} ${file.lastModified}\n`) digest = Math.imul(digest ^ letter.codePointAt(0), 16777619) >>> 0;
  const first = files[0].path.includes("/") ? files[0].path.split("/")[0] : files.length === 1 ? files[0].path.split(".")[0] : "files";
  return `${storedName(first).slice(0, 40)}-${digest.toString(16).padStart(8, "0")}`;
}

/** The files below a dropped entry of a file system. */
async function filesBelow(entry, within) {
  const path = `${within}${entry.name}`;
  if (entry.isFile) return [{ path, file: await new Promise((settle, fail) => entry.file(settle, fail)) }];
  const reader = entry.createReader(), inside = [];
  // A reader gives a hundred entries at a time.
  for (;;) {
    const some = await new Promise((settle, fail) => reader.readEntries(settle, fail));
    if (!some.length) break;
    inside.push(...some);
  }
  return (await Promise.all(inside.map((inner) => filesBelow(inner, `${path}/`)))).flat();
}

/** What was dropped, as { path, file }. */
async function droppedIn(transfer) {
  // All are taken at once: the list is empty as soon as this function waits. What is in no file system has no entry.
  const items = [...transfer.items].filter(({ kind }) => kind === "file").map((item) => [item.webkitGetAsEntry(), item.getAsFile()]);
  return (await Promise.all(items.map(([entry, file]) => (entry ? filesBelow(entry, "") : [{ path: file.name, file }])))).flat();
}

/** What was chosen in a field for files or for a folder. */
const chosenIn = (field) => [...field.files].map((file) => ({ path: file.webkitRelativePath || file.name, file }));

const compressed = async (file) => new Response(file.stream().pipeThrough(new CompressionStream("gzip"))).arrayBuffer();

/**
 * Sends files; resolves to { address, sent, skipped }: the folder's address, the addresses of files, and those that could not be
 * sent with the reason.
 * `progress` receives the number of files that are done.
 */
async function sendFiles(files, progress) {
  const skipped = [], sent = [], taken = new Set(), texts = new Map(), folder = dropName(files);
  let done = 0, size = 0;
  const post = (path, body) => api(path, { method: "POST", body });
  const flush = async () => {
    if (!texts.size) return;
    await post("/api/uploads", JSON.stringify({ files: Object.fromEntries(texts) }));
    sent.push(...[...texts.keys()].map((name) => `uploads/${name}`));
    texts.clear();
    size = 0;
  };
  // In one drop, the folder that was dropped is the folder of the upload.
  const common = files.every(({ path }) => path.split("/")[0] === files[0].path.split("/")[0]) && files[0].path.includes("/");
  for (const { path, file } of files) {
    progress(done++);
    if (path.split("/").some((part) => part.startsWith("."))) {
      skipped.push([path, "hidden files are not sent"]);
      continue;
    }
    let name = storedName(common ? path.split("/").slice(1).join("/") : path);
    while (taken.has(name)) name = name.replace(/(\.[^/]*)?$/, "_$1");
    taken.add(name);
    const large = file.size > COMPRESSED && !/\.gz$|\.xlsx$/i.test(name), content = large ? await compressed(file) : await file.arrayBuffer();
    if (content.byteLength > MOST_SENT) {
      skipped.push([path, "is larger than 1 MB, compressed; serve its folder: topoloom serve FOLDER"]);
      continue;
    }
    const stored = `${folder}/${name}${large ? ".gz" : ""}`;
    let text = null;
    try {
      if (!large && content.byteLength < TOGETHER / 2) text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(content);
    } catch { /* no text: sent as it is */ }
    try {
      if (text === null) {
        await post(`/api/uploads?name=${encodeURIComponent(stored)}`, content);
        sent.push(`uploads/${stored}`);
      } else {
        const length = JSON.stringify(text).length;
        if (size + length > TOGETHER) await flush();
        texts.set(stored, text);
        size += length;
      }
    } catch (error) {
      skipped.push([path, error.message]);
    }
  }
  await flush();
  progress(done);
  return { address: `uploads/${folder}`, sent, skipped };
}

/** Buttons that choose files or a folder; `chosen` receives the files. */
function FileButtons({ label, chosen, busy }) {
  const button = (text, folder) => {
    const field = useRef();
    return html`<button type="button" disabled=${busy} onClick=${() => field.current.click()}>${text}</button><input type="file" class="unseen" tabindex="-1" aria-label=${text} multiple=${!folder} webkitdirectory=${folder} ref=${field} onChange=${() => { chosen(chosenIn(field.current)); field.current.value = ""; }} />`;
  };
  return html`<span class="tools" role="group" aria-label=${label}>${button(`${label}: folder\u2026`, true)}${button(`${label}: files\u2026`, false)}</span>`;
}

/** Sending as a hook: { send, busy, report }; `sent` receives what `sendFiles` gives. */
function useSending(sent) {
  const [state, setState] = useState({ busy: false, text: "", skipped: [], error: null });
  const send = async (files) => {
    if (!files.length) return;
    const show = (done) => setState({ busy: true, text: `sending ${counted(files.length, "file")}: ${written(done, 0)} done`, skipped: [], error: null });
    show(0);
    try {
      const result = await sendFiles(files, show);
      setState({ busy: false, text: `${counted(result.sent.length, "file")} sent`, skipped: result.skipped, error: null });
      announce(`${counted(result.sent.length, "file")} sent`);
      if (result.sent.length) sent(result);
    } catch (error) {
      setState({ busy: false, text: "", skipped: [], error });
    }
  };
  const report = html`<${Wrong} error=${state.error} />${state.text ? html`<p class="quiet" role="status">${state.text}</p>` : null}
    ${state.skipped.length ? html`<ul class="wrong">${state.skipped.slice(0, 20).map(([name, why]) => html`<li>${name}: ${why}</li>`)}${state.skipped.length > 20 ? html`<li>and ${state.skipped.length - 20} more</li>` : null}</ul>` : null}`;
  return { send, busy: state.busy, report };
}
