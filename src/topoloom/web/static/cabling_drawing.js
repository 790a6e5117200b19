// The faults of a day on the drawing of the plan, and on the floor of its room.

/** Marks for a drawing: the links and switches of faults, and what is missing as failed. */
function marksOf(faults, model) {
  const switchOf = new Map(), linkOf = new Map(), failed = { links: [], switches: [] }, marks = [];
  // Without names of its own, a plan numbers its switches.
  for (let s = 0; s < model.n; s += 1) for (const name of [`S${s}`, model.switchName(s)]) switchOf.set(name, s);
  for (let i = 0; i < model.m; i += 1) linkOf.set(`${Math.min(model.lower[i], model.higher[i])}-${Math.max(model.lower[i], model.higher[i])}`, i);
  for (const fault of faults) {
    const mark = { severity: fault.severity, text: `${fault.code}: ${fault.text}` };
    const links = [...fault.planned, ...fault.found].map((cable) => cable.map(({ node }) => switchOf.get(node))).filter(([one, other]) => one !== undefined && other !== undefined)
      .map(([one, other]) => linkOf.get(`${Math.min(one, other)}-${Math.max(one, other)}`)).filter((i) => i !== undefined);
    if (fault.name === "cable-missing") failed.links.push(...links);
    if (links.length) marks.push(...[...new Set(links)].map((link) => ({ ...mark, link })));
    else {
      const named = [...fault.nodes, ...fault.planned.flat().map(({ node }) => node), ...fault.ports.map(({ node }) => node)].map((node) => switchOf.get(node)).filter((s) => s !== undefined);
      if (fault.name === "switch-missing") failed.switches.push(...named.slice(0, 1));
      marks.push(...[...new Set(named)].map((s) => ({ ...mark, switch: s })));
    }
  }
  return { marks, failed };
}

function DrawingOfFaults({ plan, result, query, set }) {
  const faults = useMemo(() => faultsOf(result), [result]), networks = result.networks || [""], network = networks.includes(query.get("network")) ? query.get("network") : networks[0];
  const drawn = useTask("draw", { topology: network ? `${plan}/networks/${network}` : plan }), drawing = drawn.result;
  const change = useRef();
  change.current = set;
  const viewer = useMemo(() => drawing && makeStructure(drawing, { selected: (items) => {
    const [first] = items;
    change.current({ device: first && first.switch !== undefined ? viewerName.current(first.switch) : "" }, { push: false });
  } }), [drawing]);
  const viewerName = useRef();
  viewerName.current = (s) => viewer.model.switchName(s);
  const left = filtered(faults.filter((fault) => fault.network === network), new URLSearchParams([...query].filter(([name]) => name !== "device" && name !== "network")));
  const shown = useMemo(() => (viewer ? marksOf(left, viewer.model) : null), [viewer, result, query.get("rule"), query.get("severity"), query.get("rack")]);
  useEffect(() => { if (viewer && shown) viewer.set(shown); }, [viewer, shown]);
  return html`<h2>Faults on the drawing</h2><${FaultFilters} faults=${faults} query=${query} set=${set} />
    <${Progress} job=${drawn.running} /><${Wrong} error=${drawn.error} />
    ${shown ? html`<p class="quiet" role="status">${counted(shown.marks.length, "mark")} of ${counted(left.length, "fault")}${shown.marks.length > 2000 ? "; the first 2,000 are drawn" : ""}. A missing cable or switch is struck out. Open a block by a double click or Enter.</p>` : null}
    ${viewer ? html`<${Made} element=${viewer.element} />` : null}`;
}

/** The floor of the plan's room with the faults of each rack as counts; a click on a rack shows its work list, of a machine its faults. */
function FloorOfFaults({ plan, result, query, set }) {
  const faults = useMemo(() => faultsOf(result), [result]), left = filtered(faults, new URLSearchParams([...query].filter(([name]) => name !== "rack")));
  const placed = useTask("stand", { topology: plan }), floor = placed.result && placed.result.floor, change = useRef();
  change.current = set;
  const made = useMemo(() => floor && makeFloor(floor, { whenPinned: (target) => { if (target && target.what === "rack") change.current({ view: result.results ? "" : "racks", rack: floor.racks.name[target.at] }); } }), [floor]);
  const counts = new Map(numbered(left.flatMap(racksOf))), key = JSON.stringify([...counts]);
  useEffect(() => {
    if (!made) return undefined;
    const most = Math.max(1, ...counts.values()), signs = draw("g", { class: "faultcounts", "aria-hidden": "true" });
    for (const box of made.room.scene.group.querySelectorAll("rect[data-rack]")) {
      const count = counts.get(floor.racks.name[Number(box.dataset.rack)]), [x, y, width, height] = ["x", "y", "width", "height"].map((name) => Number(box.getAttribute(name)));
      if (!count) continue;
      signs.append(draw("rect", { x, y, width, height, "fill-opacity": (0.25 + (0.35 * count) / most).toFixed(2) }), draw("text", { x: x + width / 2, y: y + height / 2, "font-size": 0.55 * Math.min(width, height), "text-anchor": "middle", "dominant-baseline": "central" }, String(count)));
    }
    made.room.scene.labels.before(signs);
    return () => signs.remove();
  }, [made, key]);
  return html`<h2>Faults in the room</h2><${FaultFilters} faults=${faults} query=${query} set=${set} />
    <${Progress} job=${placed.running} /><${Wrong} error=${placed.error} />
    ${made ? html`<p class="quiet" role="status">${counts.size ? `${counted(counts.size, "rack")} with faults: ${[...counts].sort(([, one], [, other]) => other - one).slice(0, 8).map(([rack, count]) => `${rack} ${count}`).join(", ")}.` : "No rack has a fault of these."} Choose a rack to see its ${result.results ? "faults" : "work list"}.</p><${Made} element=${made} />` : null}`;
}
