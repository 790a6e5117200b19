// The first page: five questions, the requirement as a file, and the networks that answer it.
// The address has the digest of the check of the text, and whether it was designed: /?requirement=DIGEST&run=1.

function DesignPage({ query, go, catalogue }) {
  const wanted = query.get("requirement") || query.get("design") || "", runs = query.has("run") || query.has("design");
  const [toml, setToml] = useState(""), [failure, setFailure] = useState(null), known = useRef(""), settled = useSettled(toml, 300);
  useEffect(() => {
    if (!wanted || wanted === known.current) return;
    known.current = wanted;
    api(`/api/tasks/${encodeURIComponent(wanted)}/requirement`).then(({ text }) => setToml(text), setFailure);
  }, [wanted]);
  const check = useCheck(settled, catalogue);
  // The address follows the text; a new text is a new design only when it is asked for.
  useEffect(() => {
    if (!check.digest || check.text !== toml || check.digest === known.current) return;
    known.current = check.digest;
    go("/", { requirement: check.digest, run: runs ? "1" : "" }, { push: false });
  }, [check.digest]);
  const start = (text) => { setFailure(null); setToml(text); };
  const example = (text) => { start(text); ready(text, catalogue).then((digest) => { known.current = digest; go("/", { requirement: digest, run: "1" }); }, setFailure); };
  if (!toml && !wanted) return html`<${Welcome} catalogue=${catalogue} start=${start} example=${example} /><${Wrong} error=${failure} />`;
  const set = (key, value) => setToml((text) => withKey(text, key, value)), setAll = (values) => setToml((text) => withKeys(text, values));
  const run = () => ready(toml, catalogue).then((digest) => { known.current = digest; go("/", { requirement: digest, run: "1" }); }, setFailure);
  const errors = check.text === toml ? check.errors : {};
  return html`<div class="designer"><div class="asked"><div class="head"><h1>Design a network</h1><button type="button" onClick=${() => { known.current = ""; setToml(""); go("/"); }}>Start again</button></div><${Wrong} error=${failure} />
      <${Questions} toml=${toml} set=${set} setAll=${setAll} replace=${setToml} errors=${errors} catalogue=${catalogue} />
      <${Assumed} toml=${toml} requirement=${check.requirement} />
      <div class="go"><button type="button" class="primary" id="run" disabled=${catalogue.read_only || !toml.trim()} onClick=${run}>Design</button><span class="quiet" role="status">${check.error ? check.error : check.text === toml && check.requirement ? "Ready." : "Checking\u2026"}</span></div>
      <${RequirementText} toml=${toml} setToml=${setToml} error=${check.text === toml ? check.error : ""} />
      <${AllSettings} toml=${toml} set=${set} errors=${errors} catalogue=${catalogue} /></div>
    <div class="answer">${runs ? html`<${Results} toml=${check.text} designed=${wanted} check=${check} go=${go} catalogue=${catalogue} />` : html`<div class="empty"><h2>Results</h2><p>Answer the questions, then press Design. Candidates appear here as they are measured.</p></div>`}</div></div>`;
}

/** The first visit: what this is, and a design with one click. */
function Welcome({ catalogue, start, example }) {
  const [first, ...others] = catalogue.examples, titleOf = (toml) => tomlValue(toml, "title"), about = (toml) => (/^# (.*)$/m.exec(toml) || [])[1];
  const blank = (name) => {
    const { tables } = catalogue.purposes.find((one) => one.name === name), sold = catalogue.switches.find((one) => one.name === (name === "general" ? "SN4600C" : "QM9700"));
    start(withKeys("", { hosts: name === "ai-training" ? 64 : 200, rate_gbps: sold.rate_gbps, parts: sold.parts, prices: `uploads/${sold.quotes}.toml`, minimize: "cost_usd", shortlist: 3, minutes: 0.5, "switch.product": sold.name, ...flatKeys(tables), "floor.preset": "koibuchi-2013" }).trimStart());
  };
  return html`<div class="welcome"><h1>Design the network of a cluster</h1><p class="lead">Five answers, and topoloom measures every network that fits: cost, power, racks, throughput, failures.</p>
    <h2>What is it for?</h2><div class="starts">${catalogue.purposes.map(({ name, title, description }) => html`<button type="button" class="start" data-purpose=${name} disabled=${catalogue.read_only} onClick=${() => blank(name)}><b>${title}</b><span>${description}</span></button>`)}</div>
    <h2>Or look at an example</h2><div class="starts">${[first, ...others].map(({ name, toml }, at) => html`<button type="button" class="start ${at ? "" : "first"}" data-example=${name} disabled=${catalogue.read_only} onClick=${() => example(toml)}><b>${titleOf(toml)}</b><span>${about(toml)}</span></button>`)}</div>
    <p class="quiet">You have a design already? Open it from <a href=${href("/folders")}>the folders</a>.</p></div>`;
}

/** The file, which can be edited, copied and saved. */
function RequirementText({ toml, setToml, error }) {
  const rows = Math.min(28, Math.max(10, toml.split("\n").length + 1));
  return html`<details class="file" open><summary>The requirement as a file</summary><textarea aria-label="requirement in TOML" spellcheck="false" rows=${rows} value=${toml} aria-invalid=${error ? "true" : null} onInput=${(event) => setToml(event.target.value)}></textarea>
    <div class="row"><button type="button" onClick=${() => save("requirement.toml", "application/toml", toml)}>Save</button><small>topoloom design requirement.toml -o design</small></div></details>`;
}

/** Sends the made-up quotes that a text names, unless they are there; resolves to the digest of its check. */
const SENT = new Set();
async function ready(toml, catalogue) {
  for (const name of Object.keys(catalogue.quotes)) {
    if (catalogue.read_only || SENT.has(name) || !toml.includes(`"uploads/${name}.toml"`)) continue;
    const folders = await api("/api/folders");
    if (!folders.some(({ address, files }) => address === "uploads" && files.includes(`${name}.toml`))) await upload(`${name}.toml`, catalogue.quotes[name]);
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
      ({ result, job }) => current && setCheck({ text: toml, digest: job.digest, requirement: result.requirement, currency: result.currency, machine: result.machine, errors: {}, error: "" }),
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
  const byLine = line ? keyAtLine(toml, Number(line)) : "";
  const key = byLine || keys.find((each) => message.includes(each)) || (/`(\w+)`|: (\w+) is missing/.exec(message) || []).slice(1).find(Boolean) || "";
  return key ? { [key]: message } : {};
}
