// The networks that answer a requirement: progress with the best so far, cards of the shortlist, and all candidates.

function Results({ toml, check, go, catalogue }) {
  // Ranked first, by measurements that are stored; then the shortlist is assessed in full, and the folder written.
  const [assessed, setAssessed] = useState("");
  const machine = isMachine(toml || ""), whole = toml && !check.error ? toml : null;
  const ranking = useTask("design", whole && !machine ? { text: whole, change: { shortlist: 0 } } : null);
  // The full assessment is of the text that was designed; another limit is ranked at once, without it.
  useEffect(() => { if (whole && !assessed) setAssessed(whole); }, [whole, assessed]);
  const full = useTask("design", assessed && (machine || (ranking.result && ranking.result.ranked.length)) ? { text: assessed } : null);
  const stale = full.result && assessed !== whole;
  const design = stale ? ranking.result : full.result || ranking.result, job = stale ? ranking.job : full.job || ranking.job;
  if (check.error) return html`<div class="empty"><h2>Results</h2><p>The requirement has an error; the results appear when it is corrected.</p></div>`;
  return html`<div class="results"><div class="head"><h2>${design && !machine ? counted(design.ranked.length, "network") + " within every limit" : "Results"}</h2>${stale ? html`<button type="button" onClick=${() => setAssessed(whole)}>Assess the shortlist again</button>` : null}</div>
    <${Wrong} error=${ranking.error || full.error} />
    ${design && /made-up/.test(tomlValue(whole || "", "prices") || "") ? html`<p class="warn">The prices are made up: replace the quotes of question 3 by your own before you decide.</p>` : null}
    ${machine || ranking.result || ranking.error ? null : html`<${Measured} job=${ranking.running} currency=${check.currency} />`}
    ${machine ? html`<${Progress} job=${full.running} />` : null}
    ${ranking.result && !full.result && !full.error && ranking.result.ranked.length ? html`<p class="progress" role="status"><span class="spinner" aria-hidden="true"></span>Assessing the shortlist: throughput, latency under load, failures, growth. <${Cancel} job=${full.running} /></p>` : null}
    ${machine ? (full.result ? html`<${MachineResult} design=${full.result} job=${full.job} />` : null) : design ? html`<${Design} design=${design} assessed=${stale ? [] : (full.result && full.result.shortlist) || []} earlier=${(full.result && full.result.shortlist) || []} job=${job} folder=${stale || !full.job ? "" : full.job.folder} ranking=${ranking.job} currency=${check.currency} go=${go} />` : null}
    <${Commands} jobs=${[job]} /></div>`;
}

const Cancel = ({ job }) => (job && !over(job) ? html`<button type="button" onClick=${() => cancelTask(job.digest).catch(() => {})}>cancel</button>` : null);

/** What is measured so far, and the best of it. */
function Measured({ job, currency }) {
  const [rows, setRows] = useState([]), digest = job && !over(job) ? job.digest : "";
  useEffect(() => {
    if (!digest) return undefined;
    const timer = setInterval(() => api(`/api/tasks/${digest}/measured`).then(setRows, () => {}), 700);
    return () => clearInterval(timer);
  }, [digest]);
  const best = rows[0];
  return html`<p class="progress" role="status"><span class="spinner" aria-hidden="true"></span>${rows.length ? `${counted(rows.length, "candidate")} measured so far.` : "Measuring candidates."} <${Cancel} job=${job} /></p>
    ${best ? html`<p class="best-so-far">Best so far: <b>${best.name || best.spec}</b>, ${costOf(best.cost_per_host_usd, currency)} per host, ${written(best.switches, 0)} switches.</p>` : null}`;
}

/** A cost in three or four digits: 24.1 k USD. */
function costOf(value, currency = "USD") {
  if (typeof value !== "number") return "";
  const [scale, unit] = value >= 9.995e8 ? [1e9, " bn"] : value >= 999500 ? [1e6, " M"] : value >= 99995 ? [1e3, " k"] : [1, ""], part = value / scale;
  return `${written(part, unit && part < 100 ? (part < 10 ? 2 : 1) : 0)}${unit} ${currency}`;
}

const watts = (value) => (typeof value !== "number" ? "" : value >= 99950 ? `${written(value / 1000, 0)} kW` : value >= 1000 ? `${written(value / 1000, 1)} kW` : `${written(value, 0)} W`);

function Design({ design, assessed, earlier, job, folder, ranking, currency, go }) {
  const [chosen, setChosen] = useState([]);
  const toggle = (source) => setChosen((now) => (now.includes(source) ? now.filter((one) => one !== source) : [...now, source].slice(-4)));
  const bySpec = new Map(design.ranked.map((row, at) => [row.spec, { ...row, place: at + 1 }])), figures = new Map(earlier.map((one) => [one.spec, one]));
  const shown = assessed.length ? assessed.map((one, at) => ({ ...bySpec.get(one.spec), ...valuesOf(one), spec: one.spec, name: one.name, why: one.why, ranked: bySpec.has(one.spec), source: folder ? `${folder}/shortlist/${at + 1}` : one.spec }))
    : firstOfFamilies(design).map((row) => ({ ...valuesOf(figures.get(row.spec)), ...bySpec.get(row.spec), ranked: true, source: row.spec }));
  if (!design.ranked.length) return html`<${Nothing} design=${design} /><${Candidates} digest=${ranking && ranking.digest} />`;
  return html`<p class="quiet">${assessed.length ? "The shortlist, assessed in full" : "Before the assessment"}: the best, and others to compare it with: the best of other families, the reference designs, the ends of the trade-offs. The table below has all.</p>
    <div class="network-cards">${shown.map((one, at) => html`<${NetworkCard} key=${one.spec} network=${one} first=${!at} of=${design.ranked.length} cheapest=${shown[0]} currency=${currency} chosen=${chosen.includes(one.source)} toggle=${() => toggle(one.source)} />`)}</div>
    ${chosen.length ? html`<div class="strip-compare" role="status"><span>${counted(chosen.length, "network")} chosen${chosen.length < 2 ? "; choose another to compare" : ""}</span><button type="button" class="primary" disabled=${chosen.length < 2} onClick=${() => go("/compare", { network: chosen })}>Compare</button></div>` : null}
    ${folder ? html`<p class="links"><a href=${fileAddress(`${folder}/report.html`)} target="_blank">Report</a> <a href=${fileAddress(`${folder}/bill.csv`)} download="bill.csv">Bill of the best</a> <a href=${fileAddress(`${folder}/candidates.csv`)} download="candidates.csv">All candidates (CSV)</a> <a href=${href("/network", { source: folder, view: "files" })}>All files</a></p>` : null}
    <${DroppedBy} design=${design} /><${Candidates} digest=${ranking && ranking.digest} />`;
}

const valuesOf = (assessment) => (assessment ? Object.fromEntries(assessment.figures.map(({ key, value }) => [key, value])) : {});

/** The best of each family, until the shortlist is assessed. */
function firstOfFamilies(design, most = 3) {
  const families = new Set(), first = design.ranked.filter(({ family }) => !families.has(family) && families.add(family));
  const chosen = new Set([...first, ...design.ranked.filter((row) => !first.includes(row))].slice(0, most));
  return design.ranked.filter((row) => chosen.has(row));
}

function NetworkCard({ network, first, of, cheapest, currency, chosen, toggle }) {
  const more = first || typeof network.cost_usd !== "number" ? "" : difference(network.cost_usd, cheapest.cost_usd), address = href("/network", { source: network.source });
  const throughput = typeof network.uniform_throughput === "number" ? `${written(100 * Math.min(1, network.uniform_throughput), 0)} %` : "", bad = network.ranked === false;
  const pairs = [["Cost", costOf(network.cost_usd, currency), [`${costOf(network.cost_per_host_usd, currency)} per host`, more].filter(Boolean).join(", ")], ["Power", watts(network.power_w), typeof network.power_per_host_w === "number" ? `${shortly(Number(network.power_per_host_w.toPrecision(3)))} W per host` : ""],
    ["Throughput", throughput || (typeof network.oversubscription === "number" ? `1 : ${written(Math.max(1, network.oversubscription), 1)}` : ""), throughput ? "of the hosts\u2019 rate, all to all" : "oversubscription"], ["Racks", typeof network.racks === "number" ? written(network.racks, 0) : "", typeof network.switches === "number" ? `${counted(network.switches, "switch", "switches")}` : ""]];
  return html`<article class="network-card ${first ? "best" : ""}" data-spec=${network.spec}><${StructurePicture} source=${network.spec} name=${network.name} />
    <div class="body"><h3><a href=${address}>${network.name}</a>${first ? html`<span class="tag">best</span>` : bad ? html`<span class="tag warn">exceeds a limit</span>` : network.place ? html`<span class="tag">${written(network.place, 0)} of ${written(of, 0)}</span>` : null}</h3>
    <dl class="figures">${pairs.filter(([, value]) => value).map(([label, value, small]) => html`<div><dt>${label}</dt><dd>${value}<small>${small}</small></dd></div>`)}</dl>
    ${network.why ? html`<${Why} text=${network.why} />` : null}
    <p class="links"><a href=${address}>Open</a><label class="tick"><input type="checkbox" checked=${chosen} onChange=${toggle} /> Compare<span class="unseen"> ${network.name}</span></label></p></div></article>`;
}

/** The sentences of an assessment: the risks first, the others on demand. */
function Why({ text }) {
  const [, words, risks] = /^(.*?)(?:\s*Risks: (.*))?$/s.exec(text);
  return html`${risks ? html`<p class="risk"><b>Risks:</b> ${risks}</p>` : null}<details class="why"><summary>Why</summary><p>${words}</p></details>`;
}

const LIMITS = { cost_over_best: ["costs much more than the best", "cost much more than the best"], floor: ["does not fit into the room", "do not fit into the room"], radix: ["needs larger switches", "need larger switches"], hosts: ["cannot have as many hosts", "cannot have as many hosts"],
  taper: ["has less bandwidth than asked", "have less bandwidth than asked"], oversubscription: ["has less bandwidth than asked", "have less bandwidth than asked"], blocking: ["has less bandwidth than asked", "have less bandwidth than asked"],
  cost_usd: ["costs more than allowed", "cost more than allowed"], power_w: ["takes more power than allowed", "take more power than allowed"], diameter: ["needs more hops than allowed", "need more hops than allowed"],
  same: ["is another name of a network", "are other names of networks"], size: ["has too many switches to measure", "have too many switches to measure"], parts: ["needs a part without a price", "need a part without a price"], wiring: ["has no known wiring", "have no known wiring"], construction: ["cannot be built", "cannot be built"] };

function DroppedBy({ design }) {
  const dropped = Object.entries(design.dropped_by || {}).filter(([, count]) => count);
  if (!dropped.length) return null;
  const words = ([limit, count]) => `${written(count, 0)} ${LIMITS[limit] ? LIMITS[limit][count === 1 ? 0 : 1] : `by the limit of ${limit.replaceAll("_", " ")}`}`;
  return html`<p class="dropped"><b>Dropped:</b> ${dropped.map(words).join("; ")}. The table of all candidates has each with its figures and the reason.</p>`;
}

/** What to do where a limit drops most candidates. */
const REMEDIES = { floor: "give the room more rows or racks (question 4)", radix: "choose a switch with more ports (question 3)", hosts: "choose a switch with more ports (question 3), or more families (All settings)",
  cost_usd: "allow a higher cost (question 5)", power_w: "allow more power (question 5)", cost_over_best: "raise cost_over_best in [limits] of the file",
  blocking: "allow less bandwidth (question 1)", oversubscription: "allow less bandwidth (question 1)", taper: "allow less bandwidth (question 1)", parts: "send quotes that price it (question 3)", diameter: "allow more hops (question 5)" };

function Nothing({ design }) {
  const most = Object.entries(design.dropped_by || {}).filter(([limit]) => limit !== "same").sort(([, a], [, b]) => b - a)[0];
  if (!most) return html`<div class="nothing"><p>There is no candidate for these answers: choose a switch with more ports, or more families (All settings).</p></div>`;
  const [limit] = most, values = (design.dropped || []).filter((one) => one.limit === limit).map(({ known }) => (known || {})[limit]).filter((value) => typeof value === "number"), least = values.length ? Math.min(...values) : null;
  const reached = least === null ? "" : ` The best of these: ${limit.replace(/_(usd|w)$/, "").replaceAll("_", " ")} ${shortly(limit === "power_w" ? least / 1000 : Number(least.toPrecision(4)))}${limit === "cost_usd" ? " USD" : limit === "power_w" ? " kW" : ""}.`;
  return html`<div class="nothing"><p>No candidate is within every limit.</p><${DroppedBy} design=${design} /><p>Most of them: ${LIMITS[limit] ? LIMITS[limit][1] : `the limit of ${limit.replaceAll("_", " ")}`}.${reached} To get a network, ${REMEDIES[limit] || `relax the limit of ${limit.replaceAll("_", " ")} (question 5, or [limits] in the file)`}.</p></div>`;
}

/** Candidates that are dropped by these are no networks: they have no page. */
const NOT_BUILT = ["construction", "wiring"];

/** All candidates: plots of trade-offs and a table, which can be sorted and filtered. */
function Candidates({ digest }) {
  const [parts, setParts] = useState(null), [open, setOpen] = useState(false);
  useEffect(() => {
    if (!digest || !open) return undefined;
    let current = true;
    api(`/api/tasks/${digest}/candidates`).then((data) => {
      if (!current || !data.rows.length) return;
      const store = makeStore(data, (row) => (NOT_BUILT.includes(row.dropped) ? null : href("/network", { source: row.spec }))), second = store.rows.some((row) => typeof row.bisection_per_host === "number") ? ["power_per_host_w", "bisection_per_host"] : ["power_per_host_w", "worst_latency_ns"];
      setParts(make("div", {}, makeFilters(store), make("div", { class: "plots" }, makeScatter(store, "plot-1", "cost_per_host_usd", "mean_latency_ns"), makeScatter(store, "plot-2", ...second)), makeTable(store), ...makeSelection(store),
        make("p", { class: "quiet" }, "A name opens the network by its spec, without the room and the prices of this requirement; the networks of the shortlist have these. A candidate that cannot be built has no page: the column \u201cwhy\u201d says the reason.")));
    }, (error) => current && setParts(make("p", { class: "wrong", role: "alert" }, error.message)));
    return () => { current = false; };
  }, [digest, open]);
  return html`<details class="candidates-part" onToggle=${(event) => setOpen(event.target.open)}><summary>All candidates and their trade-offs</summary>${parts ? html`<${Made} element=${parts} />` : open ? html`<p class="quiet">Loading\u2026</p>` : null}</details>`;
}

/** A machine of several networks. */
function MachineResult({ design, job }) {
  if (!design.ranked.length) return html`<p>${design.reason || "No machine is within every limit."}</p>`;
  const folder = job && job.folder;
  return html`<div class="network-cards">${design.ranked.slice(0, 4).map((one, at) => html`<article class="network-card ${at ? "" : "best"}"><div class="body"><h3>${at || !folder ? `Machine ${at + 1}` : html`<a href=${href("/network", { source: folder })}>${design.title}</a>`}${at ? null : html`<span class="tag">best</span>`}</h3>
    <dl class="figures">${[["Cost", costOf(one.cost_usd, design.currency)], ["Power", watts(one.power_w)], ["Switches", written(one.switches, 0)], ["Racks", written(one.racks, 0)]].map(([label, value]) => html`<div><dt>${label}</dt><dd>${value}</dd></div>`)}</dl>
    <ul>${Object.entries(one.names).map(([network, name]) => html`<li>${network}: ${!at && folder ? html`<a href=${href("/network", { source: `${folder}/networks/${network}` })}>${name}</a>` : name}</li>`)}</ul></div></article>`)}</div>
    ${folder ? html`<p class="links"><a href=${fileAddress(`${folder}/report.html`)} target="_blank">Report</a> ${["bill", "room", "files"].map((view) => html`<a href=${href("/network", { source: folder, view })}>${{ bill: "Bill", room: "Room", files: "All files" }[view]}</a> `)}<a href=${fileAddress(`${folder}/order.csv`)} download="order.csv">Order (CSV)</a></p>` : null}`;
}
