// The room of a network or of a machine: racks that can be moved with lengths, bill and limits following, elevations, search.

const FLOOR_COUNTS = ["rows", "columns", "switches_per_rack"];
const ROOM_NUMBERS = [["total_m", "cables between switches", "m", 0], ["host_total_m", "cables to hosts", "m", 0], ["longest_m", "longest between switches", "m", 1], ["host_longest_m", "longest to a host", "m", 1], ["cost_usd", "bill", "", 0]];

/** A difference with its sign; empty where it is none. */
const signed = (by, digits, unit = "") => (Math.abs(by) < 0.5 * 10 ** -digits ? "" : `${by > 0 ? "+" : "\u2212"}${written(Math.abs(by), digits)} ${unit}`.trim());

/** The sums of a room, with their difference from the room without moves. */
function RoomSums({ sums, unmoved, note }) {
  const card = ([key, label, unit, digits]) => {
    if (sums[key] === null || sums[key] === undefined) return key === "cost_usd" && !sums.fault ? html`<div class="card" key=${key}><b>unknown</b><span>bill: no price of any part</span></div>` : null;
    const more = sums[key] - unmoved[key];
    return html`<div class="card" key=${key}><b>${written(sums[key], digits)} ${unit || sums.currency}</b><span>${label}${signed(more, digits) ? html` <em class=${more > 0 ? "bad" : "good"}>${signed(more, digits)}</em>` : ""}</span></div>`;
  };
  return html`<div class="room-follow"><div class="cards" id="room-sums">${ROOM_NUMBERS.map(card)}</div><p class="quiet" id="room-note" role="status">${note}</p></div>
    ${sums.unpriced.length ? html`<p class="quiet">Without a price, not in the bill: ${sums.unpriced.join(", ")}.</p>` : null}${sums.fault ? html`<p class="wrong">${sums.fault}</p>` : null}`;
}

/** What a move changes, in words: metres of cable, the bill, and the limits that it breaks. */
function moveWords(sums, before) {
  const metres = ({ total_m, host_total_m }) => total_m + (host_total_m || 0), broken = ({ limits }) => limits.filter(({ ok }) => ok === false);
  const words = [signed(metres(sums) - metres(before), 0, "m of cable") || "as much cable"], held = broken(before).map(({ limit }) => limit), breaks = broken(sums).filter(({ limit }) => !held.includes(limit));
  if (sums.cost_usd !== null && before.cost_usd !== null) words.push(signed(sums.cost_usd - before.cost_usd, 0, sums.currency) || "the same bill");
  words.push(breaks.length ? `breaks ${breaks.map(({ limit, where }) => `${limit} (${where})`).join(", ")}` : held.length ? "no further limit is broken" : "no limit is broken");
  return words.join(", ");
}

/** Every limit with its value and whether it holds. */
function RoomLimits({ sums }) {
  const state = ({ ok, unknown }) => (ok === true ? html`<b class="good">ok</b>` : ok === false ? html`<b class="bad">broken</b>` : html`<b class="warn">not certain</b>${unknown ? ` (${counted(unknown, "device")} without a figure)` : ""}`);
  const broken = sums.limits.filter(({ ok }) => ok === false);
  if (!sums.limits.length) return html`<p class="quiet" id="limits">No limit applies to this room.</p>`;
  const close = Math.max(...sums.limits.map(({ value, most }) => (value === null ? 0 : value / most))), closest = sums.limits.find(({ value, most }) => value !== null && value / most === close);
  return html`<details id="limits" open=${broken.length > 0}><summary>Limits: ${broken.length ? html`<b class="bad">${written(broken.length, 0)} broken: ${broken.map(({ limit, where }) => `${limit}, ${where}`).join("; ")}</b>` : sums.limits.every(({ ok }) => ok) ? html`<b class="good">all ok</b>` : html`<b class="warn">none known to be broken</b>`} <span class="quiet">${closest ? `of ${written(sums.limits.length, 0)}; closest: ${closest.limit}, ${closest.where}, ${written(100 * close, 0)} % of it` : ""}</span></summary>
    <div class="wide" tabindex="0" role="region" aria-label="limits"><table><thead><tr><th class="text" scope="col">limit</th><th class="text" scope="col">where it is closest</th><th scope="col">value</th><th scope="col">limit</th><th class="text" scope="col">state</th></tr></thead>
    <tbody>${sums.limits.map((each) => html`<tr key=${each.limit}><td class="text">${each.limit}</td><td class="text">${each.where}</td><td>${each.value === null ? "unknown" : `${each.unknown ? "at least " : ""}${shortly(each.value)}`}</td><td>${shortly(each.most)} ${each.unit}</td><td class="text">${state(each)}</td></tr>`)}</tbody></table></div>
    ${sums.unchecked.length ? html`<p class="quiet">Not checked here, since paths, tables or other candidates decide them: ${sums.unchecked.join(", ")}.</p>` : null}</details>`;
}

/** The fields of a floor for a network that has none of its own. */
function FloorFields({ query, floors, change }) {
  const field = (name, label, attributes) => html`<${Field} label=${label}><input name=${name} value=${query.get(name) || ""} onChange=${(event) => change({ [name]: event.target.value.trim(), moved: "", blocked: [] })} ...${attributes} /><//>`;
  return html`<details class="floor-fields" open=${Boolean(query.get("floor"))}><summary>Floor: ${query.get("floor") || "the default"}; this network has no places of its own yet</summary><div class="form">
    ${field("floor", "floor: a preset, or a served floor file", { list: "floors", placeholder: "slimfly-2014" })}<datalist id="floors">${floors.map((name) => html`<option value=${name} />`)}</datalist>
    ${field("rows", "rows of racks", { type: "number", min: 1 })}${field("columns", "racks per row", { type: "number", min: 1 })}${field("switches_per_rack", "most switches in a rack", { type: "number", min: 1 })}</div></details>`;
}

const NO_ITEMS = [];

function movesOf(query) {
  try {
    const moves = JSON.parse(query.get("moved") || "[]");
    return Array.isArray(moves) ? moves : NO_ITEMS;
  } catch {
    return NO_ITEMS;
  }
}

function RoomView({ source, query, go, catalogue }) {
  const moved = movesOf(query), blocked = query.getAll("blocked"), floor = query.get("floor");
  const args = { topology: source, ...(floor ? { floor } : {}), ...Object.fromEntries(FLOOR_COUNTS.filter((name) => query.get(name)).map((name) => [name, Number(query.get(name))])), ...(blocked.length ? { blocked } : {}) };
  const present = moved.length ? { ...args, moved } : args;
  const task = useTask("stand", present), record = task.result, where = useTask("elevations", record ? present : null);
  const room = useMemo(() => (where.result ? indexed(where.result) : null), [where.result]);
  const [mode, setMode] = useState("look"), [redo, setRedo] = useState([]), [preview, setPreview] = useState(null), [text, setText] = useState(query.get("find") || "");
  const state = useRef({ seen: null, wanted: null, asking: false, drawn: null });
  const now = useRef();
  now.current = { moved, mode, room, query, args, blocked };

  const change = (settings, push = false) => {
    const all = Object.fromEntries([...new Set(now.current.query.keys())].map((name) => [name, now.current.query.getAll(name)]));
    go("/network", { ...all, source, view: "room", ...settings }, { push });
  };
  const setMoves = (moves, more = {}) => { change({ moved: moves.length ? JSON.stringify(moves) : "", ...more }, true); };

  /** Asks for the sums of a move, one at a time: of several slots that a rack passes, the last counts. */
  const hover = later((from, to) => {
    state.current.wanted = { moves: [...now.current.moved, [from, to]], from, to, before: record };
    if (state.current.opening) setPreview({ moves: "", sums: null, note: "The server still opens the room; what the move costs follows." });
    if (!state.current.asking) askNext();
  }, 80);
  const askNext = async () => {
    const { wanted } = state.current;
    state.current.wanted = null;
    if (!wanted) return;
    state.current.asking = true;
    const moves = JSON.stringify(wanted.moves), counts = () => !state.current.wanted && (state.current.carrying || moves === JSON.stringify(now.current.moved));
    try {
      const sums = await askPreview("stand", { ...now.current.args, moved: wanted.moves });
      if (sums && counts()) {
        const words = moveWords(sums, wanted.before);
        setPreview({ moves, sums, note: `if rack ${wanted.from} is dropped on ${wanted.to}: ${words}` });
        announce(words);
      }
    } catch (error) {
      if (counts()) setPreview({ moves, sums: null, note: error.message });
    }
    state.current.asking = false;
    askNext();
  };
  // The server opens the room while the page draws it, so that the first rack that is carried waits no longer than the next.
  useEffect(() => {
    state.current.opening = !READ_ONLY_SITE && !catalogue.read_only;
    if (state.current.opening) askPreview("stand", args).catch(() => {}).finally(() => { state.current.opening = false; });
  }, [JSON.stringify(args)]);

  // The figure is made again only when its data change, and shows the same part of the floor as before.
  const side = useMemo(() => make("div", { class: "rack-side" }), []);
  const figure = useMemo(() => {
    if (!record || !record.floor) return state.current.drawn;
    const before = state.current.drawn, same = before && before.room.box === JSON.stringify(record.floor.box);
    const made = makeFloor(record.floor, { aside: side, seen: same ? before.room.camera.seen() : null, whenPinned: (target) => { if (state.current.ready) change({ rack: target && target.what === "rack" ? record.floor.racks.name[target.at] : "", device: "", cable: "" }); } });
    made.room.box = JSON.stringify(record.floor.box);
    if (!READ_ONLY_SITE && !record.shared) {
      carryRacks(made, record.floor, record.slots, () => now.current.mode, {
        over: (from, to) => { state.current.carrying = true; hover(from, to); },
        drop: (from, to) => { state.current.carrying = false; setRedo([]); announce(`rack ${from} now stands in ${to}`); setMoves([...now.current.moved, [from, to]], { rack: to, device: "", cable: "" }); },
        cancel: (why) => { state.current.carrying = false; setPreview(null); if (why) announce(why); },
        block: (slot) => change({ moved: "", blocked: now.current.blocked.includes(slot) ? now.current.blocked.filter((each) => each !== slot) : [...now.current.blocked, slot] }, true),
      });
    }
    state.current.drawn = made;
    return made;
  }, [record]);

  const rack = query.get("rack") || "", racks = record && record.floor ? record.floor.racks.name : NO_ITEMS;
  const chosen = room && query.get("device") ? room.deviceAt.get(query.get("device")) ?? -1 : -1;
  useEffect(() => {
    if (!figure || !record) return;
    const at = racks.indexOf(rack), pinned = figure.room.pinned();
    state.current.ready = false;
    if (at >= 0 && !(pinned && pinned.what === "rack" && pinned.at === at)) figure.room.pin({ what: "rack", at });
    else if (at < 0 && pinned && pinned.what === "rack") figure.room.pin(null);
    state.current.ready = true;
  }, [figure, rack]);

  const point = (names) => {
    figure.room.scene.boxes.forEach((box, at) => box.classList.toggle("hit", names.includes(racks[at])));
    const at = racks.indexOf(names[0]), { x, y } = record.floor.racks;
    if (names.length === 1 && at >= 0) figure.room.camera.fly(x[at], -y[at], 12 * record.floor.cell[0]);
    else figure.room.camera.fit();
  };
  const show = (match) => {
    point(match.racks);
    change({ find: text, rack: match.racks.length === 1 || match.device !== undefined ? room.racks[room.devices.rack[match.device]] || match.racks[0] : "", device: match.device === undefined ? "" : room.devices.name[match.device], cable: match.cable || "" }, true);
    announce(`${match.name}: ${match.where}`);
  };
  const findDevice = (number) => {
    point([room.racks[room.devices.rack[number]]]);
    change({ rack: room.racks[room.devices.rack[number]], device: room.devices.name[number], cable: "" }, true);
  };
  const changedText = (value) => { setText(value); if (!value && figure) figure.room.scene.boxes.forEach((box) => box.classList.remove("hit")); };
  const settled = useSettled(text, 500);
  useEffect(() => { if ((query.get("find") || "") !== settled) change({ find: settled }); }, [settled]);

  const undo = () => { if (moved.length) { setRedo([moved[moved.length - 1], ...redo]); setMoves(moved.slice(0, -1)); announce("the last move is undone"); } };
  const again = () => { if (redo.length) { setMoves([...moved, redo[0]]); setRedo(redo.slice(1)); announce("the move is made again"); } };
  const keys = (event) => {
    if (!(event.ctrlKey || event.metaKey) || ["INPUT", "TEXTAREA"].includes(event.target.tagName)) return;
    if (event.key === "z" && !event.shiftKey) undo();
    else if (event.key === "y" || event.key === "Z") again();
    else return;
    event.preventDefault();
  };
  const movable = record && !READ_ONLY_SITE && !record.shared, carrying = preview && state.current.carrying;
  // A dropped rack keeps the sums of its preview until the room is computed.
  const sums = preview && preview.sums && (carrying || (!task.fresh && preview.moves === JSON.stringify(moved))) ? preview.sums : record;
  const note = carrying ? preview.note : moved.length ? `${counted(moved.length, "move")}: ${moved.map((pair) => pair.join(" to ")).join(", ")}` : movable ? "No rack is moved." : "";
  const HELP = { look: "Click a rack for its front view. Select a rack and press m to carry it with the arrow keys.", move: "Drag a rack to another slot; a rack that stands there takes its place.", block: "Click a slot to keep racks out of it; click it again to free it. All racks are placed again." };
  return html`<div class="room" onKeyDown=${keys}><${Progress} job=${task.running} /><${Wrong} error=${task.error} />
    ${record && !record.own_layout && !READ_ONLY_SITE ? html`<${FloorFields} query=${query} floors=${catalogue.floors || NO_ITEMS} change=${change} />` : null}
    ${record ? html`<${RoomSums} sums=${sums} unmoved=${record.unmoved} note=${note} />
      <div class="room-head"><${Find} room=${room} text=${text} changed=${changedText} show=${show} /><${RoomLimits} sums=${sums} /></div><${Wrong} error=${where.error} />
      ${movable ? html`<div class="tools"><div role="group" aria-label="what the pointer does">${["look", "move", ...(record.own_layout ? [] : ["block"])].map((each) => html`<button type="button" class="chip" key=${each} aria-pressed=${mode === each ? "true" : "false"} onClick=${() => setMode(each)}>${{ look: "look", move: "move racks", block: "block slots" }[each]}</button>`)}</div>
        <button type="button" id="undo" disabled=${!moved.length} onClick=${undo}>undo</button><button type="button" id="redo" disabled=${!redo.length} onClick=${again}>redo</button><button type="button" disabled=${!moved.length && !blocked.length} onClick=${() => { setRedo([]); change({ moved: "", blocked: [] }, true); }}>undo all</button>
        ${record.toml ? html`<button type="button" id="save-floor" onClick=${() => save("floor.toml", "application/toml", record.toml)}>save the floor as a file</button>` : null}<span class="quiet">${HELP[mode]}</span></div>` : null}
      ${record.shared ? html`<p class="quiet">This network stands in the racks of a machine; open the machine's folder to move them, with the cables of all its networks.</p>` : null}
      ${where.result && where.result.note ? html`<p class="quiet">${where.result.note}</p>` : null}
      <h2 class="unseen">Floor</h2><${Made} element=${figure} /><${Portal} into=${side}>${rack && room && !where.fresh && !where.error ? html`<p class="quiet">The front of rack ${rack} is being drawn.</p>` : rack && room && room.rackAt.has(rack) ? html`<${RackFront} room=${room} rack=${room.rackAt.get(rack)} chosen=${chosen} choose=${(number) => change({ device: room.devices.name[number], cable: "" })} />` : null}<//>
      ${room && chosen >= 0 ? html`<${DevicePorts} room=${room} source=${source} of=${record.of} number=${chosen} marked=${query.get("cable")} find=${findDevice} />` : room && where.fresh && room.rackAt.has(rack) ? html`<${RackCables} room=${room} rack=${room.rackAt.get(rack)} choose=${(name) => { point([name]); change({ rack: name, device: "", cable: "" }, true); }} />` : null}` : null}
    <${Commands} jobs=${[task.job, where.job]} /></div>`;
}

/** Draws its children into an element of another part of the page. */
function Portal({ into, children }) {
  useEffect(() => { render(html`${children}`, into); }, [children]);
  useEffect(() => () => render(null, into), [into]);
  return null;
}
