// Faults by numbered rules: how many of which, the list that filters leave, and each with its place and its remedy.

/** Faults that are shown at a time. */
const FAULTS_AT_A_TIME = 100;
const SEVERITIES = ["error", "warning", "note"];

/** The diagnostics of a network or of a machine as one list, each with its network. */
function faultsOf(result) {
  const several = result.results ? result.results.map((one, at) => [result.networks[at], one]) : [["", result]];
  return several.flatMap(([network, one]) => one.diagnostics.map((fault) => ({ ...fault, network, key: `${network} ${fault.number}` })));
}

/** The sums of the comparisons of a network, or of all networks of a machine. */
function comparedIn(result) {
  const all = (result.results || [result]).map((one) => one.comparison).filter(Boolean);
  const sum = (key) => all.reduce((total, one) => total + one[key], 0);
  return all.length ? { planned: sum("planned_cables"), right: sum("right_cables"), missing: sum("missing_cables"), agree: Math.min(...all.map((one) => one.links_that_agree)), by: [...new Set(all.map((one) => one.switches_known_by))].join(", ") } : null;
}

const PLACE = /^(\S+)(?: (U\S+))?$/;
/** The racks of a fault, found once: lists have thousands of faults. */
const racksOf = (fault) => (fault.inRacks ??= [...new Set([...fault.racks, ...fault.places.map((place) => (PLACE.exec(place) || [])[1]).filter(Boolean)])]);
const portOf = (end) => `${end.node} port ${end.port_name || end.port}`;
const cableOf = ([one, other]) => `${portOf(one)} \u2013 ${portOf(other)}`;
/** All that a search for a device or a port looks at. */
const faultWords = (fault) => (fault.words ??= [...fault.nodes, ...[...fault.planned, ...fault.found].flat().map(portOf), ...fault.ports.map(portOf), ...fault.cables.map((cable) => `cable ${cable}`), fault.text].join("\n").toLowerCase());

/** The faults that the filters of the address leave. */
function filtered(faults, query) {
  const rule = query.get("rule"), severity = query.get("severity"), rack = query.get("rack"), network = query.get("network"), words = (query.get("device") || "").trim().toLowerCase();
  return faults.filter((fault) => (!rule || fault.code === rule) && (!severity || fault.severity === severity) && (!network || fault.network === network) && (!rack || racksOf(fault).includes(rack)) && (!words || faultWords(fault).includes(words)));
}

const BY_NAME = new Intl.Collator("en", { numeric: true });

/** How many values there are of each key, as a sorted list [key, number]. */
function numbered(keys) {
  const numbers = new Map();
  for (const key of keys) numbers.set(key, (numbers.get(key) || 0) + 1);
  return [...numbers].sort(([one], [other]) => BY_NAME.compare(one, other));
}

/** The rules that found something, each with its count, its sentence and its remedy; a click filters by it. */
function RulesTable({ faults, rules, query, set }) {
  const counts = new Map(numbered(faults.map(({ code }) => code)));
  const order = (rule) => [SEVERITIES.indexOf(rule.severity), rule.code];
  const shown = rules.filter(({ code }) => counts.has(code)).sort((one, other) => order(one)[0] - order(other)[0] || (order(one)[1] < order(other)[1] ? -1 : 1));
  if (!shown.length) return null;
  return html`<div class="wide" tabindex="0" role="region" aria-label="faults by rule"><table id="rules"><thead><tr><th scope="col" class="text">rule</th><th scope="col" class="text">severity</th><th scope="col">faults</th><th scope="col" class="text">meaning</th><th scope="col" class="text">what to do</th></tr></thead>
    <tbody>${shown.map((rule) => { const on = query.get("rule") === rule.code; return html`<tr class=${on ? "selected" : null}><td class="text"><button type="button" class="chip" aria-pressed=${String(on)} onClick=${() => set({ rule: on ? "" : rule.code, severity: "" })}>${rule.code}</button> ${rule.name}</td>
      <td class="text"><${Severity} of=${rule.severity} /></td><td>${written(counts.get(rule.code), 0)}</td><td class="text">${rule.meaning}</td><td class="text">${rule.fix}</td></tr>`; })}</tbody></table></div>`;
}

/** The networks of a machine, each with its cables and faults; a click filters by it. */
function NetworksTable({ result, query, set }) {
  const row = (network, { comparison, errors, warnings, notes }) => {
    const on = query.get("network") === network, cables = comparison ? [comparison.planned_cables, comparison.right_cables, comparison.missing_cables] : ["", "", ""];
    return html`<tr class=${on ? "selected" : null}><td class="text"><button type="button" class="chip" aria-pressed=${String(on)} onClick=${() => set({ network: on ? "" : network })}>${network}</button></td>${[...cables, errors, warnings, notes].map((value) => html`<td>${value === "" ? "" : written(value, 0)}</td>`)}</tr>`;
  };
  return html`<h2>Networks</h2><div class="wide" tabindex="0" role="region" aria-label="networks"><table id="networks"><thead><tr><th scope="col" class="text">network</th>${["planned cables", "right", "missing", "errors", "warnings", "notes"].map((title) => html`<th scope="col">${title}</th>`)}</tr></thead>
    <tbody>${result.networks.map((network, at) => row(network, result.results[at]))}</tbody></table></div>`;
}

const Severity = ({ of }) => html`<span class="severity ${of}">${of}</span>`;

/** The filters of faults. */
function FaultFilters({ faults, query, set }) {
  const [racks, codes, networks, severities] = useMemo(() => [faults.flatMap(racksOf), faults.map(({ code }) => code), faults.map(({ network }) => network).filter(Boolean), faults.map(({ severity }) => severity)].map(numbered), [faults]);
  const some = (all, list) => [["", all], ...list.map(([name, number]) => [name, `${name} (${number})`])];
  return html`<div class="tools" role="search" aria-label="filters of faults">
    <${Choice} label="rule" value=${query.get("rule") || ""} options=${some("all rules", codes)} changed=${(rule) => set({ rule })} />
    <${Choice} label="severity" value=${query.get("severity") || ""} options=${some("all severities", severities)} changed=${(severity) => set({ severity })} />
    ${racks.length ? html`<${Choice} label="rack" value=${query.get("rack") || ""} options=${some("all racks", racks)} changed=${(rack) => set({ rack })} />` : null}
    ${networks.length > 1 ? html`<${Choice} label="network" value=${query.get("network") || ""} options=${some("all networks", networks)} changed=${(network) => set({ network })} />` : null}
    <input type="search" aria-label="device, port or cable" placeholder="device, port or cable" value=${query.get("device") || ""} onInput=${(event) => set({ device: event.target.value }, { push: false })} />
    ${["rule", "severity", "rack", "network", "device"].some((name) => query.get(name)) ? html`<button type="button" onClick=${() => set({ rule: "", severity: "", rack: "", network: "", device: "" })}>show all</button>` : null}</div>`;
}

/** The faults of one day: by rule, and each one, a page of them at a time. */
function FaultsView({ result, rules, query, set }) {
  const faults = useMemo(() => faultsOf(result), [result]), left = filtered(faults, query);
  if (!faults.length) return html`<p>No fault was found.</p>`;
  const pages = Math.max(1, Math.ceil(left.length / FAULTS_AT_A_TIME)), page = Math.min(Math.max(1, Number(query.get("page")) || 1), pages), first = (page - 1) * FAULTS_AT_A_TIME;
  const shown = left.slice(first, first + FAULTS_AT_A_TIME), narrow = (changes, options) => set({ page: "", ...changes }, options);
  const turn = (to) => html`<button type="button" disabled=${to < 1 || to > pages} onClick=${() => { set({ page: to === 1 ? "" : to }); announce(`page ${to} of ${pages}`); }}>${to < page ? "previous" : "next"} ${FAULTS_AT_A_TIME}</button>`;
  return html`${(result.causes || []).length ? html`<h2>Faults that several networks show</h2><ul>${result.causes.map((cause) => html`<li>${cause.text}</li>`)}</ul>` : null}
    ${result.results ? html`<${NetworksTable} result=${result} query=${query} set=${narrow} />` : null}<h2>Faults by rule</h2><${RulesTable} faults=${faults} rules=${rules} query=${query} set=${narrow} />
    <h2>Faults</h2><${FaultFilters} faults=${faults} query=${query} set=${narrow} />
    <div class="tools"><span class="quiet" role="status" id="count">${left.length === faults.length ? counted(faults.length, "fault") : `${written(left.length, 0)} of ${counted(faults.length, "fault")}`}${pages > 1 ? `; ${written(first + 1, 0)} to ${written(first + shown.length, 0)} are shown` : ""}</span>
      ${pages > 1 ? [turn(page - 1), turn(page + 1)] : null}<button type="button" id="csv" disabled=${!left.length} onClick=${() => save("faults.csv", "text/csv", faultsAsCsv(left))}>${left.length === faults.length ? "Faults" : "These faults"} as CSV</button></div>
    <ol class="faults">${shown.map((fault) => html`<${FaultItem} key=${fault.key} fault=${fault} set=${narrow} />`)}</ol>`;
}

const faultsAsCsv = (faults) => asCsv([["number", "network", "rule", "name", "severity", "fault", "what to do", "racks", "devices", "cables"], ...faults.map((fault) => [String(fault.number), fault.network, fault.code, fault.name, fault.severity, fault.text, fault.fix, racksOf(fault).join(" "), fault.nodes.join(" "), fault.cables.join(" ")])]);

/** One fault; opened, with its devices, ports, racks and cables, and what to do. */
function FaultItem({ fault, set }) {
  const [open, setOpen] = useState(false);
  return html`<li value=${fault.number}><details onToggle=${(event) => setOpen(event.currentTarget.open)}><summary><b>${fault.code}</b> <${Severity} of=${fault.severity} /> ${fault.network ? html`<b>${fault.network}:</b> ` : null}${fault.text}${fault.because_of.length ? html` <small>follows from ${fault.because_of.join(", ")}</small>` : null}</summary>${open ? html`<${FaultFacts} fault=${fault} set=${set} />` : null}</details></li>`;
}

function FaultFacts({ fault, set }) {
  const racks = racksOf(fault), list = (cables) => cables.map(cableOf).join("; ");
  return html`<dl class="facts">${[["what to do", fault.fix], ["devices", fault.nodes.join(", ")], ["planned", list(fault.planned)], ["found", list(fault.found)], ["ports", fault.ports.map(portOf).join(", ")], ["cables", fault.cables.join(", ")], ["places", fault.places.join(", ")], ["line of the file", fault.line]]
      .filter(([, value]) => value).map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}
      ${racks.length ? html`<dt>racks</dt><dd>${racks.map((rack) => html`<button type="button" class="chip" onClick=${() => set({ rack })}>${rack}</button> `)}</dd>` : null}</dl>`;
}
