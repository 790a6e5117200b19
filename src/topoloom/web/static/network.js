// One network's own page, or a machine's: its views, each with an address that can be sent.

/** The views by their names in the address. `site`: also in a static site; `of`: "network", "machine" or both. */
const VIEWS = {
  overview: { title: "Overview", view: OverviewView, site: true, of: "both" },
  structure: { title: "Structure", view: StructureView, site: true, of: "network" },
  bill: { title: "Bill", view: BillView, site: true, of: "both" },
  room: { title: "Room", view: RoomView, site: true, of: "both" },
  tables: { title: "Tables", view: TablesView, site: true, of: "network" },
  failures: { title: "Failures", view: FailuresView, site: true, of: "network" },
  load: { title: "Load", view: LoadView, of: "network" },
  programs: { title: "Programs", view: ProgramsView, of: "network" },
  growth: { title: "Growth", view: GrowthView, site: true, of: "both" },
  files: { title: "Files", view: FilesView, site: true, of: "both" },
};

function NetworkPage({ query, go, catalogue }) {
  const source = query.get("source") || "", info = useTask("info", source ? { topology: source } : null), assessment = useAssessment(source);
  if (!source) return html`<${NewNetwork} query=${query} go=${go} catalogue=${catalogue} />`;
  const of = info.result && info.result.kinds ? "machine" : "network";
  const shown = Object.entries(VIEWS).filter(([, each]) => (!SITE || each.site) && ["both", of].includes(each.of));
  const name = shown.some(([key]) => key === query.get("view")) ? query.get("view") : "overview", { view } = VIEWS[name];
  const within = /^(.*)\/networks\/[^/]+$/.exec(source);
  return html`${within ? html`<p class="quiet"><a href=${href("/network", { source: within[1] })}>${within[1]}</a> / ${source.slice(within[1].length + "/networks/".length)}</p>` : null}
    <h1>${(assessment && assessment.name) || (info.result && (info.result.title || info.result.provenance.name)) || source} <small class="mono">${source}</small></h1>
    <nav class="views" aria-label="views of the network">${shown.map(([key, { title }]) => html`<a href=${href("/network", { source, view: key === "overview" ? "" : key })} aria-current=${key === name ? "page" : null}>${title}</a>`)}${SITE ? null : html`<a href=${href("/cabling", { plan: source })}>Cabling</a>`}</nav>
    ${info.result ? html`<${view} key=${`${name} ${source}`} source=${source} network=${info.result} assessment=${assessment} query=${query} go=${go} catalogue=${catalogue} />` : html`<${Progress} job=${info.running} /><${Wrong} error=${info.error} />`}`;
}

/** The first page of a static site: its networks. */
function SitePage() {
  const machines = SITE.sources.filter(({ of }) => of === "machine"), parts = (address) => machines.some((machine) => address.startsWith(`${machine.address}/`));
  return html`<h1>${SITE.title}</h1><p class="quiet">Results of topoloom, as they were when this site was written. Nothing here is sent anywhere.</p>
    <ul class="networks">${SITE.sources.filter(({ address }) => !parts(address)).map(({ address, of }) => html`<${SiteCard} key=${address} source=${address} machine=${of === "machine"} />`)}</ul>`;
}

/** A network or a machine in few figures, with a link to its page. */
function SiteCard({ source, machine }) {
  const info = useTask("info", { topology: source }), cost = useTask("cost", { topology: source }), assessment = useAssessment(source), result = info.result || {}, bill = cost.result || {};
  return html`<li class="network"><h2><a href=${href("/network", { source })}>${(assessment && assessment.name) || result.title || (result.provenance || {}).name || source}</a> <small class="mono">${source}</small></h2>
    <${Figures} items=${[[result.hosts, "", "hosts"], [result.switches, "", "switches"], [result.diameter, "hops", "diameter"], [amount(bill.cost_usd, bill.currency), "", "cost of the network"], [amount(bill.cost_per_host_usd, bill.currency), "", "per host"], [thousands(bill.power_w), "kW", "power"], [bill.racks || result.racks, "", "racks"]]} />
    ${assessment ? html`<p>${assessment.why}</p>` : null}<${Wrong} error=${info.error} />${machine ? null : html`<${StructurePicture} source=${source} />`}</li>`;
}

/** Figures as cards: [value, unit, label]; figures that are not known are omitted. */
function Figures({ items }) {
  const known = items.filter(([value]) => value !== null && value !== undefined && value !== "");
  return html`<ul class="cards figures">${known.map(([value, unit, label]) => html`<li class="card"><b>${typeof value === "number" ? shortly(value) : value}${unit ? html` <small>${unit}</small>` : null}</b><span>${label}</span></li>`)}</ul>`;
}

/** An amount in a currency, without digits that nobody reads. */
const amount = (value, currency) => (typeof value === "number" ? `${written(value, Math.abs(value) < 100 ? 2 : 0)} ${currency}` : null);

/** A value in thousands of its unit; null where it is not known. */
const thousands = (value) => (typeof value === "number" ? written(value / 1000, 1) : null);

function OverviewView({ source, network, assessment }) {
  return network.kinds ? html`<${MachineOverview} source=${source} machine=${network} />` : html`<${NetworkOverview} source=${source} info=${network} assessment=${assessment} />`;
}

function NetworkOverview({ source, info, assessment }) {
  const cost = useTask("cost", { topology: source }), bill = cost.result || {};
  return html`<div class="with-picture"><div><${Figures} items=${[[info.hosts, "", "hosts"], [info.switches, "", `switches${info.radix ? ` of ${info.radix} ports` : ""}`], [info.links, "", "links between switches"], [info.diameter, "hops", "diameter"], [written(info.aspl, 3), "hops", "mean distance"],
      [amount(bill.cost_usd, bill.currency), "", "cost of the network"], [amount(bill.cost_per_host_usd, bill.currency), "", "per host"], [thousands(bill.power_w), "kW", "power"], [bill.racks, "", "racks with switches or hosts"]]} />
    <${Wrong} error=${cost.error} />${assessment ? html`<p>${assessment.why}</p>` : null}</div><a class="picture" href=${href("/network", { source, view: "structure" })}><${StructurePicture} source=${source} name=${assessment ? assessment.name : ""} /></a></div><${Assessment} found=${assessment} />
    <section><h2>Size and distances</h2><${Facts} pairs=${factsOf(info)} /></section><${Commands} jobs=${[cost.job]} />`;
}

/** The assessment in the folder of a network that a design or a comparison assessed; null for others. */
function useAssessment(source) {
  const [assessment, setAssessment] = useState(null);
  useEffect(() => {
    setAssessment(null);
    let current = true;
    api("/api/folders").then((folders) => {
      const folder = folders.find(({ address }) => address === source);
      return folder && folder.files.includes("assessment.json") ? api(fileAddress(`${source}/assessment.json`)) : null;
    }).then((content) => current && setAssessment(content), () => {});
    return () => { current = false; };
  }, [source]);
  return assessment;
}

/** What the design found about a network of its shortlist: its sentence, and every figure with how it was found. */
function Assessment({ found }) {
  if (!found || !found.figures) return null;
  const groups = [...new Set(found.figures.map(({ group }) => group))], reasons = [...new Set(found.missing.map(({ reason }) => reason))];
  return html`<section id="assessment"><h2>What the design found</h2>${reasons.map((reason) => html`<p class="quiet">Not assessed: ${found.missing.filter((one) => one.reason === reason).map(({ words }) => words).join(", ")}; ${reason}.</p>`)}
    ${groups.map((group) => html`<details><summary>${group}</summary><${Rows} caption=${group} columns=${[{ key: "label", title: "figure", text: true }, { key: "value", title: "value" }, { key: "unit", title: "unit", text: true }, { key: "how", title: "how it was found", text: true }]}
      rows=${found.figures.filter((figure) => figure.group === group)} /></details>`)}</section>`;
}

const NETWORK_COLUMNS = [{ key: "name", title: "network", text: true }, { key: "topology", title: "topology", text: true }, { key: "rate_gbps", title: "rate [Gb/s]" }, { key: "switches", title: "switches", digits: 0 }, { key: "ports", title: "ports of hosts", digits: 0 }, { key: "cables_m", title: "cables [m]", digits: 0 }, { key: "longest_m", title: "longest cable [m]", digits: 1 }];

function MachineOverview({ source, machine }) {
  const report = useTask("machine-report", { topology: source }), result = report.result, bill = result ? result.bill : {};
  const kinds = machine.kinds.map((kind) => ({ ...kind, ports: Object.entries(kind.ports).map(([name, count]) => `${count} in ${name}`).join(", ") }));
  const networks = machine.networks.map((each) => ({ ...each, name: html`<a href=${href("/network", { source: `${source}/networks/${each.name}` })}>${each.name}</a>` }));
  return html`<${Figures} items=${[[machine.hosts, "", "hosts"], [machine.switches, "", "switches"], [machine.racks, "", "racks"], [machine.connections, "", "connected ports of hosts"], [amount(bill.cost_usd, bill.currency), "", "cost of the networks"], [thousands(bill.power_w), "kW", "power of the networks"]]} />
    ${result && result.exceeded ? html`<p class="wrong" role="alert">${result.exceeded}</p>` : null}
    <section><h2>Networks</h2><${Rows} caption="networks" columns=${NETWORK_COLUMNS} rows=${networks} /></section>
    <section><h2>Hosts</h2><${Rows} caption="kinds of hosts" columns=${[{ key: "name", title: "kind", text: true }, { key: "role", title: "role", text: true }, { key: "hosts", title: "hosts" }, { key: "ports", title: "ports of one", text: true }, { key: "racks", title: "racks" }, { key: "power_w", title: "power of one [W]" }]} rows=${kinds} /></section>
    ${result && result.limits.length ? html`<section><h2>Limits</h2><${Rows} caption="limits" columns=${[{ key: "limit", title: "limit", text: true }, { key: "where", title: "where", text: true }, { key: "value", title: "value", digits: 1 }, { key: "most", title: "at most" }, { key: "unit", title: "unit", text: true }, { key: "state", title: "state", text: true }]}
      rows=${result.limits.map((limit) => ({ ...limit, state: limit.value === null ? "not known" : limit.value > limit.most ? "exceeded" : "within the limit" }))} /></section>` : null}
    <${Progress} job=${report.running} /><${Wrong} error=${report.error} /><${Commands} jobs=${[report.job]} />`;
}

const factsOf = (info) => [["switches", info.switches], ["hosts", info.hosts], ["links", info.links], ["degree", info.degree_min === info.degree_max ? info.degree_max : `${info.degree_min} to ${info.degree_max}`],
  ["ports of a switch", info.radix], ["diameter", info.diameter], ["mean hops", info.aspl], ["least possible mean hops", info.moore_aspl_bound], ["bisection", info.bisection === null ? null : `${written(info.bisection, 0)} links${info.bisection_exact ? "" : ", at most"}`],
  ["edge connectivity", info.edge_connectivity], ["connected", info.connected ? "yes" : "no"]];

const BILL_COLUMNS = [{ key: "item", title: "item", text: true }, { key: "count", title: "count", digits: 0 }, { key: "length_m", title: "length [m]", digits: 0 }, { key: "cost", title: "cost", digits: 0 }, { key: "power", title: "power [W]", digits: 0 }];

/** Lines of a bill as rows; a price range where the low and the high differ. */
function billRows(lines) {
  return lines.map((line) => ({ ...line, length_m: line.length_m || "", power: line.power_w, cost: line.cost_usd === null ? "no price" : line.cost_low_usd === line.cost_high_usd ? line.cost_usd : `${written(line.cost_low_usd, 0)} to ${written(line.cost_high_usd, 0)}` }));
}

function BillView({ source, network }) {
  return html`<${Task} operation="cost" args=${{ topology: source }} show=${(bill) => (bill.bills ? html`<${MachineBillTables} bill=${bill} source=${source} />` : html`<${BillTables} bill=${bill} />`)} />
    ${network.kinds ? null : html`<section><h2>Power, heat and weight</h2><${Task} operation="facility" args=${{ topology: source }} show=${(room) => html`<${FacilityTables} room=${room} />`} /></section>`}`;
}

function BillTables({ bill }) {
  return html`<${Figures} items=${[[amount(bill.cost_usd, bill.currency), "", "cost of the network"], [amount(bill.cost_per_host_usd, bill.currency), "", "per host"], [thousands(bill.power_w), "kW", "power"], [bill.cables_inside + bill.cables_between, "", "cables between switches"], [written(bill.length_m, 0), "m", "all cables, as bought"]]} />
    <p class="quiet">${bill.cost_low_usd < bill.cost_high_usd ? `By the ranges of the prices, the cost is ${amount(bill.cost_low_usd, bill.currency)} to ${amount(bill.cost_high_usd, bill.currency)}; the figure is between them.` : ""}</p>
    <${Rows} id="bill" caption="lines of the bill" columns=${BILL_COLUMNS.map((column) => (column.key === "cost" ? { ...column, title: `cost [${bill.currency}]` } : column))} rows=${billRows(bill.lines)} />
    <p class="quiet">Prices of ${bill.parts}.${bill.unpriced.length ? ` Without a price: ${bill.unpriced.join(", ")}.` : ""}${bill.unmetered.length ? ` Without a power figure: ${bill.unmetered.join(", ")}.` : ""}</p>`;
}

function MachineBillTables({ bill, source }) {
  return html`<${Figures} items=${[[amount(bill.cost_usd, bill.currency) || "not all prices are known", "", "cost of all networks"], [thousands(bill.power_w), "kW", "power"], [bill.switches, "", "switches"], [bill.cables, "", "cables"]]} />
    ${bill.bills.map((each, at) => html`<section><h2><a href=${href("/network", { source: `${source}/networks/${bill.names[at]}`, view: "bill" })}>${bill.names[at]}</a></h2><${Rows} caption=${bill.names[at]} columns=${BILL_COLUMNS} rows=${billRows(each.lines)} /></section>`)}
    ${bill.common.length ? html`<section><h2>For the whole machine</h2><${Rows} caption="the whole machine" columns=${BILL_COLUMNS} rows=${billRows(bill.common)} /></section>` : null}
    ${bill.unpriced.length ? html`<p class="quiet">Without a price: ${bill.unpriced.join(", ")}.</p>` : null}`;
}

const FACILITY_COLUMNS = [{ key: "name", title: "rack", text: true }, { key: "switches", title: "switches" }, { key: "hosts", title: "hosts" }, { key: "units", title: "units" }, { key: "typical_w", title: "typical power [W]", digits: 0 }, { key: "max_w", title: "maximum power [W]", digits: 0 }, { key: "weight_kg", title: "weight [kg]", digits: 0 }];
const MOST_RACKS = 200;

function FacilityTables({ room }) {
  return html`<${Facts} pairs=${[["maximum power, hosts included", `${written(room.total.max_w / 1000, 1)} kW`], ["heat", `${written(room.heat_btu_h, 0)} BTU/h`], ["fullest rack", `${written(room.fullest_w, 0)} W`], ["feeds of a rack", room.feeds]]} />
    <${Rows} id="facility" caption="racks" columns=${FACILITY_COLUMNS} rows=${room.racks.slice(0, MOST_RACKS).map((rack) => ({ ...rack, typical_w: rack.typical_unknown ? `${written(rack.typical_w, 0)}, and ${counted(rack.typical_unknown, "device")} not known` : rack.typical_w }))} />${room.racks.length > MOST_RACKS ? html`<p class="quiet">The first ${MOST_RACKS} of ${written(room.racks.length, 0)} racks.</p>` : null}`;
}

function TablesView({ source, query, go, catalogue }) {
  const engine = query.get("engine") || "", args = { topology: source, ...(engine ? { engine } : {}) };
  const choose = (value) => go("/network", { source, view: "tables", engine: value });
  return html`${SITE ? null : html`<div class="tools"><${Field} label="Tables"><${Choice} label="tables" value=${engine} changed=${choose} options=${[["", "installed, or of the engine that fits"], ...catalogue.engines.map((name) => [name, name])]} /><//></div>`}
    <${Task} operation="quality" args=${args} show=${(quality) => html`<${QualityTables} quality=${quality} />`} />
    ${SITE ? null : html`<section><h2>Verification of new tables</h2><p class="quiet">Tables that topoloom computes${engine ? ` by the engine ${engine}` : ", by the engine that fits the network"}: every path is followed, and the channel dependencies are searched for cycles.</p>
    <${Task} operation="route" args=${args} show=${(routing) => html`<${RoutingFacts} routing=${routing} />`} /></section>`}
    <p><a href=${href("/network", { source, view: "structure", engine })}>Loads of links in the drawing</a></p>`;
}

function QualityTables({ quality }) {
  const share = (value) => (typeof value === "number" ? written(value, 3) : null), flow = (value) => (value ? (value.lower === value.upper ? written(value.lower, 3) : `${written(value.lower, 3)} to ${written(value.upper, 3)}`) : null);
  const rows = [["uniform", quality.uniform_throughput, flow(quality.uniform_flow)], ["random permutations", quality.permutation_throughput, flow(quality.permutation_flow)], ["worst permutation", quality.worst_throughput, flow(quality.worst_flow)], ["random halves (effective bisection)", quality.effective_bisection, null]];
  return html`<${Figures} items=${[[quality.provenance.engine, "", "engine of the tables"], [share(quality.uniform_throughput), "", "uniform throughput per host"], [share(quality.worst_throughput), "", "worst permutation"], [written(quality.channel_load.most, 2), "", "maximum channel load"], [quality.edge_forwarding_index, "", "paths over the most used channel"]]} />
    <${Rows} id="throughput" caption="throughput" columns=${[{ key: 0, title: "traffic", text: true }, { key: 1, title: "by the tables", digits: 3 }, { key: 2, title: "routing-independent bound" }]} rows=${rows} />
    <p class="quiet">Shares of a host's rate. Bounds hold for any routing.</p>
    <h2>Channel loads</h2><${Rows} id="loads" caption="channel loads" columns=${[{ key: 0, title: "measure", text: true }, { key: 1, title: "channel load", digits: 3 }, { key: 2, title: "switch load", digits: 3 }]} rows=${LOAD_ROWS.map(([key, label]) => [label, quality.channel_load[key], quality.switch_load[key]])} />`;
}

const LOAD_ROWS = [["least", "least"], ["quarter", "25 % of channels are below"], ["median", "median"], ["mean", "mean"], ["three_quarters", "75 % are below"], ["percent_99", "99 % are below"], ["most", "greatest"]];

function RoutingFacts({ routing }) {
  const { verification } = routing;
  if (!verification) return null;
  return html`<${Facts} pairs=${[["engine", routing.engine], ["pairs reached", `${written(verification.reached_pairs, 0)} of ${written(verification.pairs, 0)}`], ["free of deadlock", verification.deadlock_free ? "yes" : "no"], ["virtual channels", verification.virtual_channels_used], ["mean hops", verification.mean_hops], ["longest path", verification.max_hops], ["minimal paths", `${written(100 * verification.minimal_share, 1)} %`], ["paths over the most used channel", verification.edge_forwarding_index], ["fault", verification.fault]]} />`;
}

/** The address of a served file. */
const fileAddress = (address) => `/files/${address.split("/").map(encodeURIComponent).join("/")}`;

function FilesView({ source, network, catalogue }) {
  const [folders, setFolders] = useState(null), [error, setError] = useState(null);
  useEffect(() => { api("/api/folders").then(setFolders, setError); }, []);
  const inside = (folders || []).filter(({ address }) => address === source || address.startsWith(`${source}/`));
  const kinds = catalogue.exports.filter(({ of }) => of === (network.kinds ? "machine" : "network"));
  return html`<${Wrong} error=${error} />
    ${inside.map(({ address, files }) => html`<section><h2>${address}</h2><ul class="files">${files.map((name) => html`<${FileItem} key=${name} address=${`${address}/${name}`} name=${name} />`)}</ul></section>`)}
    ${folders && !inside.length ? html`<p>${source} is not a served folder, so it has no files yet. This writes them:</p><${Copied} label="command" text=${`topoloom layout '${source}' -o network`} />` : null}
    ${SITE ? null : html`<section><h2>Files for other tools</h2><ul class="exports">${kinds.map(({ kind, words }) => html`<${ExportItem} key=${kind} source=${source} kind=${kind} words=${words} />`)}</ul></section>`}`;
}

/** A file with its link: pages open, other files are saved. */
function FileItem({ address, name }) {
  if (!SITE) return html`<li><a href=${fileAddress(address)} download=${name}>${name}</a>${name.endsWith(".html") ? html` <a href=${href("/folders", { file: address })} aria-label=${`open ${name}`}>open</a>` : null}</li>`;
  const copy = SITE.fileOf(address);
  return html`<li>${copy ? html`<a href=${copy} download=${name.endsWith(".html") ? null : name}>${name}</a>` : html`${name} <span class="quiet">(too large for the site)</span>`}</li>`;
}

/** One kind of export: a button that makes its files and saves them as a ZIP file, and the command that writes them. */
function ExportItem({ source, kind, words }) {
  const [asked, setAsked] = useState(false), { result, running, error, job } = useTask("download", asked ? { topology: source, kind } : null);
  useEffect(() => { if (result) saveBytes(result.name, "application/zip", result.zip); }, [result]);
  return html`<li><button type="button" onClick=${() => setAsked(true)} disabled=${asked && !result && !error}>${kind}</button> ${words}${result ? html` <span class="quiet">${counted(result.files.length, "file")}, saved as ${result.name}</span>` : null}
    <${Progress} job=${running} /><${Wrong} error=${error} /><${Commands} jobs=${[job]} /></li>`;
}

function saveBytes(name, type, base64) {
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  save(name, type, bytes);
}
