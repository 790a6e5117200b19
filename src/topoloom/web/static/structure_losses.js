// Losses in a drawing: their names in the grammar of `topoloom outage`, what they strike out, completions, and the buttons.

/** Most names that complete a text, and most parts that one click loses. */
const MOST_COMPLETIONS = 40, MOST_LOST_AT_ONCE = 200;

/** The names of losses in a drawing's model: { of(items), struck(names), completions(text), feeds }. */
function makeLossNames(model) {
  const { lower, higher, n, m, count, drawing: { blocks, switch: switches } } = model, racks = [...new Set(switches.racks || [])], feeds = switches.feeds || [], labels = switches.labels || [];
  const blockOf = new Map();
  (blocks.loss || []).forEach((name, b) => { if (name && !blockOf.has(name)) blockOf.set(name, b); });
  let numbers = null;
  /** Switches by their real names, in small letters; -1 for names of several. */
  const numbered = () => {
    if (!numbers) {
      numbers = new Map();
      for (let s = 0; switches.names && s < n; s += 1) { const name = switches.names[s].toLowerCase(); numbers.set(name, numbers.has(name) ? -1 : s); }
    }
    return numbers;
  };
  const parallel = (i) => [i - 1, i + 1].some((j) => j >= 0 && j < m && lower[j] === lower[i] && higher[j] === higher[i]);
  /** A cable by its switches; one of several between them by a switch and its port. */
  const cable = (i) => (parallel(i) ? `${lower[i]}:${model.portAt(lower[i], i)}` : `link:${lower[i]}-${higher[i]}`);
  const of = (items) => items.flatMap((item) => (item.link !== undefined ? [cable(item.link)] : item.all ? item.all.map(cable) : item.host !== undefined ? [] : item.switch !== undefined ? [`switch:${item.switch}`] : item.block ? ((blocks.loss || [])[item.block] || "").split(",").filter(Boolean) : []));

  const switchOf = (text) => (/^\d+$/.test(text) ? (Number(text) < n ? Number(text) : -1) : numbered().get(text.toLowerCase()) ?? -1);
  /** What these losses strike out, as far as a drawing knows it: { links, switches, blocks }. */
  function struck(names) {
    const links = new Set(), lostSwitches = new Set(), lostBlocks = names.map((name) => blockOf.get(name)).filter((b) => b !== undefined), whole = blockOf.get(names.join(","));
    for (const b of whole !== undefined && names.length > 1 ? [...lostBlocks, whole] : lostBlocks) for (const s of model.switchesIn(b)) lostSwitches.add(s);
    for (const name of names) {
      const [, kind, rest] = /^(switch|link|rack):(.*)$/.exec(name) || [null, "", name], span = /^(\d+)\.\.(\d+)$/.exec(rest), ends = /^(\d+)-(\d+)$/.exec(rest), plug = kind ? null : /^(.+):(\d+)$/.exec(rest);
      if (kind === "rack" || (!kind && racks.includes(rest))) { for (let s = 0; s < n; s += 1) if (model.rackOf(s).toLowerCase() === rest.toLowerCase()) lostSwitches.add(s); }
      else if (span && kind === "switch") for (let s = Number(span[1]); s <= Math.min(n - 1, Number(span[2])); s += 1) lostSwitches.add(s);
      else if (ends && kind !== "switch") { const i = model.linksBetween(Number(ends[1]), Number(ends[2])).find((each) => !links.has(each)); if (i !== undefined) links.add(i); }
      else if (plug && switchOf(plug[1]) >= 0) { const port = model.portsOf(switchOf(plug[1])).find((each) => each.port === Number(plug[2]) && each.link !== undefined); if (port) links.add(port.link); }
      else if (kind !== "link" && switchOf(rest) >= 0) lostSwitches.add(switchOf(rest));
    }
    return { links: [...links], switches: [...lostSwitches], blocks: lostBlocks };
  }

  /** Names that complete the last of several: [value, what it is], at most 40, however large the network is. */
  function completions(text) {
    const before = text.slice(0, text.lastIndexOf(",") + 1), typed = text.slice(before.length).trim().toLowerCase(), hits = new Map();
    const add = (value, what = "") => { if (hits.size < MOST_COMPLETIONS && !hits.has(value)) hits.set(value, what); return hits.size < MOST_COMPLETIONS; };
    const all = (values, fits, put) => { for (const value of values) if (fits(value) && !put(value)) return; };
    const [, kind, rest] = /^([a-z][a-z0-9_]*):(.*)$/.exec(typed) || [null, "", typed];
    const label = labels.find(({ name }) => name === kind), has = (value) => value.toLowerCase().includes(rest);
    const bySwitch = () => {
      for (let s = 0; s < n && hits.size < MOST_COMPLETIONS; s += 1) {
        const name = switches.names ? switches.names[s] : "";
        if (name && !name.includes(",") && numbered().get(name.toLowerCase()) >= 0 ? has(name) : String(s).startsWith(rest)) add(`switch:${name && has(name) ? name : s}`, model.switchName(s));
      }
    };
    const byRack = () => all(racks, (name) => name && has(name), (name) => add(`rack:${name}`, "rack"));
    if (kind === "switch") bySwitch();
    else if (kind === "link") {
      const [, first, second] = /^(\d+)-?(\d*)$/.exec(rest) || [];
      if (first !== undefined && Number(first) < n) for (const i of model.linksAt(Number(first))) { const peer = lower[i] === Number(first) ? higher[i] : lower[i]; if (String(peer).startsWith(second) && !add(`link:${first}-${peer}`, `${model.switchName(Number(first))} \u2013 ${model.switchName(peer)}`)) break; }
    } else if (kind === "rack") byRack();
    else if (kind === "feed") {
      for (const feed of feeds) if (feed.toLowerCase().startsWith(rest)) add(`feed:${feed}`, "of all racks");
      all(racks, (name) => name, (name) => feeds.every((feed) => !has(`${name}/${feed}`) || add(`feed:${name}/${feed}`, "of one rack")));
    } else if (label) all(label.values, (value) => value.toLowerCase().startsWith(rest), (value) => add(`${kind}:${value}`));
    else {
      all(["switch:", "link:", ...(racks.length ? ["rack:"] : []), ...labels.map(({ name }) => `${name}:`), ...(feeds.length ? ["feed:"] : [])], (each) => each.startsWith(typed), add);
      if (typed) {
        for (let b = 1; b < count && hits.size < MOST_COMPLETIONS; b += 1) if (has(blocks.name[b]) && blocks.loss[b] && !blocks.loss[b].includes(",")) add(blocks.loss[b], blocks.name[b]);
        if (switches.names || /^\d+$/.test(typed)) bySwitch();
        byRack();
      }
    }
    return [...hits].map(([value, what]) => [before + value, what]);
  }
  return { of, struck, completions, feeds };
}

/** Buttons that lose what is selected in a drawing, and a list of the power feeds where racks have them. */
function LoseChosen({ viewer, chosen, lost, lose }) {
  const losses = viewer.losses, names = losses.of(chosen).filter((name) => !lost.includes(name)), [item] = chosen;
  const what = chosen.length > 1 ? counted(chosen.length, "selected part") : item ? item.name : "", many = names.length > MOST_LOST_AT_ONCE;
  const rack = item && item.block !== undefined && viewer.model.kinds[item.block] === "rack" ? viewer.model.nameOf(item.block) : item && item.switch !== undefined ? viewer.model.rackOf(item.switch) : "";
  const feeds = [["", "a power feed\u2026"], ...losses.feeds.flatMap((feed) => [[`feed:${feed}`, `feed ${feed} of all racks`], ...(rack ? [[`feed:${rack}/${feed}`, `feed ${feed} of rack ${rack}`]] : [])])];
  return html`<p class="losing"><button type="button" id="lose-chosen" disabled=${!names.length || many} onClick=${() => lose(names)}>Lose ${what || "the selection"}${names.length === 1 ? html` <small class="mono">${names[0]}</small>` : null}</button>
    ${losses.feeds.length ? html`<label class="pick"><b>lose</b> <${Choice} label="lose a power feed" id="lose-feed" options=${feeds} value="" changed=${(name) => name && lose([name])} /></label>` : null}
    <span class="quiet">${many ? `These are ${written(names.length, 0)} parts: lose at most ${MOST_LOST_AT_ONCE} at once.` : item && !names.length && losses.of(chosen).length ? "It is lost already." : "Select a block by its name, a switch, a link or a bundle; the key x loses it, b selects the block around it."}</span></p>`;
}
