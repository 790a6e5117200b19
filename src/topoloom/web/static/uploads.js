// Files that the reader sends to the server, or chooses from what it serves.

/** A file's name as the server accepts it. */
const uploadName = (name) => name.normalize("NFKD").replace(/[^A-Za-z0-9._+@-]+/g, "-").replace(/^[^A-Za-z0-9]+/, "").replace(/[.-]+$/, "").slice(-90) || "file";

/** Sends a file, or a text; resolves to its address. */
async function upload(name, content) {
  const { addresses } = await api(`/api/uploads?name=${encodeURIComponent(uploadName(name))}`, { method: "POST", body: content });
  return addresses[0];
}

/** The served files with these suffixes, by address. */
function useServedFiles(suffixes, version = 0) {
  const [files, setFiles] = useState([]);
  useEffect(() => {
    api("/api/folders").then((folders) => setFiles(folders.filter(({ kind }) => kind === "folder").flatMap(({ address, files: names }) => names.filter((name) => suffixes.some((suffix) => name.endsWith(suffix))).map((name) => `${address}/${name}`))), () => {});
  }, [version]);
  return files;
}

/** A choice of a served file, and a button that sends one; a file may also be dropped onto it. */
function FileChoice({ label, suffixes, value, changed, none }) {
  const [version, setVersion] = useState(0), [error, setError] = useState(null), [over, setOver] = useState(false), input = useRef();
  const files = useServedFiles(suffixes, version), known = value && !files.includes(value) ? [value, ...files] : files;
  const send = async (list) => {
    const all = [...list], main = all.find((file) => file.name.endsWith(".toml")) || all[0];
    try {
      for (const file of all) {
        const address = await upload(file.name, file);
        if (file === main) changed(address);
      }
      setError(null);
      setVersion(version + 1);
      announce(`${main.name} sent`);
    } catch (wrong) { setError(wrong); }
  };
  return html`<div class="drop ${over ? "over" : ""}" onDragOver=${(event) => { event.preventDefault(); setOver(true); }} onDragLeave=${() => setOver(false)} onDrop=${(event) => { event.preventDefault(); setOver(false); if (event.dataTransfer.files.length) send(event.dataTransfer.files); }}>
    <${Choice} label=${label} value=${value || ""} options=${[["", none], ...known.map((file) => [file, file])]} changed=${changed} />
    <input type="file" hidden multiple ref=${input} accept=${suffixes.join(",")} onChange=${(event) => { if (event.target.files.length) send(event.target.files); }} />
    <button type="button" onClick=${() => input.current.click()}>Send a file\u2026</button><small>or drop it here</small><${Wrong} error=${error} /></div>`;
}
