// Machine files in the questions: several kinds of hosts, and the networks that join them.

/** Keys of a requirement that a machine file has per network. */
const KEYS_OF_NETWORK = ["rate_gbps", "planes", "rails", "minimize", "switch", "cable", "limits", "least", "collective", "families", "search"];
/** Keys that a machine file does not have. */
const ONE_NETWORK_ONLY = ["usual", "compare"];
/** Limits of one network, which are then of the machine. */
const LIMITS_OF_MACHINE = { cost_usd: "cost_usd", power_w: "network_power_w", racks: "racks", switches: "switches" };
/** Keys of a host that a machine file has per network, with its ports. */
const KEYS_OF_PORTS = ["rate_gbps", "nic", "connector", "cages", "devices"];
const FIRST_NETWORK = "compute";

/** The comment behind a key, with two spaces in front. */
function commentAt(toml, key) {
  const entry = entryOf(toml, key), comment = entry && /^[^\n#]*(#.*)/.exec(toml.slice(entry.to));
  return comment ? `  ${comment[1].trimEnd()}` : "";
}

/** A requirement as a machine file of one network, which can have further kinds of hosts; every line and comment stays. */
function asMachine(toml, kinds) {
  const known = kinds.find(({ name }) => name === tomlValue(toml, "host.name")), host = tomlTable(toml, "host"), name = host.name || "node";
  const ports = Object.fromEntries([["count", (host.nics || (known && known.nics) || 1) * (host.ports || 1)], ...KEYS_OF_PORTS.map((key) => [key, host[key]])].filter(([, value]) => value !== undefined));
  const { heads } = scanToml(toml), blocks = { whole: "", host: "", network: "", rest: "" };
  heads.forEach(({ path, start }, at) => {
    const [from, to] = tomlSection(toml, at), group = !path.length ? "whole" : path[0] === "host" ? "host" : KEYS_OF_NETWORK.includes(path[0]) ? "network" : "rest";
    const words = path[0] === "host" ? toml.slice(from, start) + toml.slice(start, to).replace(/^\[\s*host\s*\]/, "[[host]]") : group === "network" ? toml.slice(from, start) + toml.slice(start, to).replace(/^(\[\[?)\s*/, "$1network.") : toml.slice(from, to);
    blocks[group] += words;
  });
  let network = "", count = `count = ${tomlValue(toml, "hosts") || 1}\n`, whole = blocks.whole;
  for (const entry of scanToml(whole).entries.filter(({ inline }) => !inline).reverse()) {
    const first = entry.path[0];
    if (first !== "hosts" && !KEYS_OF_NETWORK.includes(first) && !ONE_NETWORK_ONLY.includes(first)) continue;
    const left = withoutEntry(whole, entry), line = whole.slice(entry.start, entry.start + whole.length - left.length).trimEnd();
    if (first === "hosts") count = `${line.replace("hosts", "count")}\n`;
    else if (KEYS_OF_NETWORK.includes(first)) network = `${line}\n${network}`;
    whole = ONE_NETWORK_ONLY.includes(first) ? spliced(whole, entry.start, entry.start, "# not of a machine: ") : left;
  }
  const hosts = blocks.host || `[[host]]\nname = ${tomlOf(name)}\nu = 1\npower_w = 900\n`, head = hosts.indexOf("[[host]]") + "[[host]]".length;
  let text = [whole, spliced(hosts, head, head, host.name || !blocks.host ? "" : `\nname = ${tomlOf(name)}`), `[[network]]\nname = "${FIRST_NETWORK}"\n${network}`, blocks.network, blocks.rest].map((part) => part.trim()).filter(Boolean).join("\n\n");
  text += "\n";
  const comments = [];
  for (const key of ["nics", "ports", ...KEYS_OF_PORTS]) {
    comments.push(commentAt(text, `host.0.${key}`));
    text = withKey(text, `host.0.${key}`, null);
  }
  const at = text.indexOf("\n", entryOf(text, "host.0.name").to) + 1;
  text = spliced(text, at, at, `${count}ports = ${tomlOf({ [FIRST_NETWORK]: Object.keys(ports).length > 1 ? ports : ports.count })}${comments.join("")}\n`);
  for (const [limit, key] of Object.entries(LIMITS_OF_MACHINE)) {
    const entry = entryOf(text, `network.0.limits.${limit}`), words = commentAt(text, `network.0.limits.${limit}`);
    if (!entry) continue;
    text = withKeys(text, { [`network.0.limits.${limit}`]: null, [`limits.${key}`]: entry.value });
    const { to } = entryOf(text, `limits.${key}`);
    text = spliced(text, to, to, words);
  }
  for (let phase = 0; phase < tomlCount(text, "phase"); phase += 1) text = withKeys(text, { [`phase.${phase}.name`]: tomlValue(text, `phase.${phase}.by`) || `phase-${phase + 1}`, [`phase.${phase}.by`]: null, [`phase.${phase}.hosts`]: { [name]: tomlValue(text, `phase.${phase}.hosts`) } });
  return text;
}

const numbersTo = (count) => Array.from({ length: count }, (_, at) => at);
const kindsIn = (toml) => numbersTo(tomlCount(toml, "host")).map((at) => tomlTable(toml, `host.${at}`));
const networksIn = (toml) => numbersTo(tomlCount(toml, "network")).map((at) => tomlTable(toml, `network.${at}`));

/** A name that none of the others has: "login node 2". */
function freeName(name, names) {
  let free = name;
  for (let number = 2; names.includes(free); number += 1) free = `${name} ${number}`;
  return free;
}

/** TOML with a further kind of hosts: a server of the catalogue, or a plain one. */
function withKind(toml, kind) {
  const names = kindsIn(toml).map(({ name }) => name), networks = networksIn(toml).filter(({ serves }) => serves === undefined), first = networks.slice(0, 1).map(({ name }) => name)[0];
  const name = freeName(kind ? kind.name : "login node", names), own = kind ? (name === kind.name ? {} : { product: kind.name }) : { role: "login", u: 1, power_w: 600 };
  const wanted = kind ? { [first]: kind.nics } : Object.fromEntries(networks.map((network) => [network.name, 1]));
  return withTable(toml, "host", { name, count: kind ? 8 : 4, ports: wanted, ...own });
}

/** TOML with another name of a kind of hosts or of a network (`table`), also where other tables name it. */
function renamed(toml, table, at, name) {
  const old = tomlValue(toml, `${table}.${at}.name`), { entries } = scanToml(toml);
  const naming = (path) => path.at(-1) === old && (table === "host" ? path[0] === "phase" && path.at(-2) === "hosts" : path[0] === "host" && path.at(-2) === "ports");
  const keyed = entries.filter(({ path }) => naming(path)).reduceRight((text, { path, start }) => {
    const key = /^(?:"[^"]*"|'[^']*'|[\w-]+)/.exec(text.slice(start));
    return key && path.length ? spliced(text, start, start + key[0].length, tomlName(name)) : text;
  }, toml);
  const uplinks = table === "network" ? entries.filter(({ path, value }) => path[0] === "network" && path[2] === "uplink" && value === old).map(({ path }) => path) : [];
  const texts = uplinks.reduce((text, path) => withKey(text, path, name), keyed);
  const served = entries.filter(({ path, value }) => path[0] === "network" && path[2] === "serves" && Array.isArray(value) && value.includes(old));
  return withKey(served.reduce((text, { path, value }) => withKey(text, path, value.map((one) => (one === old ? name : one))), texts), `${table}.${at}.name`, name);
}

/** TOML without a network, and without the ports on it. */
function withoutNetwork(toml, at) {
  const name = tomlValue(toml, `network.${at}.name`);
  return kindsIn(toml).reduce((text, _, kind) => withKey(text, ["host", kind, "ports", name], null), withoutTable(toml, `network.${at}`));
}

/** TOML with another number of hosts; a last phase that has all of them follows. `kind` is that of a machine file. */
function withHosts(toml, key, count, kind) {
  const last = tomlCount(toml, "phase") - 1, phase = kind === undefined ? `phase.${last}.hosts` : ["phase", last, "hosts", kind];
  return withKey(last >= 0 && count !== null && tomlValue(toml, phase) === tomlValue(toml, key) ? withKey(toml, phase, count) : toml, key, count);
}

const ROLES = [["compute", "computing"], ["storage", "storage"], ["login", "login"], ["management", "management"], ["gateway", "gateway"]];

/** One kind of hosts of a machine file, with a number of ports on each network. */
function HostKind({ toml, set, replace, at, kinds, networks, errors, last }) {
  const host = `host.${at}`, value = (key) => tomlValue(toml, `${host}.${key}`), name = value("name") || "", known = kinds.find((kind) => kind.name === (value("product") || name)), sum = networks.reduce((total, network) => total + (tomlValue(toml, portsOn(toml, at, network.name)) || 0), 0);
  const others = kindsIn(toml).filter((_, other) => other !== at).map((other) => other.name);
  const choose = (chosen) => {
    const kind = kinds.find((one) => one.name === chosen), free = kind && !others.includes(chosen);
    const named = free ? renamed(toml, "host", at, chosen) : toml;
    replace(withKeys(named, kind ? { [`${host}.product`]: free ? null : chosen, [`${host}.u`]: null, [`${host}.power_w`]: null } : { [`${host}.product`]: null, [`${host}.name`]: known && known.name === name ? freeName("node", others) : name, [`${host}.u`]: 1, [`${host}.power_w`]: 900 }));
  };
  const front = { nics: sum, u: value("u") || (known && known.u) || 1, other_ports: [] };
  return html`<fieldset class="kind"><legend>${name || "hosts"}</legend><div class="row"><${HostFront} kind=${front} />
      <${Field} label="Kind"><${Choice} label=${`kind of ${name}`} value=${known ? known.name : ""} options=${[["", "plain host"], ...kinds.map((kind) => [kind.name, kind.name])]} changed=${choose} /><//>
      <${Field} label="Name" error=${errors[`${host}.name`]}><input type="text" value=${name} onChange=${(event) => event.target.value.trim() && replace(renamed(toml, "host", at, event.target.value.trim()))} /><//>
      <${CountField} label="How many" value=${value("count")} error=${errors[`${host}.count`]} changed=${(count) => replace(withHosts(toml, `${host}.count`, count, name))} /></div>
    <div class="row"><${Field} label="Used for"><${Choice} label=${`use of ${name}`} value=${value("role") || "compute"} options=${ROLES} changed=${(role) => set(`${host}.role`, role === "compute" ? null : role)} /><//>
      ${networks.map((network) => html`<${CountField} label=${`Ports on ${network.name}`} usual=${network.serves === undefined ? "0" : "1"} value=${tomlValue(toml, portsOn(toml, at, network.name))} error=${errors[`${host}.ports.${network.name}`]} changed=${(count) => set(portsOn(toml, at, network.name), count)} />`)}
      ${known ? null : html`<${NumberField} ...${{ toml, set, errors }} name=${`${host}.u`} label="Height" unit="U" /><${NumberField} ...${{ toml, set, errors }} name=${`${host}.power_w`} label="Power" unit="W" />`}
      <button type="button" disabled=${last} aria-label=${`Remove ${name}`} onClick=${() => replace(withoutTable(toml, host))}>Remove</button></div></fieldset>`;
}

/** The key of a kind's number of ports on a network: a number, or `count` in a table. */
function portsOn(toml, at, network) {
  const key = ["host", at, "ports", network];
  return tomlValue(toml, [...key, "count"]) === undefined ? key : [...key, "count"];
}

function CountField({ label, value, changed, error, usual = "" }) {
  return html`<${Field} label=${label} error=${error}><${Typed} type="number" min="0" step="1" value=${typeof value === "number" ? value : ""} placeholder=${usual} aria-invalid=${error ? "true" : null} changed=${(text) => changed(text === "" ? null : Number(text))} /><//>`;
}

/** All kinds of hosts of a machine file, and a button that adds one. */
function HostKinds({ toml, set, replace, kinds, errors }) {
  const networks = networksIn(toml), count = tomlCount(toml, "host");
  return html`${numbersTo(count).map((at) => html`<${HostKind} key=${at} ...${{ toml, set, replace, at, kinds, networks, errors }} last=${count === 1} />`)}<${AddKind} kinds=${kinds} add=${(kind) => replace(withKind(toml, kind))} />`;
}

function AddKind({ kinds, add }) {
  const [chosen, setChosen] = useState("");
  return html`<div class="row"><${Field} label="Another kind of hosts"><${Choice} label="kind to add" value=${chosen} options=${[["", "plain host (login, storage, management)"], ...kinds.map(({ name }) => [name, name])]} changed=${setChosen} /><//><button type="button" id="add-kind" onClick=${() => add(kinds.find(({ name }) => name === chosen))}>Add</button></div>`;
}

/** The networks of a machine file, each with its switch. */
function MachineNetworks({ toml, set, replace, catalogue, errors }) {
  const networks = networksIn(toml);
  const add = () => {
    const sold = catalogue.switches.find(({ name }) => name === tomlValue(toml, "network.0.switch.product")) || catalogue.switches[0], name = freeName("storage", networks.map((one) => one.name)).replace(" ", "-");
    const text = withTable(toml, "network", { name, rate_gbps: sold.rate_gbps, switch: { product: sold.name } });
    replace(kindsIn(toml).reduce((now, _, at) => withKey(now, ["host", at, "ports", name], 1), withKeys(text, switchOfNetwork(text, networks.length, sold))));
  };
  return html`${networks.map((network, at) => html`<${MachineNetworkFields} key=${at} ...${{ toml, set, replace, catalogue, errors, network, at }} last=${networks.length === 1} />`)}<div class="row"><button type="button" id="add-network" onClick=${add}>Add a network</button></div>`;
}

/** The keys of a network's switch; the machine's catalogue and prices are not repeated. */
function switchOfNetwork(toml, at, sold) {
  const keys = keysOfSwitch(sold), own = (name) => (keys[name] === (tomlValue(toml, name) ?? null) ? null : keys[name]);
  return { [`network.${at}.switch.radix`]: null, [`network.${at}.switch.product`]: sold.name, [`network.${at}.rate_gbps`]: sold.rate_gbps, [`network.${at}.parts`]: own("parts"), [`network.${at}.prices`]: own("prices") };
}

function MachineNetworkFields({ toml, set, replace, catalogue, errors, network, at, last }) {
  const key = `network.${at}`, product = tomlValue(toml, `${key}.switch.product`), known = catalogue.switches.some(({ name }) => name === product);
  const options = [["", "any switch with this many ports"], ...(product && !known ? [[product, product]] : []), ...catalogue.switches.map((one) => [one.name, `${one.name} \u2013 ${one.ports} ports of ${one.rate_gbps} Gb/s`])];
  const choose = (name) => replace(withKeys(toml, name ? switchOfNetwork(toml, at, catalogue.switches.find((one) => one.name === name)) : { [`${key}.switch.product`]: null, [`${key}.switch.radix`]: 36 }));
  return html`<fieldset class="kind"><legend>${network.name}</legend><div class="row"><${Field} label="Name" error=${errors[`${key}.name`]}><input type="text" value=${network.name || ""} onChange=${(event) => event.target.value.trim() && replace(renamed(toml, "network", at, event.target.value.trim()))} /><//>
      <${Field} label="Switch" error=${errors[`${key}.switch.product`]}><${Choice} label=${`switch of ${network.name}`} value=${product || ""} options=${options} changed=${choose} /><//>
      ${product ? null : html`<${NumberField} ...${{ toml, set, errors }} name=${`${key}.switch.radix`} label="Ports" step="1" />`}<${NumberField} ...${{ toml, set, errors }} name=${`${key}.rate_gbps`} label="Rate of a link" unit="Gb/s" />
      <button type="button" disabled=${last} aria-label=${`Remove the network ${network.name}`} onClick=${() => replace(withoutNetwork(toml, at))}>Remove</button></div>
    ${network.spec || network.uplink || network.serves ? html`<p class="quiet">${[network.spec ? `Given, not chosen: ${network.spec}.` : "", network.serves ? `It serves ${network.serves === "everything" ? "every host, switch and further device" : [network.serves].flat().join(", ")}.` : "", network.uplink ? `Its switches are connected to ${network.uplink}.` : ""].filter(Boolean).join(" ")}</p>` : null}</fieldset>`;
}
