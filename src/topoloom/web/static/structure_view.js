// The structure of a network: its drawing, the arrangement, loads by an engine, and the path between two switches, also after losses.

/** Settings of the address with changes; empty ones are dropped. */
const changedQuery = (query, change) => ({ ...Object.fromEntries(query), ...change });
const listOf = (text) => (text || "").split(",").filter(Boolean);

function StructureView({ source, query, go, catalogue }) {
  const arrangement = query.get("arrangement") || "", engine = query.get("engine") || "", path = query.get("path") || "", lost = query.get("lost") || "";
  const { result: drawing, ...drawn } = useTask("draw", { topology: source, ...(arrangement ? { arrangement } : {}), ...(engine ? { engine } : {}) });
  const address = useRef(query);
  address.current = query;
  const change = (settings, push = false) => go("/network", changedQuery(address.current, settings), { push });
  const [chosen, setChosen] = useState([]), lostNames = listOf(lost);
  const lose = (names) => {
    const present = listOf(address.current.get("lost")), fresh = names.filter((name) => !present.includes(name));
    announce(fresh.length ? `lost: ${fresh.join(", ")}` : `works again: ${names.join(", ")}`);
    change({ lost: (fresh.length ? [...present, ...fresh] : present.filter((name) => !names.includes(name))).join(",") }, true);
  };
  const viewer = useMemo(() => drawing && makeStructure(drawing, {
    changed: ({ block }) => change({ in: block ? String(block) : "" }),
    selected: (items) => {
      const switches = items.filter((item) => item.switch !== undefined && item.port === undefined).map((item) => item.switch);
      const [first] = items;
      setChosen(items);
      change({ selected: first ? (first.block !== undefined ? `b${first.block}` : first.switch !== undefined ? String(first.switch) : "") : "", ...(switches.length > 1 ? { path: switches.slice(-2).join("-") } : {}) });
    },
    removed: READ_ONLY_SITE ? null : (items) => lose(viewer.losses.of(items).slice(0, MOST_LOST_AT_ONCE)),
  }), [drawing]);
  const ends = /^(\d+)-(\d+)$/.exec(path);
  const traced = useTask("trace", ends ? { topology: source, from_switch: Number(ends[1]), to_switch: Number(ends[2]), ...(engine ? { engine } : {}), ...(lost ? { lost } : {}) } : null);
  const trace = ends && traced.fresh ? traced.result : null;
  useEffect(() => {
    if (!viewer) return;
    viewer.set({ failed: viewer.losses.struck(lostNames), path: trace ? trace.path : null, channels: trace ? trace.channels : null, after: trace ? trace.path_after || null : null });
  }, [viewer, trace, lost]);
  useEffect(() => {
    if (!viewer) return;
    const { model } = viewer, open = Number(query.get("in") || 0), chosen = query.get("selected") || "";
    const item = /^b\d+$/.test(chosen) ? { block: Number(chosen.slice(1)) } : /^\d+$/.test(chosen) ? { switch: Number(chosen) } : null;
    if (item && (item.block !== undefined ? item.block < model.count : item.switch < model.n)) viewer.set({ chosen: [item] });
    if (open > 0 && open < model.count) viewer.set({ open });
  }, [viewer]);
  const name = (s) => viewer.model.switchName(s), route = (switches) => switches.map(name).join(" \u2192 ");
  return html`${READ_ONLY_SITE ? null : html`<div class="tools">
      <label class="pick"><b>arrangement</b> <${Choice} label="arrangement" options=${[["", "structure"], ["racks", "racks on the floor"]]} value=${arrangement} changed=${(value) => change({ arrangement: value, in: "", selected: "" }, true)} /></label>
      <label class="pick"><b>loads by</b> <${Choice} label="engine of the loads" options=${[["", "no tables"], ...catalogue.engines.map((each) => [each, each])]} value=${engine} changed=${(value) => change({ engine: value }, true)} /></label></div>`}
    <${Progress} job=${drawn.running} /><${Wrong} error=${drawn.error} />
    ${viewer ? html`<${Made} element=${viewer.element} />` : null}
    ${READ_ONLY_SITE ? null : html`<p class="quiet">Double-click a block, or press Enter on it, to open it; Escape leaves it. Select two switches, the second with Shift, to trace the path between them.</p>`}
    ${READ_ONLY_SITE || !viewer ? null : html`<${LoseChosen} viewer=${viewer} chosen=${chosen} lost=${lostNames} lose=${lose} />`}
    <${Progress} job=${traced.running} /><${Wrong} error=${ends ? traced.error : null} />
    ${trace && viewer ? html`<section id="trace"><h2>Path</h2><${Facts} pairs=${[["tables", trace.engine], ["path", route(trace.path)], ["virtual channels of the hops", trace.channels ? trace.channels.join(", ") : null],
      ...(lostNames.length ? [["after the loss", trace.path_after ? route(trace.path_after) : "none: not connected"], ...(trace.path_after ? [["entries changed", `${written(trace.entries_changed, 0)} of ${written(trace.entries, 0)}`], ["all tables rebuilt", trace.rebuilt ? "yes" : "no"], ["free of deadlock", trace.deadlock_free ? "yes" : "no"]] : [])] : [])]} /></section>` : null}
    ${path || lost ? html`<p>${path ? html`<button type="button" onClick=${() => change({ path: "" }, true)}>no path</button> ` : null}${lost ? html`<button type="button" onClick=${() => change({ lost: "" }, true)}>restore ${counted(lostNames.length, "lost part")}</button>` : null}</p>` : null}
    <${Commands} jobs=${[drawn.job, ends ? traced.job : null]} />`;
}

const THUMB = { width: 420, height: 260 };

/** A small picture of a network's structure. */
function StructurePicture({ source, name }) {
  const { result, error } = useTask("draw", { topology: source });
  const picture = useMemo(() => (result ? makeStructure(result).still(THUMB.width, THUMB.height) : null), [result]);
  return html`<div class="thumb" role="img" aria-label=${`the structure of ${name || source}`}>${picture ? html`<${Made} element=${picture} aria-hidden="true" />` : html`<span class="quiet">${error ? "no picture" : "drawing\u2026"}</span>`}</div>`;
}
