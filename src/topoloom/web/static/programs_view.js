// Programs: MPI and AI programs and collectives on a network, compared over placements, engines, simulators and networks.

const PLACEMENTS = ["linear", "random", "rack", "optimised"];
const COLLECTIVE = "least-time";
/** Links in the list of the fullest. */
const MOST_LINKS = 10;

/** The runs in an address; those that are no tables are omitted. */
const runsIn = (query) => query.getAll("run").flatMap((text) => { try { const run = JSON.parse(text); return run && typeof run === "object" && !Array.isArray(run) ? [run] : []; } catch { return []; } });

/** The task of a run: the arguments of app or of collective; without `topology`, on this network. */
const runTask = (source, { kind, ...args }) => ({ operation: kind === COLLECTIVE ? "collective" : "app", args: { topology: source, ...args } });

const runName = ({ kind, topology, app, operation, bytes, algorithm, ranks, placement, engine, simulator, preset, set }) => [kind === COLLECTIVE ? `${operation || "allreduce"} with its least time` : app, bytes ? `${written(bytes, 0)} bytes` : "", algorithm || "", ranks ? counted(ranks, "rank") : "", placement || "", engine || "", simulator || "", preset || "", set ? Object.entries(set).map(([key, value]) => `${key}=${value}`).join(" ") : "", topology ? `on ${topology}` : ""].filter(Boolean).join(", ");

function ProgramsView({ source, query, go, catalogue }) {
  const runs = runsIn(query), tasks = runs.map((run) => runTask(source, run)), { jobs, errors } = useTasks(tasks);
  const change = (settings) => go("/network", { source, view: "programs", run: runs.map((run) => JSON.stringify(run)), show: query.get("show") || "", ...settings });
  const put = (list) => change({ run: list.map((run) => JSON.stringify(run)), show: "" });
  const done = jobs.filter((job) => job.record).sort((one, other) => one.place - other.place);
  const loaded = done.filter((job) => job.record.result.link_bytes), shown = loaded.find((job) => String(job.place + 1) === query.get("show")) || loaded[0];
  return html`<${ProgramForm} catalogue=${catalogue} add=${(run) => put([...runs, run])} />
    ${runs.length ? html`<div class="chips" role="group" aria-label="runs">${runs.map((run, at) => html`<button type="button" class="chip" aria-label=${`remove run ${at + 1}: ${runName(run)}`} onClick=${() => put(runs.filter((_, number) => number !== at))}>${at + 1}: ${runName(run)} \u00d7</button>`)}</div>`
      : html`<p>No program yet. Run one, then the same by another engine, placement or simulator, or on another network: they stand side by side.</p>`}
    <${TasksProgress} jobs=${jobs} count=${tasks.length} of="run" />${errors.map((error) => html`<${Wrong} error=${error} />`)}
    ${done.length ? html`<${RunsCompared} done=${done} runs=${runs} /><div class="tools"><button type="button" id="csv" onClick=${() => save("programs.csv", "text/csv", csvOf(done.map(({ record }) => ({ ...record.task.arguments, ...record.row }))))}>CSV</button></div>` : null}
    ${shown ? html`<${FullestLinks} key=${shown.digest} job=${shown} loaded=${loaded} runs=${runs} choose=${(place) => change({ show: place })} />` : null}
    <${Commands} jobs=${jobs} />`;
}

/** What is run next: a program with its parameters, ranks, their placement, engine, simulator, machine. */
function ProgramForm({ catalogue, add }) {
  const [name, setName] = useState("allreduce"), [values, setValues] = useState({}), [common, setCommon] = useState({ simulator: "flows" });
  const program = catalogue.applications.find((each) => each.name === name), value = (key) => values[key] || "", put = (key) => (text) => setValues({ ...values, [key]: text });
  const send = (event) => {
    event.preventDefault();
    const rest = Object.fromEntries(Object.entries(common).filter(([key, text]) => text && key !== "set"));
    if (rest.ranks) rest.ranks = Number(rest.ranks);
    const settings = (common.set || "").split(",").map((part) => part.split("=").map((word) => word.trim())).filter(([key]) => key);
    if (settings.length) rest.set = Object.fromEntries(settings.map(([key, text = ""]) => [key, text]));
    const given = Object.entries(values).filter(([, text]) => text !== "");
    if (program) add({ app: `${name}${given.length ? `:${given.map(([key, text]) => `${key}=${text}`).join(",")}` : ""}`, ...rest });
    else add({ kind: COLLECTIVE, ...Object.fromEntries(given.map(([key, text]) => [key, key === "bytes" ? Number(text) : text])), ...rest });
  };
  const text = (key, label, more = {}) => html`<${Field} label=${label} hint=${more.hint} unit=${more.unit}><input list=${more.list} type=${more.type || "text"} min=${more.min} value=${common[key] || ""} spellcheck="false" autocomplete="off" onInput=${(event) => setCommon({ ...common, [key]: event.target.value })} /><//>`;
  const choice = (key, label, options, hint) => html`<${Field} label=${label} hint=${hint}><${Choice} label=${label} options=${options} value=${common[key] || ""} changed=${(chosen) => setCommon({ ...common, [key]: chosen })} /><//>`;
  const simulators = [["", program ? "SimGrid" : "flows"], ...Object.keys(catalogue.simulators).filter((each) => each !== (program ? "simgrid" : "flows")).map((each) => [each, each])];
  return html`<form class="form" id="program-form" onSubmit=${send}>
    <${Field} label="program" hint=${program ? program.words : "the least time of a collective by any algorithm, and the time of a schedule compared with it"}><${Choice} label="program" id="program" options=${[[COLLECTIVE, "a collective with its least time"], ...catalogue.applications.map((each) => [each.name, each.name])]} value=${name} changed=${(chosen) => { setName(chosen); setValues({}); }} /><//>
    ${program ? program.parameters.map((each) => html`<${Field} key=${`${name} ${each.name}`} label=${each.name} hint=${`${each.words}; ${each.accepts}`}><input name=${each.name} value=${value(each.name)} required=${each.required} placeholder=${each.default} spellcheck="false" autocomplete="off" onInput=${(event) => put(each.name)(event.target.value)} /><//>`)
      : html`<${Field} label="operation"><${Choice} label="operation" options=${catalogue.collectives.operation.map((each) => [each, each])} value=${value("operation") || "allreduce"} changed=${put("operation")} /><//>
        <${Field} label="data" unit="bytes"><input name="bytes" type="number" min="0" value=${value("bytes")} placeholder="67108864" onInput=${(event) => put("bytes")(event.target.value)} /><//>
        <${Field} label="algorithm"><${Choice} label="algorithm" options=${[["", "the fitting one"], ...catalogue.collectives.algorithm.map((each) => [each, each])]} value=${value("algorithm")} changed=${put("algorithm")} /><//>`}
    ${text("ranks", "ranks", { type: "number", min: 1, hint: "one per host if empty" })}${text("placement", "placement", { list: "placements", hint: "linear if empty; file:FOLDER/NAME for your own" })}<datalist id="placements">${PLACEMENTS.map((each) => html`<option value=${each} />`)}</datalist>
    ${choice("engine", "engine", [["", "the network's, else the fitting one"], ...catalogue.engines.map((each) => [each, each])])}${choice("simulator", "simulator", simulators, catalogue.simulators[common.simulator || (program ? "simgrid" : "flows")])}
    ${choice("preset", "machine", [["", "truong-2016"], ...catalogue.machine_presets.filter((each) => each !== "truong-2016").map((each) => [each, each])])}${text("set", "settings", { hint: "of the machine: rate_gbps=400, switch_ns=100" })}${text("topology", "another network", { hint: "this one if empty; a spec or a served folder" })}
    <div><button type="submit" class="primary" id="run-program">Run</button></div></form>`;
}

/** Values of a row that are known, as the report's table takes them. */
const rowOf = (label, unit, better, decimals, values) => ({ label, unit, better, decimals, values: values.map((value) => (typeof value === "number" ? { value } : value ? { value } : null)) });

/** Seconds of several runs in one unit: [values, unit]. */
function inUnit(seconds) {
  const most = Math.max(0, ...seconds.filter((each) => typeof each === "number")), [factor, unit] = most < 1e-3 ? [1e6, "\u00b5s"] : most < 1 ? [1e3, "ms"] : [1, "s"];
  return [seconds.map((each) => (typeof each === "number" ? each * factor : null)), unit];
}

/** The runs side by side: times, the least time, parts of the program, communication, links. */
function RunsCompared({ done, runs }) {
  const results = done.map(({ record }) => record.result), of = (get) => results.map((result) => { const value = get(result); return value === undefined ? null : value; });
  const time = (label, get, better = "low") => { const [values, unit] = inUnit(of(get)); return rowOf(label, unit, better, 3, values); };
  const shares = (label, get, better) => rowOf(label, "%", better, 2, of(get).map((each) => (typeof each === "number" ? 100 * each : null)));
  const bound = (result) => (typeof result.bound === "object" && result.bound ? result.bound.seconds : result.bound_s), reported = [...new Set(results.flatMap((result) => Object.keys(result.results || {})))];
  const amounts = { "B/s": [1e-9, "GB/s"], "flop/s": [1e-12, "Tflop/s"], "-": [1, ""] };
  const named = (key) => { const values = of((result) => result.results && result.results[key]), unit = (values.find(Boolean) || {}).unit; const [factor, shownUnit] = amounts[unit] || [1, unit], label = key.replaceAll("_", " "); return unit === "s" ? time(label, (result) => result.results && result.results[key] && result.results[key].value) : rowOf(label, shownUnit, null, 4, values.map((each) => each && each.value * factor)); };
  const groups = [{ title: "", rows: [time("simulated time", (result) => result.seconds), time("least time of any algorithm", bound, null), shares("least time over simulated time", (result) => (result.bound_share === undefined ? result.share : result.bound_share), "high"), time("time of the fullest channel alone", (result) => result.fullest_s, null)] },
    { title: "what the program reports", rows: reported.map(named) },
    { title: "communication and links", rows: [shares("time in which a rank does not compute, mean", (result) => result.communication_mean, "low"), shares("use of the links, mean", (result) => result.link_use_mean, null), shares("use of the fullest link", (result) => result.link_use_most, "low"), rowOf("data on the fullest link", "MB", "low", 3, of((result) => result.link_bytes_most).map((each) => (typeof each === "number" ? each / 1e6 : null)))] },
    { title: "how it was run", rows: [rowOf("ranks", "", null, 0, of((result) => result.ranks)), rowOf("placement", "", null, 0, of((result) => result.placement)), rowOf("engine", "", null, 0, of((result) => result.engine)), rowOf("simulator", "", null, 0, of((result) => result.provenance.settings.simulator || (result.simgrid ? `SimGrid ${result.simgrid}` : ""))), rowOf("algorithm", "", null, 0, of((result) => result.algorithm)), rowOf("what bounds it", "", null, 0, of((result) => result.bound && result.bound.how))] }];
  const kept = groups.map((group) => ({ ...group, rows: group.rows.filter((row) => row.values.some(Boolean)) })).filter((group) => group.rows.length);
  const key = done.map(({ digest }) => digest).join();
  const table = useMemo(() => drawSideBySide({ columns: done.map((job) => `${job.place + 1}: ${runName(runs[job.place])}`), groups: kept }), [key]);
  return html`<section id="runs"><h2>Runs side by side</h2><p class="quiet">Differences are from the first run.</p><${Made} element=${table} /></section>`;
}

/** The links that are used most in one run, as a list and as colours of the drawing. */
function FullestLinks({ job, loaded, runs, choose }) {
  const { task: { arguments: args }, result } = job.record, drawn = useTask("draw", { topology: args.topology });
  const viewer = useMemo(() => drawn.result && makeStructure(drawn.result, {}), [drawn.result]);
  const least = Math.max(result.link_bytes_most, 1), use = useMemo(() => result.link_bytes.flatMap(([up, down], link) => [{ link, back: false, bytes: up }, { link, back: true, bytes: down }]).sort((one, other) => other.bytes - one.bytes).slice(0, MOST_LINKS), [result]);
  useEffect(() => { if (viewer) viewer.set({ loads: result.link_bytes.map((both) => Math.max(...both) / 1e6) }); }, [viewer]);
  const rows = viewer ? use.filter(({ bytes }) => bytes > 0).map(({ link, back, bytes }) => { const { lower, higher } = viewer.model, ends = [viewer.model.switchName(lower[link]), viewer.model.switchName(higher[link])]; if (back) ends.reverse(); return { from: ends[0], to: ends[1], mb: bytes / 1e6, share: (100 * bytes) / least }; }) : [];
  return html`<section id="fullest"><h2>The fullest links</h2>${loaded.length > 1 ? html`<p class="adding"><label class="pick"><b>of run</b> <${Choice} label="run whose links are shown" options=${loaded.map((each) => [String(each.place + 1), `${each.place + 1}: ${runName(runs[each.place])}`])} value=${String(job.place + 1)} changed=${choose} /></label></p>` : null}
    <${Progress} job=${drawn.running} /><${Wrong} error=${drawn.error} />
    ${rows.length ? html`<${Rows} id="bottlenecks" caption="the fullest links" columns=${[{ key: "from", title: "from", text: true }, { key: "to", title: "to", text: true }, { key: "mb", title: "data [MB]", digits: 3 }, { key: "share", title: "of the fullest [%]", digits: 1 }]} rows=${rows} /><p class="quiet">${written(100 * result.link_use_most, 1)} % of the rate of the fullest link is used in the simulated time. The drawing colours links by their data in MB, in the fuller direction.</p>` : viewer ? html`<p>No message left its switch.</p>` : null}
    ${viewer ? html`<${Made} element=${viewer.element} />` : null}</section>`;
}
