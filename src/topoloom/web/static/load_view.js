// Load: latency against load, point by point as it is computed, for several kinds of traffic, engines and routers.

const LOADS = "0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9";

function LoadView({ source, query, go, catalogue }) {
  const series = query.getAll("series").flatMap((text) => { try { return [JSON.parse(text)]; } catch { return []; } });
  const units = { ns: query.get("ns") || "", gbps: query.get("gbps") || "", rate_gbps: query.get("rate") || "400", flit_bytes: query.get("flit") || "64" };
  const loads = query.get("loads") || LOADS;
  const change = (settings) => {
    const now = { series: series.map((each) => JSON.stringify(each)), loads: loads === LOADS ? "" : loads, ns: units.ns, gbps: units.gbps, rate: units.rate_gbps === "400" ? "" : units.rate_gbps, flit: units.flit_bytes === "64" ? "" : units.flit_bytes, ...settings };
    go("/network", { source, view: "load", ...now });
  };
  const numbers = loads.split(",").map(Number).filter((load) => load > 0 && load <= 1);
  const tasks = series.flatMap((each) => numbers.map((load) => ({ operation: "simulate", args: loadArguments(source, each, load) })));
  const { jobs, errors } = useTasks(tasks);
  const add = (each, text) => change({ series: [...series, each].map((one) => JSON.stringify(one)), loads: text === LOADS ? "" : text });
  const remove = (at) => change({ series: series.filter((_, number) => number !== at).map((one) => JSON.stringify(one)) });
  return html`<${LoadForm} catalogue=${catalogue} add=${add} loads=${loads} changeLoads=${(text) => change({ loads: text })} />
    ${series.length ? html`<div class="chips" role="group" aria-label="simulated curves">${series.map((each, at) => html`<button type="button" class="chip" aria-label=${`remove ${loadName(each)}`} onClick=${() => remove(at)}>${loadName(each)} ×</button>`)}</div>` : html`<p>No curve yet. Each load is a task of its own, so that its point appears as soon as it is computed.</p>`}
    <${TasksProgress} jobs=${jobs} count=${tasks.length} />${errors.map((error) => html`<${Wrong} error=${error} />`)}
    ${series.length ? html`<${UnitFields} units=${units} change=${change} />` : null}
    <${LoadCurves} jobs=${jobs} units=${units} /><${Commands} jobs=${jobs} />`;
}

const loadName = ({ engine, traffic, preset, packet, lengths }) => [traffic || "uniform", engine || "fitting engine", preset, packet ? `packets of ${packet} flits` : "", lengths ? "cables by their length" : ""].filter(Boolean).join(", ");

/** The arguments of the task of one load. */
function loadArguments(source, { engine, traffic, preset, packet, lengths }, load) {
  const settings = { ...(packet ? { packet_flits: packet } : {}), ...(lengths ? { cycle_ns: lengths } : {}) };
  return { topology: source, loads: [load], ...(engine ? { engine } : {}), ...(traffic ? { traffic } : {}), ...(preset ? { preset } : {}), ...(Object.keys(settings).length ? { set: settings } : {}) };
}

/** What is simulated next: traffic, engine, routers, packets, loads. */
function LoadForm({ catalogue, add, loads, changeLoads }) {
  const [traffic, setTraffic] = useState(""), [engine, setEngine] = useState(""), [preset, setPreset] = useState(""), [packet, setPacket] = useState(""), [cycle, setCycle] = useState(""), [text, setText] = useState(loads);
  const go = (event) => {
    event.preventDefault();
    add({ ...(traffic && { traffic }), ...(engine && { engine }), ...(preset && { preset }), ...(Number(packet) > 0 && { packet: Number(packet) }), ...(Number(cycle) > 0 && { lengths: Number(cycle) }) }, text);
  };
  const patterns = [["", "uniform"], ...catalogue.traffic.filter(({ name }) => name !== "uniform").map(({ name }) => [name, name])];
  return html`<form class="form" id="load-form" onSubmit=${go}>
    <${Field} label="traffic"><${Choice} label="traffic" options=${patterns} value=${traffic} changed=${setTraffic} /><//>
    <${Field} label="engine"><${Choice} label="engine" options=${[["", "the network's, else the fitting one"], ...catalogue.engines.map((name) => [name, name])]} value=${engine} changed=${setEngine} /><//>
    <${Field} label="routers"><${Choice} label="routers" options=${[["", "slimfly-2014"], ...catalogue.presets.filter(({ name }) => name !== "slimfly-2014").map(({ name }) => [name, name])]} value=${preset} changed=${setPreset} /><//>
    <${Field} label="packets" unit="flits" hint="the preset's if empty"><input type="number" min="1" max="1000" value=${packet} onInput=${(event) => setPacket(event.target.value)} /><//>
    <${Field} label="time of a cycle" unit="ns" hint="then cables take the time of their length, in a network with racks"><input type="number" min="0" step="any" value=${cycle} onInput=${(event) => setCycle(event.target.value)} /><//>
    <${Field} label="loads" unit="flits per host and cycle"><input id="loads" value=${text} spellcheck="false" onInput=${(event) => setText(event.target.value)} onChange=${() => { if (text !== loads) changeLoads(text); }} /><//>
    <div><button type="submit" class="primary" id="simulate">Simulate</button></div></form>`;
}

/** The switches between flits and Gb/s, and between cycles and ns. */
function UnitFields({ units, change }) {
  const tick = (key, label) => html`<label class="tick"><input type="checkbox" id=${key} checked=${units[key] === "1"} onChange=${(event) => change({ [key]: event.target.checked ? 1 : "" })} /> ${label}</label>`;
  const number = (key, name, label, unit) => html`<${Field} label=${label} unit=${unit}><input type="number" min="0" step="any" value=${units[key]} onChange=${(event) => change({ [name]: event.target.value })} /><//>`;
  return html`<div class="adding units">${tick("ns", "latency in ns")}${tick("gbps", "load in Gb/s per host")}
    ${units.ns || units.gbps ? html`${number("rate_gbps", "rate", "rate of a host", "Gb/s")}${number("flit_bytes", "flit", "size of a flit", "bytes")}<p class="quiet">A cycle is the time of one flit at this rate, where the routers do not state it.</p>` : null}</div>`;
}

/** How many tasks are done, with a button that cancels the others. */
function TasksProgress({ jobs, count, of = "load" }) {
  const waiting = jobs.filter((job) => !over(job)), done = jobs.filter((job) => job.state === "done").length;
  if (!count || (done === count)) return null;
  const rest = waiting.map((job) => job.expected_s).filter((seconds) => typeof seconds === "number");
  return html`<p class="progress" role="status"><progress max=${count} value=${done} aria-label=${`finished ${of}s`}></progress> ${done} of ${counted(count, of)} done${waiting.length && rest.length === waiting.length ? `, about ${written(rest.reduce((sum, each) => sum + each, 0), 0)} s of work left` : ""}
    ${waiting.length ? html` <button type="button" id="cancel-all" onClick=${() => waiting.forEach((job) => cancelTask(job.digest).catch(() => {}))}>cancel</button>` : null}</p>`;
}

/** Several tasks as a hook: their jobs with their records, in the order of the tasks, and what is wrong. */
function useTasks(tasks) {
  const key = JSON.stringify(tasks), [state, setState] = useState({ key: "", jobs: [], errors: [] });
  useEffect(() => {
    let current = true;
    setState({ key, jobs: tasks.map(() => null), errors: [] });
    const put = (at, job) => current && setState((earlier) => ({ ...earlier, jobs: earlier.jobs.map((each, number) => (number === at ? { ...each, ...job, place: at } : each)) }));
    tasks.forEach(({ operation, args }, at) => ask(operation, args, (job) => put(at, job)).then(
      ({ job, record }) => put(at, { ...job, state: "done", record }),
      (error) => current && setState((earlier) => (earlier.errors.some((each) => each.message === error.message) ? earlier : { ...earlier, errors: [...earlier.errors, error] }))));
    return () => { current = false; };
  }, [key]);
  return state.key === key ? { jobs: state.jobs.filter(Boolean), errors: state.errors } : { jobs: [], errors: [] };
}

/** The curves of finished tasks, drawn again as further tasks end, with buttons that save them. */
function CurvesOfJobs({ jobs, units = {}, name, rows }) {
  const digests = jobs.filter((job) => job.record).map((job) => job.digest).join(",");
  const [data, setData] = useState(null), [error, setError] = useState(null), box = useRef();
  const wanted = useSettled(digests, 150), asked = new URLSearchParams({ digests: wanted, ...Object.fromEntries(Object.entries(units).filter(([, value]) => value)) }).toString();
  useEffect(() => {
    if (!wanted) { setData(null); return undefined; }
    let current = true;
    api(`/api/curves?${asked}`).then((answer) => { if (current) { setData(answer); setError(null); } }, (problem) => current && setError(problem));
    return () => { current = false; };
  }, [asked]);
  const drawn = useMemo(() => (data ? make("div", {}, ...data.curves.map((curves) => makeCurves(data.marks, curves))) : null), [data]);
  return html`<${Wrong} error=${error} />${digests ? html`<div ref=${box}><${Made} element=${drawn} /></div><${SaveCurves} box=${box} name=${name} rows=${rows} />` : null}`;
}

/** The curves of finished loads, and their points as a table. */
function LoadCurves({ jobs, units }) {
  const done = jobs.filter((job) => job.record), rows = () => done.map(({ record }) => ({ ...record.task.arguments, ...record.row }));
  const points = done.flatMap(({ record }) => record.result.points.map((point) => ({ curve: loadWords(record), ...point, saturated: point.saturated ? "saturated" : "" })));
  return html`<${CurvesOfJobs} jobs=${jobs} units=${units} name="load" rows=${rows} />
    ${done.length ? html`<details><summary>${counted(points.length, "point")} as a table</summary><${Rows} id="points" caption="points" columns=${[{ key: "curve", title: "curve", text: true }, { key: "offered", title: "offered load" }, { key: "accepted", title: "accepted load", digits: 4 }, { key: "latency_mean", title: "mean latency [cycles]", digits: 2 }, { key: "latency_ci95", title: "± (95 %)", digits: 2 }, { key: "latency_p99", title: "99 % below [cycles]" }, { key: "saturated", title: "", text: true }]} rows=${points} /></details>` : null}`;
}

const loadWords = ({ task: { arguments: args }, result }) => [args.traffic || "uniform", result.provenance.engine, args.preset || "", args.set && args.set.packet_flits ? `${args.set.packet_flits} flits` : ""].filter(Boolean).join(", ");

/** Buttons that save the drawn curves as SVG and their numbers as CSV. */
function SaveCurves({ box, name, rows }) {
  const saveSvg = () => {
    for (const [at, canvas] of [...box.current.querySelectorAll("svg.plot")].entries()) {
      const copy = canvas.cloneNode(true);
      copy.setAttribute("xmlns", SVG);
      copy.prepend(draw("style", {}, [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]).filter((rule) => /\.plot|\.curve|\.band|:root/.test(rule.selectorText || "")).map((rule) => rule.cssText).join("\n")));
      save(`${name}-${at + 1}.svg`, "image/svg+xml", new XMLSerializer().serializeToString(copy));
    }
  };
  return html`<div class="tools"><button type="button" id="svg" onClick=${saveSvg}>SVG</button><button type="button" id="csv" onClick=${() => save(`${name}.csv`, "text/csv", csvOf(rows()))}>CSV</button></div>`;
}

/** Rows as CSV; texts that spreadsheets would run as formulas are quoted. */
function csvOf(rows) {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const cell = (value) => {
    const text = value === null || value === undefined ? "" : typeof value === "object" ? JSON.stringify(value) : String(value);
    const formula = /^[=+\-@]/.test(text) && Number.isNaN(Number(text));
    return formula ? `"'${text.replaceAll('"', '""')}"` : /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return `${[names, ...rows.map((row) => names.map((name) => row[name]))].map((row) => row.map(cell).join(",")).join("\n")}\n`;
}
