// The first page: five questions, the requirement as a file, and the networks that answer it.
// The address has the digest of the check of the text, and whether it was designed: /?requirement=DIGEST&run=1.

function DesignPage({ query, go, catalogue }) {
  const wanted = query.get("requirement") || query.get("design") || "", runs = query.has("run") || query.has("design");
  const [toml, setToml] = useState(() => (draft().at === wanted ? draft().text : "")), [failure, setFailure] = useState(null), known = useRef(toml ? wanted : ""), settled = useSettled(toml, 300);
  useEffect(() => {
    if (wanted === known.current) return;
    known.current = wanted;
    if (wanted) api(`/api/tasks/${encodeURIComponent(wanted)}/requirement`).then(({ text }) => setToml(text), setFailure);
    else setToml("");
  }, [wanted]);
  const check = useCheck(settled, catalogue);
  // The address follows the text; a new text is a new design only when it is asked for. Back leads to the first page, and from a
  // machine file to the requirement that it was made from.
  useEffect(() => {
    if (!check.digest || check.text !== toml || check.digest === known.current) return;
    const push = !known.current || isMachine(toml) !== isMachine(draft().text);
    known.current = check.digest;
    keepDraft(known.current, toml);
    go("/", { requirement: check.digest, run: runs ? "1" : "" }, { push });
  }, [check.digest]);
  // A text without a digest, because it is no TOML yet, outlives a reload, too.
  useEffect(() => { if (toml && check.text === toml && !check.digest) keepDraft(known.current, toml); }, [check.text]);
  const start = (text) => { setFailure(null); setToml(text); };
  const example = (text) => { start(text); ready(text, catalogue).then((digest) => { known.current = digest; go("/", { requirement: digest, run: "1" }); }, setFailure); };
  if (!toml && !wanted) return html`<${Welcome} catalogue=${catalogue} start=${start} example=${example} /><${Wrong} error=${failure} />`;
  const set = (key, value) => setToml((text) => withKey(text, key, value)), setAll = (values) => setToml((text) => withKeys(text, values));
  const run = () => ready(toml, catalogue).then((digest) => { known.current = digest; go("/", { requirement: digest, run: "1" }); }, setFailure);
  const errors = check.text === toml ? check.errors : {};
  return html`<div class="designer"><div class="asked"><div class="head"><h1>Design a network</h1><button type="button" onClick=${() => { known.current = ""; setToml(""); keepDraft("", ""); go("/"); }}>Start again</button></div><${Wrong} error=${failure} />
      <${Questions} toml=${toml} set=${set} setAll=${setAll} replace=${setToml} errors=${errors} catalogue=${catalogue} requirement=${check.requirement} racks=${check.racks} />
      <${Assumed} toml=${toml} requirement=${check.requirement} />
      <div class="go"><button type="button" class="primary" id="run" disabled=${catalogue.read_only || !toml.trim()} onClick=${run}>Design</button><span class="quiet" role="status">${check.error ? check.error : check.text === toml && check.requirement ? "Ready." : "Checking\u2026"}</span></div>
      <${RequirementText} toml=${toml} setToml=${setToml} error=${check.text === toml ? check.error : ""} />
      <${AllSettings} toml=${toml} set=${set} errors=${errors} catalogue=${catalogue} /></div>
    <div class="answer">${runs ? html`<${Results} toml=${check.text} designed=${wanted} check=${check} go=${go} catalogue=${catalogue} />` : html`<div class="empty"><h2>Results</h2><p>Answer the questions, then press Design. Candidates appear here as they are measured.</p></div>`}</div></div>`;
}

/** The last text of this browser's tab, and the address's digest that it belongs to. */
const draft = () => { try { return JSON.parse(sessionStorage.getItem("requirement")) || {}; } catch { return {}; } };
const keepDraft = (at, text) => { try { sessionStorage.setItem("requirement", JSON.stringify({ at, text })); } catch { /* a browser that stores nothing */ } };

/** The first visit: what this is, and a design with one click. */
function Welcome({ catalogue, start, example }) {
  const [first, ...others] = catalogue.examples, last = draft(), titleOf = (toml) => tomlValue(toml, "title"), about = (toml) => (/^# (.*)$/m.exec(toml) || [])[1];
  const blank = (name) => {
    const { tables } = catalogue.purposes.find((one) => one.name === name), sold = catalogue.switches.find((one) => one.name === (name === "general" ? "SN4600C" : "QM9700"));
    start(withKeys("", { hosts: name === "ai-training" ? 64 : 200, rate_gbps: sold.rate_gbps, parts: sold.parts, prices: `uploads/${sold.quotes}.toml`, minimize: "cost_usd", shortlist: 3, minutes: 0.5, "switch.product": sold.name, ...flatKeys(tables), "floor.preset": "koibuchi-2013" }).trimStart());
  };
  return html`<div class="welcome"><h1>Design the network of a cluster</h1><p class="lead">Five answers, and topoloom measures every network that fits: cost, power, racks, throughput, failures.</p>
    ${last.at ? html`<p><a href=${href("/", { requirement: last.at })}>Continue with ${titleOf(last.text) || "the last requirement"}</a></p>` : null}
    <h2>What is it for?</h2><div class="starts">${catalogue.purposes.map(({ name, title, description }) => html`<button type="button" class="start" data-purpose=${name} disabled=${catalogue.read_only} onClick=${() => blank(name)}><b>${title}</b><span>${description}</span></button>`)}</div>
    <h2>Or look at an example</h2><div class="starts">${[first, ...others].map(({ name, toml }, at) => html`<button type="button" class="start ${at ? "" : "first"}" data-example=${name} disabled=${catalogue.read_only} onClick=${() => example(toml)}><b>${titleOf(toml)}</b><span>${about(toml)}</span></button>`)}</div>
    <h2>Or begin with one of these requirements, and change it</h2>${[["requirement", "One network"], ["machine", "Machines of several networks"]].map(([kind, heading]) => html`<h3>${heading}</h3><ul class="begin">${catalogue.starts.filter((one) => one.kind === kind).map(({ name, toml }) => html`<li><button type="button" data-start=${name} disabled=${catalogue.read_only} onClick=${() => start(toml)}>${titleOf(toml)}</button> <span class="quiet">${about(toml)}</span></li>`)}</ul>`)}
    <p class="quiet">You have a design already? Open it from <a href=${href("/folders")}>the folders</a>.</p></div>`;
}

/** The file, which can be edited, copied and saved. */
function RequirementText({ toml, setToml, error }) {
  const rows = Math.min(28, Math.max(10, toml.split("\n").length + 1));
  return html`<details class="file" open><summary>The requirement as a file</summary><textarea aria-label="requirement in TOML" spellcheck="false" rows=${rows} value=${toml} aria-invalid=${error ? "true" : null} onInput=${(event) => setToml(event.target.value)}></textarea>
    <div class="row"><button type="button" onClick=${() => save("requirement.toml", "application/toml", toml)}>Save</button><small>topoloom design requirement.toml -o design</small></div></details>`;
}

/** The example files that a text names, and those that these name. */
function exampleFiles(toml, catalogue) {
  const named = Object.keys(catalogue.files).filter((name) => toml.includes(`"uploads/${name}"`));
  return [...named, ...Object.keys(catalogue.files).filter((name) => !named.includes(name) && named.some((other) => catalogue.files[other].includes(`"${name}"`)))];
}

/** Sends the example files that a text needs, unless they are there; resolves to the digest of its check. */
const SENT = new Set();
async function ready(toml, catalogue) {
  for (const name of exampleFiles(toml, catalogue)) {
    if (catalogue.read_only || SENT.has(name)) continue;
    const folders = await api("/api/folders");
    if (!folders.some(({ address, files }) => address === "uploads" && files.includes(name))) await upload(name, catalogue.files[name]);
    SENT.add(name);
  }
  const job = await api("/api/tasks", { method: "POST", body: JSON.stringify({ operation: "requirement", arguments: { text: toml } }) });
  return job.digest;
}

/** The check of a text, as the command line reads it: { text, digest, requirement, error, errors by key }. */
function useCheck(toml, catalogue) {
  const [check, setCheck] = useState({ text: null, errors: {} });
  useEffect(() => {
    if (!toml.trim()) return undefined;
    let current = true;
    const digest = ready(toml, catalogue);
    digest.then(() => ask("requirement", { text: toml })).then(
      ({ result, job }) => current && setCheck({ text: toml, digest: job.digest, requirement: result.requirement, currency: result.currency, racks: result.racks, machine: result.machine, errors: {}, error: "" }),
      async (error) => {
        const known = await digest.catch(() => "");
        if (current) setCheck((earlier) => ({ ...earlier, text: toml, digest: known, error: error.message, errors: placedErrors(toml, error.message, catalogue) }));
      });
    return () => { current = false; };
  }, [toml]);
  return check;
}

/** The key that a message is about, by its line or its words. */
function placedErrors(toml, message, catalogue) {
  const line = (/^requirement:(\d+)/.exec(message) || [])[1], keys = catalogue.requirement.flatMap(({ table, fields }) => fields.map(({ name }) => (table ? `${table}.${name}` : name)));
  const quoted = /^(?:requirement: )?'([^']+)'/.exec(message), byLine = line ? keyAtLine(toml, Number(line)) : quoted ? (scanToml(toml).entries.find(({ value }) => value === quoted[1]) || { path: [] }).path.join(".") : "";
  const key = byLine || keys.find((each) => message.includes(each)) || (/`(\w+)`|: (\w+) is missing|^requirement: \[(\w+)\]/.exec(message) || []).slice(1).find(Boolean) || "";
  return key ? { [key]: message } : {};
}
