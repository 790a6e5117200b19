// Random losses: the share that is lost against survival, lengths of paths and throughput, point by point as it is computed.

const SHARES = "0.05,0.1,0.15,0.2,0.3,0.4,0.5,0.6";
/** What is measured against the share of losses, by the metric of resilience; throughput is that of degradation. */
const SURVIVAL_METRICS = [["disconnection", "connectivity"], ["aspl", "mean hops"], ["diameter", "diameter"], ["throughput", "throughput"]];
const FAILING = [["links", "links"], ["switches", "switches"], ["racks", "racks"]];
/** What fails first, by what fails. */
const FAILURE_ORDERS = { links: [["random", "random"], ["load", "the most loaded"]], switches: [["random", "random"], ["load", "the most loaded"], ["degree", "the highest degree"]], racks: [["random", "random"], ["cables", "those with most cables"]] };

const survivalName = ({ metric, fail, order, samples }) => [SURVIVAL_METRICS.find(([key]) => key === metric)[1], `${fail} lost`, order ? FAILURE_ORDERS[fail].find(([key]) => key === order)[1] : "", samples ? counted(samples, "sample") : ""].filter(Boolean).join(", ");

/** The task of one share of one curve. */
function survivalTask(source, { metric, fail, order, samples }, share) {
  const common = { topology: source, fail, ...(order ? { order } : {}) };
  if (metric === "throughput") return { operation: "degradation", args: { ...common, shares: [share], ...(samples ? { draws: samples } : {}) } };
  return { operation: "resilience", args: { ...common, metric, levels: [share], ...(samples ? { samples } : {}), ...(metric === "disconnection" ? {} : { values: true }) } };
}

/** The curves in an address; those that the page does not know are omitted. */
const curvesIn = (query) => query.getAll("curve").flatMap((text) => { try { const curve = JSON.parse(text); return SURVIVAL_METRICS.some(([key]) => key === curve.metric) && FAILURE_ORDERS[curve.fail] ? [curve] : []; } catch { return []; } });

/** Shares from a text such as 0.1, 20 %; null for what is no share. */
const sharesIn = (text) => text.split(",").map((part) => part.trim()).filter(Boolean).map((part) => { const share = part.endsWith("%") ? Number(part.slice(0, -1)) / 100 : Number(part); return share > 0 && share <= 1 ? share : null; });

function SurvivalCurves({ source, query, change }) {
  const curves = curvesIn(query), text = query.get("shares") || SHARES, shares = sharesIn(text), wrong = shares.includes(null);
  const tasks = wrong ? [] : curves.flatMap((curve) => shares.map((share) => survivalTask(source, curve, share))), { jobs, errors } = useTasks(tasks);
  const put = (list, more = {}) => change({ curve: list.map((each) => JSON.stringify(each)), ...more });
  return html`<section id="survival"><h2>Random losses</h2><p>How much may be lost before the network falls apart, its paths grow long, or its throughput falls? Each share of each curve is a task, so that its point appears as soon as it is computed.</p>
    <${SurvivalForm} add=${(curve, value) => put([...curves, curve], { shares: value === SHARES ? "" : value })} shares=${text} changeShares=${(value) => change({ shares: value === SHARES ? "" : value })} />
    ${wrong ? html`<${Wrong} error="Shares are numbers above 0, at most 1, or per cent: 0.05, 10%." />` : null}
    ${curves.length ? html`<div class="chips" role="group" aria-label="survival curves">${curves.map((curve, at) => html`<button type="button" class="chip" aria-label=${`remove ${survivalName(curve)}`} onClick=${() => put(curves.filter((_, number) => number !== at))}>${survivalName(curve)} \u00d7</button>`)}</div>` : null}
    <${TasksProgress} jobs=${jobs} count=${tasks.length} of="point" />${errors.map((error) => html`<${Wrong} error=${error} />`)}
    <${SurvivalSums} jobs=${jobs} /><${CurvesOfJobs} jobs=${jobs} name="survival" rows=${() => survivalRows(jobs)} /><${SurvivalTable} jobs=${jobs} /><${Commands} jobs=${jobs} /></section>`;
}

function SurvivalForm({ add, shares, changeShares }) {
  const [metric, setMetric] = useState("disconnection"), [fail, setFail] = useState("links"), [order, setOrder] = useState("random"), [samples, setSamples] = useState(""), [text, setText] = useState(shares);
  const send = (event) => {
    event.preventDefault();
    add({ metric, fail, ...(order === "random" ? {} : { order }), ...(Number(samples) > 0 ? { samples: Number(samples) } : {}) }, text);
  };
  return html`<form class="adding" id="survival-form" onSubmit=${send}>
    <${Field} label="measure"><${Choice} label="measure of survival" options=${SURVIVAL_METRICS} value=${metric} changed=${setMetric} /><//>
    <${Field} label="what is lost"><${Choice} label="what is lost" options=${FAILING} value=${fail} changed=${(value) => { setFail(value); setOrder("random"); }} /><//>
    <${Field} label="lost first"><${Choice} label="lost first" options=${FAILURE_ORDERS[fail]} value=${order} changed=${setOrder} /><//>
    <${Field} label="random orders" hint=${metric === "throughput" ? "5 if empty" : "1,000 if empty"}><input type="number" min="1" max=${metric === "throughput" ? 1000 : 100000} value=${samples} onInput=${(event) => setSamples(event.target.value)} /><//>
    <${Field} label="shares that are lost"><input id="shares" value=${text} spellcheck="false" onInput=${(event) => setText(event.target.value)} onChange=${() => { if (text !== shares) changeShares(text); }} /><//>
    <button type="submit" class="primary" id="compute-survival">Compute</button></form>`;
}

/** Each finished share as a row, with what was lost first. */
const survivalRows = (jobs) => jobs.filter((job) => job.record).flatMap(({ record }) => record.result.levels.map((level) => ({ curve: `${record.task.operation === "degradation" ? "throughput" : record.result.metric}, ${record.result.fail}, ${record.result.order}`, ...level })));

/** The share of losses up to which each curve survives. */
function SurvivalSums({ jobs }) {
  const sums = new Map(jobs.filter((job) => job.record && job.record.task.operation === "resilience" && job.record.result.exact !== null).map(({ record: { result } }) => [`${result.metric} ${result.fail} ${result.order} ${result.samples}`, result]));
  return sums.size ? html`<ul>${[...sums.values()].map((result) => html`<li>Up to <b>${percent(result.exact)}</b> of ${counted(result.units, result.fail.replace(/(ch)?es$|s$/, "$1"), result.fail)} may be lost (${result.order === "random" ? "random" : `${result.order} first`}): ${result.survives}.</li>`)}</ul>` : null;
}

const SURVIVAL_COLUMNS = [{ key: "curve", title: "curve", text: true }, { key: "share", title: "share" }, { key: "failures", title: "lost", digits: 0 }, { key: "samples", title: "orders", digits: 0 }, { key: "probability", title: "probability", digits: 4 }, { key: "low", title: "low (95 %)", digits: 4 }, { key: "high", title: "high (95 %)", digits: 4 }, { key: "mean", title: "mean [hops]", digits: 4 }, { key: "worst", title: "worst [hops]", digits: 4 }, { key: "uniform", title: "uniform throughput", digits: 4 }, { key: "uniform_least", title: "least", digits: 4 }, { key: "tub", title: "worst throughput", digits: 4 }, { key: "tub_least", title: "least", digits: 4 }];

function SurvivalTable({ jobs }) {
  const rows = survivalRows(jobs), shown = SURVIVAL_COLUMNS.filter(({ key }) => rows.some((row) => row[key] !== null && row[key] !== undefined));
  return rows.length ? html`<details><summary>${counted(rows.length, "point")} as a table</summary><${Rows} id="survived" caption="points of the survival curves" columns=${shown} rows=${rows} /></details>` : null;
}
