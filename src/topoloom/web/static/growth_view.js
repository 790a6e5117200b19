// Growth: a plan played step by step, the stored phases of a design, and the growth of a machine.

const PLAY_MS = 1800, MOST_PULLED = 400;

function GrowthView({ source, network, query, go }) {
  const phases = useStoredPhases(source), machine = Boolean(network.kinds);
  const asked = { to: query.get("to") || "", into: query.get("into") || "", floor: query.get("floor") || "" };
  const change = (settings, push = true) => go("/network", { source, view: "growth", ...asked, step: query.get("step") || "", ...settings }, { push });
  const step = { at: Number(query.get("step") || 1), set: (at) => change({ step: at > 1 ? at : "" }, false) };
  const plans = asked.to || asked.into;
  return html`${READ_ONLY_SITE ? null : html`<${GrowthForm} machine=${machine} asked=${asked} switches=${network.switches} change=${change} />`}
    ${plans ? html`<${machine ? MachineGrowth : PlayedPlan} source=${source} asked=${asked} step=${step} />`
      : phases.loading ? null : phases.record ? html`<${PlayedPhases} phases=${phases} step=${step} />`
        : phases.machines.length ? html`<${MachinePhases} source=${source} phases=${phases} step=${step} />`
          : html`<p>${READ_ONLY_SITE ? "No phases are stored with this network. A design whose requirement has phases stores them, and so does 'topoloom phases -o'; 'topoloom expand' plans a growth cable by cable, and the explorer (topoloom serve) plays it step by step." : machine ? "Give a machine file with more hosts: the devices, cables and items that the growth adds are listed." : "Give a size, or another network: the plan is played step by step. A design with phases has them here."}</p>`}`;
}

/** The fields of a growth: a size, or what the network becomes. */
function GrowthForm({ machine, asked, switches, change }) {
  const [fields, setFields] = useState(asked), key = JSON.stringify(asked);
  useEffect(() => setFields(asked), [key]);
  const set = (name) => (event) => setFields((earlier) => ({ ...earlier, [name]: event.target.value }));
  const submit = (event) => { event.preventDefault(); const { to, into, floor } = fields; change({ to: into.trim() ? "" : to, into: into.trim(), floor: floor.trim(), step: "" }); };
  return html`<form class="form" id="growth-form" onSubmit=${submit}>
    ${machine ? null : html`<${Field} label="grow to" unit=${typeof switches === "number" ? `switches or hosts, as the method counts; now ${switches} switches` : ""}><input id="to" type="number" min="1" value=${fields.to} onInput=${set("to")} /><//>`}
    <${Field} label=${machine ? "its machine file with more hosts" : "or into another network"} hint=${machine ? "a file of a served folder" : "a spec, a file or a folder"}><input id="into" value=${fields.into} spellcheck="false" onInput=${set("into")} /><//>
    ${machine ? null : html`<${Field} label="floor" hint="a preset or a floor file; as laid out, or slimfly-2014, if empty"><input value=${fields.floor} spellcheck="false" onInput=${set("floor")} /><//>`}
    <div><button type="submit" class="primary" id="grow">Plan the growth</button></div></form>`;
}

/** The buttons, the slider and the keys that go from step to step. */
function Player({ count, step, title }) {
  const [playing, setPlaying] = useState(false), at = Math.max(1, Math.min(count, step.at || 1));
  const to = (number) => { const next = Math.max(1, Math.min(count, number)); if (next !== at) step.set(next); };
  useEffect(() => {
    if (!playing) return undefined;
    if (at >= count) { setPlaying(false); return undefined; }
    const timer = setTimeout(() => to(at + 1), PLAY_MS);
    return () => clearTimeout(timer);
  }, [playing, at]);
  useEffect(() => announce(`step ${at} of ${count}: ${title}`), [at]);
  const button = (id, text, label, number, off) => html`<button type="button" id=${id} aria-label=${label} disabled=${off} onClick=${() => { setPlaying(false); to(number); }}>${text}</button>`;
  return html`<div class="playing" role="group" aria-label="steps">${button("first", "first", "first step", 1, at <= 1)}${button("previous", "previous", "previous step", at - 1, at <= 1)}
    <button type="button" id="play" aria-pressed=${playing} onClick=${() => { if (!playing && at >= count) step.set(1); setPlaying(!playing); }}>${playing ? "pause" : "play"}</button>
    ${button("next", "next", "next step", at + 1, at >= count)}${button("last", "last", "last step", count, at >= count)}
    <input type="range" min="1" max=${count} value=${at} aria-label="step" aria-valuetext=${`step ${at} of ${count}: ${title}`} onInput=${(event) => { setPlaying(false); to(Number(event.target.value)); }} /></div>`;
}

const CABLE_COLUMNS = [["work", "work", true], ["cable", "cable"], ["from", "from", true], ["a", "switch"], ["a_port", "port"], ["a_rack", "rack", true], ["b", "switch or host"], ["b_port", "port"], ["b_rack", "rack", true], ["stock_m", "m"], ["product", "product", true]]
  .map(([key, title, words]) => ({ key, title, text: words }));

/** The plan of a network, step by step. */
function PlayedPlan({ source, asked, step }) {
  const args = { topology: source, ...(asked.into ? { into: asked.into } : { to: Number(asked.to) }), ...(asked.floor ? { floor: asked.floor } : {}) };
  const task = useTask("grow", args), plan = task.result;
  return html`<${Progress} job=${task.running} /><${Wrong} error=${task.error} />${plan ? (plan.steps.length ? html`<${PlanSteps} plan=${plan} step=${step} />` : html`<p>There is nothing to do.</p>`) : null}<${Commands} jobs=${[task.job]} />`;
}

function PlanSteps({ plan, step }) {
  const count = plan.steps.length, at = Math.max(1, Math.min(count, step.at || 1)), now = plan.steps[at - 1], earlier = at > 1 ? plan.steps[at - 2] : plan.before;
  const picture = useMemo(() => `data:image/svg+xml,${encodeURIComponent(now.picture)}`, [now]);
  const change = (key, digits) => (now[key] === null ? "\u2013" : `${written(now[key], digits)}${earlier[key] === null || earlier[key] === now[key] ? "" : ` (was ${written(earlier[key], digits)})`}`);
  const rows = now.cables.slice(0, MOST_PULLED).map((cable) => ({ ...cable, from: cable.from === null ? "" : `switch ${cable.from} port ${cable.from_port}` }));
  return html`<h2 id="step">Step ${at} of ${count}: ${now.title}</h2><${Player} count=${count} step=${{ at, set: step.set }} title=${now.title} />
    <${GrownStructure} drawing=${plan.drawing} states=${now.states} />
    <div class="growing"><figure><img id="floor" src=${picture} alt=${`the floor in step ${at}: ${now.title}; ${now.unplug} cables unplugged, ${now.move} moved, ${now.add} added`} style=${{ maxWidth: "100%", maxHeight: "56vh", width: "auto" }} /></figure>
    <${Facts} pairs=${[["hosts", change("hosts", 0)], ["switches", change("switches", 0)], ["new racks", now.new_racks.join(", ")], ["cables", `${now.unplug} unplugged, ${now.move} moved, ${now.add} added`], ["diameter", change("diameter", 0)], ["mean hops", change("aspl", 4)], ["bound on uniform throughput", change("uniform_bound", 4)],
      ["connected", now.connected ? "yes" : "no"], ["most switches cut off meanwhile", now.cut_off], ["cost of the step", `${written(now.cost_usd, 0)} ${plan.currency}`], ["cost so far", `${written(now.cumulated_usd, 0)} of ${written(plan.total_usd, 0)} ${plan.currency}`]]} /></div>
    <h3>${counted(now.cables.length, "cable")} to pull</h3><${Rows} id="pull" caption="cables to pull" columns=${CABLE_COLUMNS} rows=${rows} />
    ${now.cables.length > MOST_PULLED ? html`<p class="quiet">and ${written(now.cables.length - MOST_PULLED, 0)} more: topoloom expand -o writes all of them</p>` : null}
    <h3>All steps</h3><${Rows} id="steps" caption="all steps" best=${at - 1} columns=${[["number", "step"], ["title", "what", true], ["hosts", "hosts"], ["switches", "switches"], ["diameter", "diameter"], ["aspl", "mean hops"], ["uniform_bound", "uniform bound"], ["cost_usd", `cost [${plan.currency}]`], ["cumulated_usd", "cost so far"]].map(([key, title, words]) => ({ key, title, text: words, digits: { aspl: 4, uniform_bound: 4, cost_usd: 0, cumulated_usd: 0 }[key] }))} rows=${plan.steps.map((each, number) => ({ number: number + 1, ...each }))} />
    <p class="quiet">Method ${plan.method}. ${counted(plan.bought, "cable")} to buy, the longest ${written(plan.longest_new_m, 1)} m; ${written(plan.kept, 0)} are not touched. The cost of switches, racks and installation is split by what each step adds.</p>`;
}

/** The structure in one step: what stays, what is added, moved and unplugged, by colour and sign. */
function GrownStructure({ drawing, states }) {
  const viewer = useMemo(() => makeStructure(drawing), [drawing]);
  useEffect(() => viewer.set({ growth: { links: unpacked(states.links), switches: unpacked(states.switches) } }), [viewer, states]);
  return html`<${Made} element=${viewer.element} class="grown" />`;
}

/** The structures of stored phases, or of a machine's network in its phases; nothing where they cannot be drawn together. */
function DrawnStages({ sources, at, title }) {
  const task = useTask("stages", sources.length > 1 && !SITE ? { networks: sources } : null);
  return html`<${Progress} job=${task.running} />${task.error ? html`<p class="quiet">The phases are not drawn together: ${task.error.message}</p>` : null}
    ${task.result && task.result.states[at] ? html`<h3>${title}</h3><${GrownStructure} drawing=${task.result.drawing} states=${task.result.states[at]} />` : null}`;
}

/** The stored phases of a machine: links to each, and the structure of its networks from one to the next. */
function MachinePhases({ source, phases: { machines, networks }, step }) {
  const names = machines.map((address) => address.slice(source.length + "/phases/".length)), count = machines.length - 1, at = Math.max(1, Math.min(count, step.at || 1));
  return html`<h2>Phases</h2><p>The machine after each of its phases:</p><ul>${machines.map((address, i) => html`<li><a href=${href("/network", { source: address })}>${names[i]}</a></li>`)}</ul>
    ${count > 0 && !SITE ? html`<h2 id="step">From ${names[at - 1]} to ${names[at]}</h2>${count > 1 ? html`<${Player} count=${count} step=${{ at, set: step.set }} title=${`from ${names[at - 1]} to ${names[at]}`} />` : null}
      ${networks.map((name) => html`<${DrawnStages} key=${name} sources=${machines.map((address) => `${address}/networks/${name}`)} at=${at - 1} title=${`Network ${name}`} />`)}` : null}`;
}

/** The growth of a machine: one step in which nothing that exists is moved. */
function MachineGrowth({ source, asked }) {
  const task = useTask("grow", { topology: source, into: asked.into }), result = task.result;
  const columns = (names) => names.map(([key, title, words]) => ({ key, title, text: words }));
  return html`<${Progress} job=${task.running} /><${Wrong} error=${task.error} />
    ${result ? html`<h2 id="step">${result.title}</h2><${Facts} pairs=${[...Object.entries(result.hosts).map(([kind, count]) => [`new hosts: ${kind}`, count]), ["new racks", result.racks.join(", ")], ["racks that get more", result.filled.join(", ")], ["cables to pull", result.cables.length], ["cost", `${written(result.cost_usd, 0)} ${result.currency}`], ["without a price", result.unpriced.join(", ")]]} />
      <h3>Networks</h3><${Rows} caption="networks" columns=${columns([["name", "network", true], ["devices", "new devices"], ["ports", "their ports"], ["switches", "new switches"], ["links", "new links"], ["free_ports", "free ports afterwards"]])} rows=${result.networks} />
      ${Object.entries(result.drawings).map(([name, drawn]) => html`<h3>Network ${name}: what is new</h3><${GrownStructure} drawing=${drawn.drawing} states=${drawn.states[0]} />`)}
      <h3>Cables to pull</h3><${Rows} id="pull" caption="cables to pull" columns=${columns([["network", "network", true], ["a_device", "device", true], ["a_port", "port", true], ["a_rack", "rack", true], ["b_device", "device", true], ["b_port", "port", true], ["b_rack", "rack", true], ["rate_gbps", "Gb/s"], ["length_m", "m"]])} rows=${result.cables.slice(0, MOST_PULLED)} />
      ${result.cables.length > MOST_PULLED ? html`<p class="quiet">and ${written(result.cables.length - MOST_PULLED, 0)} more: topoloom expand -o writes all of them</p>` : null}
      <h3>New devices</h3><${Rows} caption="new devices" columns=${columns([["name", "device", true], ["kind", "kind", true], ["network", "network", true], ["rack", "rack", true], ["unit", "unit"]])} rows=${result.devices.slice(0, MOST_PULLED)} />` : null}<${Commands} jobs=${[task.job]} />`;
}

/** The phases that are stored with a network: in its folder, below it, or below the folder of its design. */
function useStoredPhases(source) {
  const [state, setState] = useState({ loading: true, record: null, address: "", machines: [], networks: [] });
  useEffect(() => {
    let current = true;
    const parent = source.replace(/\/[^/]+$/, ""), above = parent.replace(/\/(shortlist|phases)$/, "");
    api("/api/folders").then(async (folders) => {
      const machines = folders.filter(({ address }) => address.startsWith(`${source}/phases/`) && !address.slice(source.length + "/phases/".length).includes("/")).map(({ address }) => address);
      const folder = [source, `${source}/phases`, parent, `${above}/phases`].map((address) => folders.find((each) => each.address === address && each.files.includes("phases.json"))).find(Boolean);
      const record = folder ? await api(`/files/${`${folder.address}/phases.json`.split("/").map(encodeURIComponent).join("/")}`) : null;
      // Networks that every phase has.
      const within = (machine) => folders.filter(({ address }) => address.startsWith(`${machine}/networks/`)).map(({ address }) => address.slice(machine.length + "/networks/".length)).filter((name) => !name.includes("/"));
      const networks = machines.length ? machines.map(within).reduce((all, names) => all.filter((name) => names.includes(name))) : [];
      if (current) setState({ loading: false, record, address: folder ? folder.address : "", machines, networks });
    }).catch(() => current && setState({ loading: false, record: null, address: "", machines: [], networks: [] }));
    return () => { current = false; };
  }, [source]);
  return state;
}

/** The stored phases of a design, one after the other. */
function PlayedPhases({ phases: { record, address }, step }) {
  const all = record.phases, count = all.length, at = Math.max(1, Math.min(count, step.at || 1)), now = all[at - 1];
  const currency = (record.provenance.settings || {}).currency || "USD", title = `phase ${now.number}${now.by ? `, ${now.by}` : ""}`;
  const bought = Object.entries(now.new_switches).map(([level, number]) => `${written(number, 0)} ${level}`).join(", ");
  const columns = (names) => names.map(([key, name, words, digits]) => ({ key, title: name, text: words, digits }));
  return html`<h2 id="step">Phase ${at} of ${count}${now.by ? `: ${now.by}` : ""}</h2><${Player} count=${count} step=${{ at, set: step.set }} title=${title} />
    <${Facts} pairs=${[["hosts", `${written(now.hosts, 0)} (before ${written(now.earlier_hosts, 0)})`], ["switches", now.switches], ["new switches", bought], ["cables to pull", now.new_cables], ["cables that move", now.moved], ["new racks", now.new_racks], ["ports kept for later phases", now.ports_reserved], ["ports that no phase uses", now.ports_free],
      ["throughput of uniform traffic", now.tables ? written(now.tables.uniform_throughput ?? null, 4) : null], ["cost of the phase", `${written(now.cost_usd, 0)} ${currency}`], ["cost so far", `${written(now.total_usd, 0)} of ${written(all[count - 1].total_usd, 0)} ${currency}`], ["power", `${written(now.power_w / 1000, 1)} kW`]]} />
    ${SITE ? null : html`<p><a href=${href("/network", { source: `${address}/${now.number}` })}>The network after this phase</a>, with its room, bill and cables</p>`}
    ${at > 1 ? html`<${DrawnStages} sources=${all.map((phase) => `${address}/${phase.number}`)} at=${at - 2} title="What is new in the structure" />` : null}
    <h3>Bought for the phase</h3><${Rows} id="bought" caption="bought for the phase" columns=${columns([["item", "part", true], ["count", "count", false, 0], ["low", `cost, low [${currency}]`, false, 0], ["high", "high", false, 0], ["power_w", "W", false, 0]])} rows=${now.bought.map((line) => ({ ...line, low: line.cost_low_usd, high: line.cost_high_usd }))} />
    <h3>All phases</h3><${Rows} id="steps" caption="all phases" best=${at - 1} columns=${columns([["number", "phase"], ["by", "date", true], ["hosts", "hosts"], ["switches", "switches"], ["new_cables", "new cables"], ["moved", "moved"], ["new_racks", "new racks"], ["cost_usd", `cost [${currency}]`, false, 0], ["total_usd", "cost so far", false, 0]])} rows=${all} />`;
}
