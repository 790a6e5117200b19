// The five questions: each answer is a key of the requirement, and its text is the only state.

/** A group of choices as cards; `options` are { value, title, text, picture }. */
function Cards({ name, label, options, value, changed }) {
  return html`<div class="choices-grid" role="radiogroup" aria-label=${label}>${options.map((one) => html`<label class="option ${one.value === value ? "chosen" : ""}"><input type="radio" name=${name} value=${one.value} checked=${one.value === value} onChange=${() => changed(one.value)} />
    ${one.picture || null}<span class="title">${one.title}</span>${one.text ? html`<small>${one.text}</small>` : null}</label>`)}</div>`;
}

/** A field whose text stays while it is typed, also when the page is drawn again; `changed` gets it when it is complete. */
function Typed({ value, changed, ...attributes }) {
  const [typed, setTyped] = useState(null);
  return html`<input ...${attributes} value=${typed ?? value} onInput=${(event) => setTyped(event.target.value)} onChange=${(event) => { setTyped(null); changed(event.target.value); }} onBlur=${() => setTyped(null)} />`;
}

/** A number of the requirement; empty means the default. */
function NumberField({ toml, set, name, label, unit, hint, errors, step = "any", scale = 1, usual = "" }) {
  const value = tomlValue(toml, name);
  const changed = (text) => set(name, text === "" ? null : Number(text) * scale);
  return html`<${Field} label=${label} unit=${unit} hint=${hint} error=${errors[name]}><${Typed} type="number" min="0" step=${step} value=${typeof value === "number" ? value / scale : ""} placeholder=${usual} aria-invalid=${errors[name] ? "true" : null} changed=${changed} /><//>`;
}

function Question({ number, title, children, error }) {
  return html`<section class="question" aria-labelledby=${`question-${number}`}><h2 id=${`question-${number}`}><span class="number" aria-hidden="true">${number}</span>${title}</h2>${children}${error ? html`<p class="wrong" role="alert">${error}</p>` : null}</section>`;
}

function Questions({ toml, set, setAll, replace, errors, catalogue, requirement, racks }) {
  const props = { toml, set, errors };
  const within = (...tables) => Object.entries(errors).filter(([key]) => tables.some((table) => key === table || key.startsWith(`${table}.`))).map(([, text]) => text)[0];
  return html`<div class="questions"><${Purpose} ...${props} setAll=${setAll} replace=${replace} purposes=${catalogue.purposes} />
    <${Hosts} ...${props} replace=${replace} kinds=${catalogue.hosts} catalogue=${catalogue} error=${within("hosts", "host")} />
    <${Switches} ...${props} setAll=${setAll} replace=${replace} catalogue=${catalogue} error=${within("switch", "parts", "prices", "rate_gbps", "network")} />
    <${Room} ...${props} setAll=${setAll} floors=${catalogue.rooms} error=${within("floor", "rack")} requirement=${requirement} racks=${racks} />
    <${Matters} ...${props} setAll=${setAll} replace=${replace} catalogue=${catalogue} error=${within("limits", "least", "minimize", "phase")} /></div>`;
}

/** What the keys of a network begin with: of a machine file, those of its first network. */
const ofNetwork = (toml) => (isMachine(toml) ? "network.0." : "");

function Purpose({ toml, replace, purposes }) {
  const machine = isMachine(toml), first = ofNetwork(toml), bandwidth = ["taper", "oversubscription", "blocking"].find((limit) => tomlValue(toml, `${first}limits.${limit}`) !== undefined);
  const now = (purposes.find(({ tables }) => bandwidth && tables.limits[bandwidth] === tomlValue(toml, `${first}limits.${bandwidth}`)) || {}).name;
  const choose = (name) => {
    const { tables } = purposes.find((one) => one.name === name), { limits, rails = null } = tables;
    const text = withKeys(toml, Object.fromEntries(["limits.taper", "limits.oversubscription", "limits.blocking", "rails"].map((key) => [`${first}${key}`, null])));
    replace(machine ? withKeys(text, flatKeys({ rails, limits }, first)) : withKeys(withoutTable(withoutTable(text, "host"), "rack"), flatKeys(tables)));
  };
  return html`<${Question} number="1" title="What is it for?"><${Cards} name="purpose" label="purpose" value=${now} changed=${choose} options=${purposes.map(({ name, title, description }) => ({ value: name, title, text: description }))} />
    ${machine ? html`<p class="quiet">It sets the bandwidth of the first network, ${tomlValue(toml, "network.0.name")}.</p>` : null}<//>`;
}

/** The front of a host from its data: height in rack units, its ports on this network in the accent colour, other ports grey. */
function HostFront({ kind }) {
  const tall = Math.max(1, Math.min(10, kind.u || 1)), height = 8 * tall, ports = Math.min(16, kind.nics), others = Math.min(8, (kind.other_ports || []).length);
  const square = (at, fill) => html`<rect x=${9 + 5.4 * (at % 17)} y=${height - 6 + 0.5} width="4" height="3.4" fill=${fill} />`;
  return html`<svg class="front" viewBox="0 0 120 ${height + 3}" width="120" height=${height + 3} aria-hidden="true">
    <rect x="0.5" y="0.5" width="119" height=${height} rx="1.5" fill="var(--wash)" stroke="var(--frame)" /><rect x="0.5" y="0.5" width="5" height=${height} fill="var(--line)" /><rect x="114.5" y="0.5" width="5" height=${height} fill="var(--line)" />
    ${Array.from({ length: Math.max(0, Math.ceil(tall) - 1) }, (_, at) => html`<line x1="10" x2="110" y1=${5 + 8 * at} y2=${5 + 8 * at} stroke="var(--edge)" stroke-dasharray="1.5 1.5" />`)}
    ${Array.from({ length: ports }, (_, at) => square(at, "var(--accent)"))}${Array.from({ length: others }, (_, at) => square(at + ports + 1, "var(--frame)"))}</svg>`;
}

/** The keys of a switch of the catalogues, with its prices. */
const keysOfSwitch = (sold) => ({ "switch.radix": null, "switch.product": sold.name, parts: sold.parts, prices: sold.quotes ? `uploads/${sold.quotes}.toml` : null, rate_gbps: sold.rate_gbps });

function Hosts({ toml, set, replace, kinds, catalogue, errors, error }) {
  const name = tomlValue(toml, "host.name"), known = kinds.find((kind) => kind.name === name), own = name !== undefined || tomlValue(toml, "host.nics") !== undefined;
  const parts = tomlValue(toml, "parts"), plain = { name: "node", nics: tomlValue(toml, "host.nics") || 1, u: tomlValue(toml, "host.u") || 1, power_w: tomlValue(toml, "host.power_w"), other_ports: [] };
  const choose = (chosen) => {
    const bare = withoutTable(toml, "host");
    if (chosen === "none") replace(withoutTable(bare, "rack"));
    else if (chosen === "plain") replace(withKeys(bare, { "host.name": "node", "host.nics": 1, "host.u": 1, "host.power_w": 900 }));
    else {
      // A catalogue that has the server, and a switch for its interfaces.
      const kind = kinds.find((one) => one.name === chosen), sold = catalogue.switches.find((one) => kind.parts.includes(one.parts) && one.rate_gbps >= kind.rate_gbps && one.parts.startsWith("infiniband")) || catalogue.switches.find((one) => kind.parts.includes(one.parts));
      replace(withKeys(bare, { ...(kind.parts.includes(parts) ? {} : keysOfSwitch(sold)), "host.name": chosen }));
    }
  };
  if (isMachine(toml)) return html`<${Question} number="2" title="How many hosts, of which kinds?" error=${error}><${HostKinds} ...${{ toml, set, replace, kinds, errors }} /><//>`;
  const options = [{ value: "none", title: "Ports only", text: "hosts as ports of switches; their racks are not planned" },
    { value: "plain", title: "Plain host", text: "interfaces, height and power as you enter them", picture: html`<${HostFront} kind=${plain} />` },
    ...kinds.map((kind) => ({ value: kind.name, title: kind.name, text: `${kind.nics}\u00a0\u00d7\u00a0${kind.rate_gbps}\u00a0Gb/s, ${kind.u}\u00a0U, ${written(kind.power_w / 1000, 1)}\u00a0kW`, picture: html`<${HostFront} kind=${kind} />` }))];
  return html`<${Question} number="2" title="How many hosts, of which kind?" error=${error}>
    <div class="row"><${CountField} label="Hosts" value=${tomlValue(toml, "hosts")} error=${errors.hosts} changed=${(count) => replace(withHosts(toml, "hosts", count))} /></div>
    <${Cards} name="host" label="kind of host" value=${known ? name : own ? "plain" : "none"} changed=${choose} options=${options} />
    ${own && !known ? html`<div class="row"><${NumberField} ...${{ toml, set, errors }} name="host.nics" label="Network ports" step="1" /><${NumberField} ...${{ toml, set, errors }} name="host.u" label="Height" unit="U" /><${NumberField} ...${{ toml, set, errors }} name="host.power_w" label="Power" unit="W" /></div>` : null}
    <${AddKind} kinds=${kinds} add=${(kind) => replace(withKind(asMachine(toml, kinds), kind))} /><//>`;
}

function Switches({ toml, set, setAll, replace, catalogue, errors, error }) {
  const product = tomlValue(toml, "switch.product"), radix = tomlValue(toml, "switch.radix"), quotes = tomlValue(toml, "prices");
  const choose = (name) => {
    const sold = catalogue.switches.find((one) => one.name === name);
    if (name === "radix") setAll({ "switch.product": null, "switch.radix": radix || 36, parts: "slimfly-2014", prices: null, rate_gbps: 40 });
    else setAll(keysOfSwitch(sold));
  };
  const options = [["radix", "any switch with this many ports"], ...catalogue.switches.map((one) => [one.name, `${one.name} \u2013 ${one.ports} ports of ${one.rate_gbps} Gb/s${one.vendor ? `, ${one.vendor}` : ""}${/^infiniband/.test(one.parts) ? ", InfiniBand" : /^ethernet/.test(one.parts) ? ", Ethernet" : ""}`])];
  const shown = product && !catalogue.switches.some(({ name }) => name === product) ? [[product, product], ...options] : options;
  const machine = isMachine(toml);
  return html`<${Question} number="3" title=${machine ? "Which networks, of which switches?" : "Which switches?"} error=${error}>${machine ? html`<${MachineNetworks} ...${{ toml, set, replace, catalogue, errors }} />` : html`<div class="row"><${Field} label="Switch"><${Choice} label="switch" value=${product || "radix"} options=${shown} changed=${choose} /><//>
    ${product ? null : html`<${NumberField} ...${{ toml, set, errors }} name="switch.radix" label="Ports" step="1" />`}<${NumberField} ...${{ toml, set, errors }} name="rate_gbps" label="Rate of a link" unit="Gb/s" usual="40" /></div>`}
    <div class="row"><div class="field"><span class="label">Prices</span><${FileChoice} label="quotes" suffixes=${[".toml"]} value=${quotes} none="of the catalogue" changed=${(file) => set("prices", file || null)} />
    ${/made-up/.test(quotes || "") ? html`<small class="warn">These quotes are made up: replace them by your own.</small>` : null}</div></div><//>`;
}

/** Racks of a room from above: rows with an aisle between them. */
function RoomPicture({ rows, columns, width = 0.6, depth = 2.1 }) {
  const many = Math.min(40, rows), wide = Math.min(60, columns), scale = Math.min(14, 300 / (wide * width), 170 / (many * depth)), rack = Math.min(1.2, depth * 0.6);
  return html`<svg class="room" role="img" aria-label=${`${rows} rows of ${columns} racks`} width=${wide * width * scale + 8} height=${many * depth * scale + 8}>
    ${Array.from({ length: many }, (_, row) => Array.from({ length: wide }, (_, at) => html`<rect x=${4 + at * width * scale} y=${4 + row * depth * scale} width=${Math.max(1, width * scale - 1)} height=${Math.max(1, rack * scale)} fill="var(--chosen)" stroke="var(--accent)" stroke-width="0.6" />`))}</svg>`;
}

function Room({ toml, set, setAll, floors, errors, error, requirement = {}, racks }) {
  const file = tomlValue(toml, "floor.file"), rows = tomlValue(toml, "floor.rows"), columns = tomlValue(toml, "floor.columns"), preset = tomlValue(toml, "floor.preset") || "slimfly-2014";
  const floor = floors.find(({ name }) => name === preset) || floors[0], [asked, ask_] = useState(null), kind = asked || (file ? "file" : rows || columns ? "size" : "free"), machine = isMachine(toml);
  const clear = { "floor.file": null, "floor.rows": null, "floor.columns": null };
  const choose = (next) => {
    ask_(next === "file" ? "file" : null);
    if (next === "size") setAll({ ...clear, "floor.preset": tomlValue(toml, "floor.preset") || "koibuchi-2013", "floor.rows": 6, "floor.columns": 10 });
    else if (next === "free") setAll({ ...clear, "floor.preset": tomlValue(toml, "floor.preset") || "koibuchi-2013" });
  };
  const choice = (chosen) => { ask_(null); setAll(chosen ? { "floor.preset": null, "floor.rows": null, "floor.columns": null, "floor.file": chosen } : { ...clear, "floor.preset": "koibuchi-2013" }); };
  return html`<${Question} number="4" title="Which room?" error=${error}>
    <${Cards} name="room" label="room" value=${kind} changed=${choose} options=${[{ value: "free", title: "No limit", text: "as many racks as needed, nearly square" }, { value: "size", title: "Rows of racks", text: "a room of this size" }, { value: "file", title: "My room", text: "a floor file, .toml or .csv" }]} />
    ${kind === "size" ? html`<div class="row"><${NumberField} ...${{ toml, set, errors }} name="floor.rows" label="Rows" step="1" /><${NumberField} ...${{ toml, set, errors }} name="floor.columns" label="Racks in a row" step="1" />${rows && columns ? html`<${RoomPicture} rows=${rows} columns=${columns} width=${floor.width_m} depth=${floor.depth_m} />` : null}</div>
      <p class="quiet">${rows && columns ? `${written(rows * columns, 0)} places of ${floor.width_m} m \u00d7 ${floor.depth_m} m, aisle included` : ""}</p>` : null}
    ${kind === "file" ? html`<${FileChoice} label="floor file" suffixes=${[".toml", ".csv"]} value=${file} none="choose a floor file" changed=${choice} />`
      : html`<div class="row"><${Field} label="Place of a rack"><${Choice} label="dimensions" value=${preset} options=${floors.map(({ name, width_m, depth_m }) => [name, `${width_m} m \u00d7 ${depth_m} m per rack, aisle included (${name})`])} changed=${(name) => set("floor.preset", name)} /><//></div>`}
    ${machine || requirement.host ? html`<div class="row"><${NumberField} ...${{ toml, set, errors }} name="rack.u" label="Height of a rack" unit="U" usual=${requirement.rack ? requirement.rack.u : ""} /><${NumberField} ...${{ toml, set, errors }} name="rack.power_w" label="Power of a rack" unit="kW" scale=${1000} hint="no limit if empty" /></div>
      <${RacksNeeded} racks=${racks} places=${kind === "size" ? rows * columns : 0} />` : null}<//>`;
}

const MATTERS = { cost: ["Cost", "the whole bill"], power: ["Power", "of switches and optics"], latency: ["Latency", "mean, without load"], growth: ["Growth", "idle ports for a quarter more hosts"] };

function Matters({ toml, set, setAll, replace, catalogue, errors, error }) {
  const machine = isMachine(toml), first = ofNetwork(toml), minimize = tomlValue(toml, `${first}minimize`) || "cost_usd", grow = tomlValue(toml, "least.grow_to_hosts"), hosts = tomlValue(toml, "hosts") || 0;
  const now = grow ? "growth" : Object.keys(MATTERS).find((name) => catalogue.matters[name] === minimize) || (minimize === "cost_per_host_usd" ? "cost" : undefined);
  const choose = (name) => setAll(machine ? Object.fromEntries(networksIn(toml).flatMap(({ spec, uplink }, at) => (spec || uplink ? [] : [[`network.${at}.minimize`, catalogue.matters[name]]])))
    : { minimize: catalogue.matters[name], "least.grow_to_hosts": name === "growth" ? Math.ceil(hosts * (1 + catalogue.growth)) : null });
  const props = { toml, set, errors };
  return html`<${Question} number="5" title="What matters most?" error=${error}><${Cards} name="matters" label="objective" value=${now} changed=${choose} options=${Object.entries(MATTERS).filter(([name]) => !machine || name !== "growth").map(([value, [title, text]]) => ({ value, title, text }))} />
    <div class="row"><${NumberField} ...${props} name="limits.cost_usd" label="Cost at most" unit="USD" hint="no limit if empty" /><${NumberField} ...${props} name=${machine ? "limits.network_power_w" : "limits.power_w"} label="Power at most" unit="kW" scale=${1000} hint="of the network" /><${NumberField} ...${props} name=${`${first}limits.diameter`} label="Hops at most" step="1" hint="between two switches" /></div>
    <${Growth} ...${props} replace=${replace} /><//>`;
}

/** The racks that the hosts need, before anything is designed. */
function RacksNeeded({ racks, places }) {
  if (!racks) return null;
  const less = places && racks.racks > places;
  return html`<p class=${less ? "warn" : "quiet"}>${racks.rack.replace(/^a/, "A")} holds ${counted(racks.hosts_per_rack, "host")}: ${counted(racks.racks, "rack")} for the hosts alone${less ? `, but the room has ${written(places, 0)}. Give it more, or choose smaller hosts or larger racks` : ""}.</p>`;
}

/** What applies without an answer, in short words. */
function Assumed({ toml, requirement }) {
  if (!requirement) return null;
  if (requirement.network) {
    const { rack, shortlist, minutes } = requirement;
    return html`<p class="assumed"><b>Also assumed:</b> ${`racks of ${written(rack.u, 0)} U; hosts of computing and storage fill racks of their own; leaf switches stand in the middle of their row; the cheapest ${counted(shortlist, "machine")} placed and priced, the networks of the best assessed in full, in ${minutes} min`}.</p>`;
  }
  const { switch: chosen, cable, families, limits } = requirement;
  const lines = [requirement.rails ? "port n of every host is on the same switches as port n of the others (rails)" : "", `${written(chosen.delay_ns, 0)} ns per switch and ${cable.delay_ns_per_m} ns per metre of cable`,
    families.only && families.only.length ? `families: ${families.only.join(", ")}` : families.try && families.try.length ? `families: ${families.try.join(", ")}` : families.preset === "everything" ? "every family" : "families that vendors sell and support",
    tomlValue(toml, "limits.oversubscription") || tomlValue(toml, "limits.taper") || !limits.blocking ? "" : `at most ${limits.blocking} host ports per link up`,
    `networks above ${limits.cost_over_best} times the cost of the best are not pursued`, `${counted(requirement.shortlist, "network")} assessed in full, in ${requirement.minutes} min`, tomlValue(toml, "parts") ? "" : `prices of ${requirement.parts}`];
  return html`<p class="assumed"><b>Also assumed:</b> ${lines.filter(Boolean).join("; ")}.</p>`;
}

/** Every table and key, with its meaning; for those who want them. */
function AllSettings({ toml, set, errors, catalogue }) {
  return html`<details class="all-settings"><summary>All settings</summary>${catalogue.requirement.map(({ table, fields }) => html`<details><summary>${table ? `[${table}]` : "Top level"}</summary><div class="form">${fields.map((one) => {
    const key = table ? `${table}.${one.name}` : one.name;
    return html`<${Field} label=${one.name} unit=${one.unit} hint=${one.description} error=${errors[key]}><${Setting} name=${key} one=${one} value=${tomlValue(toml, key)} set=${set} /><//>`;
  })}</div></details>`)}</details>`;
}

function Setting({ name, one, value, set }) {
  const given = value === undefined ? "" : String(value);
  if (/^(a|a whole) number/.test(one.accepts)) return html`<input type="number" step=${/whole/.test(one.accepts) ? 1 : "any"} title=${one.accepts} placeholder=${one.default} value=${given} onChange=${(event) => set(name, event.target.value === "" ? null : Number(event.target.value))} />`;
  const choices = /^yes or no/.test(one.accepts) ? [["true", "yes"], ["false", "no"]] : / or /.test(one.accepts) && !/^text/.test(one.accepts) ? one.accepts.split(" or ").filter((each) => each !== "none").map((each) => [each, each]) : null;
  if (choices) return html`<${Choice} label=${name} value=${given} options=${[["", one.default ? `(${one.default})` : ""], ...choices]} changed=${(text) => set(name, text === "" ? null : /^(true|false)$/.test(text) ? text === "true" : text)} />`;
  return html`<input type="text" title=${one.accepts} placeholder=${one.default} value=${given} onChange=${(event) => set(name, event.target.value || null)} />`;
}
