// The growth in the questions: hosts that may come later, and phases in which the hosts come, as tables [[phase]].

/** The key of a phase's hosts: of a machine file, those of a kind. */
const phaseHosts = (at, kind) => (kind === undefined ? ["phase", at, "hosts"] : ["phase", at, "hosts", kind]);

/** Kinds and all hosts of each; a requirement of one network has one kind without a name. */
const hostsByKind = (toml) => (isMachine(toml) ? kindsIn(toml).map(({ name, count }) => [name, count || 0]) : [[undefined, tomlValue(toml, "hosts") || 0]]);

/** TOML with one more phase: before the last one, which has all hosts. */
function withPhase(toml) {
  const machine = isMachine(toml), count = tomlCount(toml, "phase"), kinds = hostsByKind(toml), half = (earlier, all) => Math.max(1, Math.ceil((earlier + all) / 2));
  const hosts = (share) => (machine ? Object.fromEntries(kinds.map(([kind, all]) => [kind, share(kind, all)])) : share(undefined, kinds[0][1]));
  const add = (text, share) => withTable(text, "phase", { ...(machine ? { name: freeName(`phase-${tomlCount(text, "phase") + 1}`, numbersTo(tomlCount(text, "phase")).map((at) => tomlValue(text, `phase.${at}.name`))) } : {}), hosts: hosts(share) });
  const whole = (_, all) => all;
  if (!count) return add(add(toml, (_, all) => half(0, all)), whole);
  const before = (kind) => tomlValue(toml, phaseHosts(count - 2, kind)) || 0, date = tomlValue(toml, `phase.${count - 1}.by`), last = `phase.${count - 1}`;
  const text = withKeys(add(toml, whole), { [`${last}.hosts`]: hosts((kind, all) => Math.min(all, half(before(kind), all))), [`${last}.by`]: null });
  return date === undefined ? text : withKey(text, `phase.${count}.by`, date);
}

/** TOML without a phase; one alone says nothing, and the last one has all hosts. */
function withoutPhase(toml, at) {
  const text = withoutTable(toml, `phase.${at}`), count = tomlCount(text, "phase");
  if (count < 2) return withoutTable(text, "phase");
  return hostsByKind(text).reduce((now, [kind, all]) => (kind === undefined || tomlValue(now, phaseHosts(count - 1, kind)) !== undefined ? withKey(now, phaseHosts(count - 1, kind), all) : now), text);
}

function Growth({ toml, set, replace, errors }) {
  const machine = isMachine(toml), count = tomlCount(toml, "phase"), kinds = hostsByKind(toml), props = { toml, set, errors };
  const of = (at, key) => errors[`phase.${at}.${key}`] || null;
  return html`<h3>Growth</h3>${machine ? null : html`<div class="row"><${NumberField} ...${props} name="least.grow_to_hosts" label="Hosts after a growth that may come" step="1" usual="none" hint="the networks have idle ports for them; only the hosts of question 2 are bought" /></div>`}
    ${numbersTo(count).map((at) => html`<fieldset class="kind" key=${at}><legend>Phase ${at + 1}</legend><div class="row">
      ${machine ? html`<${Field} label="Name" error=${of(at, "name")}><input type="text" value=${tomlValue(toml, `phase.${at}.name`) || ""} onChange=${(event) => set(`phase.${at}.name`, event.target.value.trim() || null)} /><//>` : null}
      ${kinds.map(([kind, all]) => html`<${CountField} label=${kind === undefined ? "Hosts then" : `${kind} then`} value=${tomlValue(toml, phaseHosts(at, kind))} usual=${machine && !at ? String(all) : ""} error=${of(at, kind === undefined ? "hosts" : `hosts.${kind}`)} changed=${(hosts) => set(phaseHosts(at, kind), hosts)} />`)}
      ${machine ? null : html`<${Field} label="Needed by" error=${of(at, "by")} hint="2027, 2027-01 or 2027-01-15"><input type="text" value=${tomlValue(toml, `phase.${at}.by`) || ""} onChange=${(event) => set(`phase.${at}.by`, event.target.value.trim() || null)} /><//>`}
      <button type="button" aria-label=${`Remove phase ${at + 1}`} onClick=${() => replace(withoutPhase(toml, at))}>Remove</button></div>${errors[`phase.${at}`] ? html`<small class="wrong">${errors[`phase.${at}`]}</small>` : null}</fieldset>`)}
    <div class="row"><button type="button" id="add-phase" onClick=${() => replace(withPhase(toml))}>${count ? "Add a phase" : "The hosts come in phases"}</button>${count ? html`<small>The last phase has all hosts; the network is sized for it, and no cable moves.</small>` : null}</div>`;
}
