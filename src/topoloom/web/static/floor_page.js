// The floor: racks, bundles and trays as in the report; racks can be moved and slots blocked, with the effect on length and cost.

function floorPage(main, query, catalogue) {
  const wrong = makeWrong(), progress = makeProgress(), box = make("div"), facts = make("div"), how = make("div");
  const state = { moved: JSON.parse(query.get("moved") || "{}"), blocked: query.getAll("blocked"), mode: "look", asked: 0 };
  const list = make("datalist", { id: "families" }, ...catalogue.families.filter((one) => one.kind === "family").map((one) => make("option", { value: exampleOf(one) })));
  const changed = later(() => { state.moved = {}; state.blocked = []; renew(); }, 500);
  const spec = makeInput("topology", query.get("spec") || "slimfly:q=5,hosts=4", "families", changed, { class: "spec", id: "spec" });
  const floor = makeInput("floor", query.get("floor") || "koibuchi-2013", null, changed, { title: "a floor's name; own: the floor and the racks of a network folder" });
  const rows = make("input", { type: "number", min: 1, value: query.get("rows") || "", placeholder: "rows", "aria-label": "rows of racks", oninput: changed });
  const each = make("input", { type: "number", min: 1, value: query.get("switches_per_rack") || "", placeholder: "switches per rack", "aria-label": "switches per rack", oninput: changed });
  const words = make("p", { class: "quiet", id: "mode-words" });
  const HELP = { look: "Point at racks and bundles.", move: "Drag a rack to another slot; a rack in that slot takes its place. By keyboard: fill the field “move”, then press Enter.", block: "Click a slot to keep racks out of it; click it again to free it." };
  const mode = makeSelect("action of a click", [["look", "look"], ["move", "move racks"], ["block", "block slots"]], "look", (value) => { state.mode = value; words.textContent = HELP[value]; });
  const by = makeInput("move, from and to", "", null, () => {}, { placeholder: "A01 B02", size: "12" });
  by.addEventListener("keydown", (event) => {
    const [from, to] = by.value.trim().split(/\s+/);
    if (event.key === "Enter" && from && to) move(from, to);
  });
  main.append(make("h1", {}, "Floor"), make("div", { class: "tools" }, spec, list, make("label", { class: "pick" }, make("b", {}, "floor"), floor), rows, each), make("div", { class: "tools" }, make("label", { class: "pick" }, make("b", {}, "click"), mode), make("label", { class: "pick" }, make("b", {}, "move"), by),
    make("button", { type: "button", onclick: () => { state.moved = {}; state.blocked = []; renew(); } }, "undo all"), make("button", { type: "button", id: "hall", onclick: () => state.result && save("floor.toml", "application/toml", state.result.toml) }, "save the hall")), words, wrong, progress, facts, box, how);
  words.textContent = HELP.look;

  async function renew() {
    const request = ++state.asked;
    address("/floor", { spec: spec.value.trim(), floor: floor.value.trim(), rows: rows.value, switches_per_rack: each.value, blocked: state.blocked, moved: Object.keys(state.moved).length ? JSON.stringify(state.moved) : "" });
    const args = { topology: spec.value.trim(), ...(floor.value.trim() === "own" ? {} : { floor: floor.value.trim() }), ...(rows.value ? { rows: Number(rows.value) } : {}), ...(each.value ? { switches_per_rack: Number(each.value) } : {}),
      ...(state.blocked.length ? { blocked: state.blocked } : {}), ...(Object.keys(state.moved).length ? { moved: state.moved } : {}) };
    try {
      const { result, job } = await ask("stand", args, (one) => request === state.asked && progress.show(one));
      if (request !== state.asked) return;
      state.result = result;
      showWrong(wrong, null);
      const more = (now, before) => (now === before ? "" : ` (${difference(now, before)} from the search's result)`);
      facts.replaceChildren(makeFacts([["racks", result.racks], ["cables", `${written(result.total_m, 0)} m${more(result.total_m, result.total_m_unmoved)}`], ["longest cable", `${written(result.longest_m, 1)} m`], ["bill", `${written(result.cost_usd, 0)} ${result.currency}${more(result.cost_usd, result.cost_usd_unmoved)}`],
        ["moved", Object.entries(state.moved).map((pair) => pair.join(" to ")).join(", ")], ["blocked", state.blocked.join(", ")]]));
      const view = makeFloor(result.floor);
      box.replaceChildren(view);
      listenTo(view.querySelector("#floor-plan"));
      how.replaceChildren(makeHow([job]));
    } catch (error) { if (request === state.asked) showWrong(wrong, error); }
  }

  function move(from, to) {
    if (from === to) return;
    state.moved = { ...state.moved };
    delete state.moved[from];
    state.moved[from] = to;
    renew();
  }

  function listenTo(canvas) {
    const slotAt = (event) => {
      const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(canvas.getScreenCTM().inverse());
      const { name, x, y } = state.result.slots, [wide, deep] = state.result.floor.cell;
      const places = [...name.map((one, at) => [one, x[at], y[at]]), ...state.result.floor.blocked];
      const near = places.find(([, left, up]) => Math.abs(left - point.x) <= wide / 2 && Math.abs(up + point.y) <= deep / 2);
      return near ? near[0] : null;
    };
    let from = null;
    canvas.addEventListener("pointerdown", (event) => {
      if (state.mode === "look") return;
      event.stopImmediatePropagation();
      from = slotAt(event);
    }, true);
    canvas.addEventListener("pointerup", (event) => {
      if (state.mode === "look" || from === null) return;
      event.stopImmediatePropagation();
      const to = slotAt(event), at = from;
      from = null;
      if (state.mode === "move" && to) move(at, to);
      if (state.mode === "block" && to === at) {
        state.moved = {};
        state.blocked = state.blocked.includes(to) ? state.blocked.filter((one) => one !== to) : [...state.blocked, to];
        renew();
      }
    }, true);
  }
  renew();
}
