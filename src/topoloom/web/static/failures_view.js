// Failures: what is lost, by search or from the rank of losses; the network before and after; the path of a pair.

/** The kinds of losses that are ranked: the words, and the argument of `losses`; the first is ranked with all usual kinds. */
const RANKED = [["usual", "switches and planes"], ["cable", "cables"], ["group", "groups"], ["rack", "racks"]];
/** How many losses of each kind are ranked. */
const MOST_RANKED = 8;
/** What a loss is called in the address and on the command line. */
const LOSS_HINT = "switch:7 or its name, switch:8..15, link:12-40, rack:A03, plane:0, group:3, feed:A, feed:A03/A; several with commas";
const KIND_WORDS = { leaf: "switch with hosts", spine: "switch without hosts", plane: "plane", cable: "cable", rack: "rack", group: "group" };

function FailuresView({ source, query, go }) {
  const lost = (query.get("lost") || "").split(",").map((each) => each.trim()).filter(Boolean);
  const pair = query.get("pair") || "", kind = query.get("rank") || "usual", speed = query.get("throughput") === "1";
  const task = useTask("outage", lost.length && !READ_ONLY_SITE ? { topology: source, lost: lost.join(","), ...(pair ? { pair } : {}) } : null);
  const change = (settings) => {
    const now = { lost: lost.join(","), pair, rank: kind === "usual" ? "" : kind, throughput: speed ? 1 : "", curve: query.getAll("curve"), shares: query.get("shares") || "", ...settings };
    go("/network", { source, view: "failures", ...now });
  };
  const lose = (names) => {
    const fresh = names.filter((name) => !lost.includes(name));
    announce(fresh.length ? `lost: ${fresh.join(", ")}` : "already lost");
    if (fresh.length) change({ lost: [...lost, ...fresh].join(",") });
  };
  const { result: drawing, ...drawn } = useTask("draw", { topology: source }), [chosen, setChosen] = useState([]), current = useRef(null);
  current.current = lose;
  const viewer = useMemo(() => drawing && makeStructure(drawing, { selected: setChosen, removed: READ_ONLY_SITE ? null : (items) => current.current(viewer.losses.of(items).slice(0, MOST_LOST_AT_ONCE)) }), [drawing]);
  return html`${READ_ONLY_SITE ? null : html`<${LossFields} viewer=${viewer} lost=${lost} pair=${pair} lose=${lose} change=${change} />`}
    ${lost.length && task.result ? html`<p class="lost-in-short" role="status"><b>${written(task.result.cut_off, 0)} of ${counted(task.result.hosts, "host")} cut off.</b> Mean hops ${written(task.result.before.mean_hops, 3)} before, ${written(task.result.after.mean_hops, 3)} after. <a href="#before-and-after">All effects</a></p>` : null}
    <${LossDrawing} task=${drawn} viewer=${viewer} chosen=${chosen} lost=${lost} lose=${lose} outage=${lost.length ? task.result : null} />
    <div class="breaking"><section><${LossRank} source=${source} kind=${kind} lost=${lost} lose=${lose} change=${change} /></section>
    <section id="before-and-after"><h2>Before and after</h2>${lost.length ? html`<${OutageResult} source=${source} lost=${lost.join(",")} pair=${pair} speed=${speed} change=${change} task=${task} />`
      : html`<p>${READ_ONLY_SITE ? "The ranks show the worst single losses." : "Nothing is lost. Choose a loss from the rank, or name one above."}</p>`}</section></div>
    ${READ_ONLY_SITE ? null : html`<${SurvivalCurves} source=${source} query=${query} change=${change} />`}`;
}

/** The field that adds a loss, the lost parts, undo, and the two ends of a traced path. */
function LossFields({ viewer, lost, pair, lose, change }) {
  const [name, setName] = useState(""), [ends, setEnds] = useState(pair);
  const offered = useMemo(() => (viewer ? viewer.losses.completions(name) : []), [viewer, name]);
  useEffect(() => setEnds(pair), [pair]);
  const add = (event) => {
    event.preventDefault();
    const names = name.split(",").map((each) => each.trim()).filter(Boolean);
    if (names.length) lose(names);
    setName("");
  };
  const remove = (at) => { announce(`${lost[at]} works again`); change({ lost: lost.filter((_, number) => number !== at).join(",") }); };
  return html`<div class="asking"><form class="adding" onSubmit=${add}>
      <${Field} label="Lose a part" hint=${LOSS_HINT}><input id="lose" list="losses" value=${name} autocomplete="off" spellcheck="false" onInput=${(event) => setName(event.target.value)} /><//>
      <datalist id="losses">${offered.map(([value, what]) => html`<option value=${value}>${what}</option>`)}</datalist>
      <button type="submit">Lose</button>
    </form>
    <form class="adding" onSubmit=${(event) => { event.preventDefault(); change({ pair: ends.trim() }); }}>
      <${Field} label="Trace the path between two switches or hosts" hint="numbers or names, as in 3,17"><input id="pair" value=${ends} autocomplete="off" spellcheck="false" onInput=${(event) => setEnds(event.target.value)} /><//>
      <button type="submit">Trace</button></form></div>
    ${lost.length ? html`<div class="chips" role="group" aria-label="lost parts">Lost: ${lost.map((each, at) => html`<button type="button" class="chip" aria-label=${`restore ${each}`} onClick=${() => remove(at)}>${each} ×</button>`)}
      <button type="button" id="undo" onClick=${() => remove(lost.length - 1)}>undo</button><button type="button" id="clear" onClick=${() => change({ lost: "" })}>restore all</button></div>` : null}`;
}

/** The worst single losses of a kind; a click loses one. */
function LossRank({ source, kind, lost, lose, change }) {
  const args = { topology: source, most: MOST_RANKED, ...(kind === "usual" ? {} : { lose: [kind] }) };
  const task = useTask("losses", args);
  const rows = task.result ? task.result.losses.filter((loss) => loss.name) : [];
  return html`<h2>What hurts most</h2>
    ${READ_ONLY_SITE ? null : html`<p class="adding"><label class="pick"><b>single losses of</b><${Choice} label="single losses of" options=${RANKED} value=${kind} changed=${(value) => change({ rank: value === "usual" ? "" : value })} id="rank" /></label></p>`}
    <${Progress} job=${task.running} /><${Wrong} error=${task.error} />
    ${rows.length ? html`<div class="wide" tabindex="0" role="region" aria-label="the worst single losses"><table id="ranked"><thead><tr><th scope="col" class="text">lost</th><th scope="col" class="text">kind</th><th scope="col">hosts cut off</th><th scope="col">bandwidth left</th><th scope="col">least of a host</th></tr></thead>
      <tbody>${rows.map((loss) => html`<tr class=${lost.includes(loss.name) ? "best" : null}><td class="text">${READ_ONLY_SITE ? loss.name : html`<button type="button" class="link" onClick=${() => lose([loss.name])}>${loss.name}</button>`}</td><td class="text">${KIND_WORDS[loss.lose]}</td>
        <td>${written(loss.cut_off, 0)}</td><td>${percent(loss.uplinks_mean)}</td><td>${percent(loss.uplinks_least)}</td></tr>`)}</tbody></table></div>
      <p class="quiet">Of ${counted(task.result.hosts, "host")}. Bandwidth left: the share of the links of the hosts' switches, over all hosts, and of the host that loses most. Among equal losses the first are listed.</p>` : null}
    <${Commands} jobs=${[task.job]} />`;
}

const percent = (share) => `${written(100 * share, 2)} %`;

/** The network before and after the losses. */
function OutageResult({ source, lost, pair, speed, change, task }) {
  const args = { topology: source, lost, ...(pair ? { pair } : {}) };
  const fast = useTask("outage", speed ? { ...args, measure_throughput: true } : null);
  const result = task.result;
  return html`<${Progress} job=${task.running} /><${Wrong} error=${task.error} />
    ${result ? html`<div aria-busy=${!task.fresh}>${result.notes.map((note) => html`<p class="note">${note}</p>`)}
      <${Facts} pairs=${outageFacts(result)} />
      <${CutOff} result=${result} />
      <${Compared} result=${speed && fast.fresh && fast.result ? fast.result : result} />
      ${speed ? html`<${Progress} job=${fast.running} /><${Wrong} error=${fast.error} />` : html`<p><button type="button" id="throughput" onClick=${() => change({ throughput: 1 })}>Measure throughput before and after</button></p>`}
      ${pair ? html`<${PairPaths} result=${result} pair=${pair} />` : null}</div>` : null}
    <${Commands} jobs=${[task.job, speed ? fast.job : null]} />`;
}

const outageFacts = (result) => [
  ["lost", `${counted(result.lost_switches.length, "switch", "switches")} and ${counted(result.lost_links.length, "further cable")}`],
  ["hosts cut off", `${written(result.cut_off, 0)} of ${written(result.hosts, 0)}`],
  ["pairs of hosts without a path", `${written(result.pairs_disconnected, 0)} of ${written(result.pairs, 0)}`],
  ["working switches cut off", result.separated_switches || null],
  ["table entries that change", result.entries === null ? null : `${written(result.entries_changed, 0)} of ${written(result.entries, 0)}; ${written(result.entries_broken, 0)} used lost cables${result.rebuilt ? "; all tables are new" : ""}`],
  ["pairs with another virtual channel", result.virtual_channels_changed],
];

/** The names of the hosts that are cut off. */
function CutOff({ result }) {
  if (!result.cut_off) return null;
  const names = result.cut_off_hosts, more = result.cut_off - names.length;
  return html`<details><summary>${counted(result.cut_off, "host")} cut off</summary><p>${names.join(", ")}${more ? ` and ${written(more, 0)} more` : ""}</p></details>`;
}

/** Measures of both states: label, key, whether more is better (null: neither), digits. */
const STATE_ROWS = [["hosts", "hosts", true, 0], ["switches", "switches", true, 0], ["cables between switches", "links", true, 0], ["diameter", "diameter", false, 0], ["mean hops", "mean_hops", false, 4],
  ["pairs of switches on the most loaded cable", "max_load", false, 0], ["virtual channels", "virtual_channels", false, 0],
  ["bound of any routing, uniform traffic", "uniform_bound", true, 4], ["bound of any routing, worst traffic", "worst_bound", true, 4],
  ["throughput of the tables, uniform traffic", "uniform_throughput", true, 4], ["throughput of the tables, worst traffic", "worst_throughput", true, 4]];

function Compared({ result }) {
  const { before, after, names } = result;
  const rows = STATE_ROWS.filter(([, key]) => before[key] !== null || after[key] !== null);
  const tone = (key, up) => (before[key] === null || after[key] === null || before[key] === after[key] ? null : (after[key] > before[key]) === up ? "better" : "worse");
  const channel = (state) => state.most_loaded.map((each) => names[each]).join(" to ");
  const yes = (value) => (value === null ? "\u2013" : value ? "yes" : "no");
  return html`<div class="wide" tabindex="0" role="region" aria-label="before and after"><table id="compared"><thead><tr><th scope="col" class="text">measure</th><th scope="col">before</th><th scope="col">after</th></tr></thead>
    <tbody>${rows.map(([label, key, up, digits]) => html`<tr class=${tone(key, up)}><th scope="row" class="text">${label}</th><td>${written(before[key], digits)}</td><td>${written(after[key], digits)}</td></tr>`)}
      <tr><th scope="row" class="text">most loaded cable</th><td>${channel(before)}</td><td>${channel(after)}</td></tr>
      <tr><th scope="row" class="text">engine</th><td>${before.engine}</td><td>${after.engine || "\u2013"}</td></tr>
      <tr class=${before.deadlock_free && after.deadlock_free === false ? "worse" : null}><th scope="row" class="text">deadlock-free</th><td>${yes(before.deadlock_free)}</td><td>${yes(after.deadlock_free)}</td></tr></tbody></table></div>
    ${before.uniform_bound === null ? null : html`<p class="quiet">Throughputs are shares of the hosts' rate that all remaining hosts reach at once.</p>`}`;
}

/** The path of a pair by the tables, before and after, and paths that share no link. */
function PairPaths({ result, pair }) {
  const { names } = result;
  const line = (state) => (state.path.length ? html`<p class="pathline">${state.path.map((each) => names[each]).join(" \u2192 ")}${state.virtual_channel === null ? "" : ` (virtual channel ${state.virtual_channel})`}</p>` : html`<p class="wrong">no path</p>`);
  const after = result.after;
  return html`<h2>The path between ${pair.replace(",", " and ")}</h2><h3>before</h3>${line(result.before)}<h3>after</h3>${line(after)}
    <h3>${counted(after.disjoint, "path")} without a common cable, before ${result.before.disjoint}</h3>
    <ol class="paths">${after.alternatives.map((path) => html`<li class="pathline">${path.map((each) => names[each]).join(" \u2192 ")}</li>`)}</ol>`;
}

/** The drawing of the network, with what is lost and the path; a selected block, switch, link or bundle is lost by x or the button. */
function LossDrawing({ task, viewer, chosen, lost, lose, outage }) {
  useEffect(() => {
    if (!viewer) return;
    const struck = viewer.losses.struck(lost), known = outage || { lost_switches: [], lost_links: [] };
    const links = viewer.losses.struck(known.lost_links.map(([a, b]) => `link:${a}-${b}`)).links;
    viewer.set({ failed: { links: struck.links.length ? struck.links : links, switches: [...new Set([...struck.switches, ...known.lost_switches])], blocks: struck.blocks }, path: outage && outage.before.path.length ? outage.before.path : null, after: outage && outage.after.path.length ? outage.after.path : null });
  }, [viewer, outage, lost.join(",")]);
  return html`<${Progress} job=${task.running} /><${Wrong} error=${task.error} />${viewer ? html`<${Made} element=${viewer.element} />` : null}
    ${READ_ONLY_SITE || !viewer ? null : html`<${LoseChosen} viewer=${viewer} chosen=${chosen} lost=${lost} lose=${lose} />`}`;
}
