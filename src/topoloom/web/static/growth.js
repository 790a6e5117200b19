// Growth: a plan step by step on the floor, with the cables to pull in each step.

function growthPage(main, query, catalogue) {
  const wrong = makeWrong(), progress = makeProgress(), facts = make("div"), step = make("div"), how = make("div"), state = { at: Number(query.get("step") || 1), asked: 0 };
  const list = make("datalist", { id: "families" }, ...catalogue.families.filter((one) => one.kind === "family").map((one) => make("option", { value: exampleOf(one) })));
  const soon = later(() => renew(), 600);
  const spec = makeInput("topology", query.get("spec") || "jellyfish:n=40,degree=6,hosts=4", "families", soon, { class: "spec", id: "spec" });
  const to = make("input", { type: "number", min: 1, value: query.get("to") || "50", "aria-label": "switches to grow to", oninput: soon });
  const into = makeInput("another topology", query.get("into") || "", "families", soon, { placeholder: "another topology" });
  const floor = makeInput("floor", query.get("floor") || "koibuchi-2013", null, soon);
  const label = (text, field) => make("label", { class: "pick" }, make("b", {}, text), field);
  main.append(make("h1", {}, "Growth"), make("div", { class: "tools" }, spec, list, label("to switches", to), label("into", into), label("floor", floor)), wrong, progress, facts, step, how);

  const updateAddress = () => address("/growth", { spec: spec.value.trim(), to: into.value.trim() ? "" : to.value, into: into.value.trim(), floor: floor.value.trim(), step: state.at > 1 ? state.at : "" });

  async function renew() {
    const request = ++state.asked;
    updateAddress();
    const args = { topology: spec.value.trim(), floor: floor.value.trim(), map: "rows", ...(into.value.trim() ? { into: into.value.trim() } : { to: Number(to.value) }) };
    try {
      const { result, job } = await ask("grow", args, (one) => request === state.asked && progress.show(one));
      if (request !== state.asked) return;
      showWrong(wrong, null);
      facts.replaceChildren(makeFacts([["method", result.method], ["switches afterwards", result.switches], ["hosts afterwards", result.hosts], ["steps", result.steps.length], ["cables", `${written(result.removed, 0)} removed, ${written(result.added, 0)} added, ${written(result.kept, 0)} untouched`],
        ["to buy", counted(result.bought, "cable")], ["longest new cable", `${written(result.longest_new_m, 1)} m`], ["cost", `${written(result.total_usd, 0)} ${result.currency}`]]));
      how.replaceChildren(makeHow([job]));
      show(result);
    } catch (error) {
      if (request !== state.asked) return;
      showWrong(wrong, error);
      step.replaceChildren();
      facts.replaceChildren();
    }
  }

  function show(result) {
    const count = result.steps.length;
    state.at = Math.max(1, Math.min(count, state.at));
    const now = result.steps[state.at - 1];
    if (!now) { step.replaceChildren(make("p", {}, "There is nothing to do.")); return; }
    const go = (by) => { state.at += by; updateAddress(); show(result); };
    const slider = make("input", { type: "range", min: 1, max: count, value: state.at, "aria-label": "step", oninput: () => { state.at = Number(slider.value); updateAddress(); show(result); step.querySelector("input[type=range]").focus(); } });
    const picture = make("img", { src: `data:image/svg+xml,${encodeURIComponent(now.picture)}`, alt: `the floor in step ${state.at}`, style: { maxWidth: "100%", maxHeight: "56vh", width: "auto" } });
    const head = ["work", "cable", "from", "switch", "port", "rack", "switch", "port", "rack", "m", "product"];
    const rows = now.cables.slice(0, 400).map((one) => make("tr", {}, ...[one.work, one.cable, one.from === null ? "" : `switch ${one.from} port ${one.from_port}`, one.a, one.a_port, one.a_rack, one.b, one.b_port, one.b_rack, one.stock_m, one.product].map((value, at) => make("td", { class: [0, 2, 5, 8, 10].includes(at) ? "text" : null }, typeof value === "number" ? shortly(value) : value ?? ""))));
    step.replaceChildren(make("h2", { id: "step" }, `Step ${state.at} of ${count}: ${now.title}`), make("div", { class: "tools" }, make("button", { type: "button", disabled: state.at <= 1, onclick: () => go(-1) }, "previous"), slider, make("button", { type: "button", id: "next", disabled: state.at >= count, onclick: () => go(1) }, "next")),
      makeFacts([["new switches", now.new_switches], ["new racks", now.new_racks], ["diameter after it", now.diameter], ["mean hops after it", now.aspl], ["connected", now.connected ? "yes" : "no"]]), make("figure", {}, picture),
      make("h3", {}, `${counted(now.cables.length, "cable")} to pull`), make("div", { class: "wide" }, make("table", { id: "pull" }, make("thead", {}, make("tr", {}, ...head.map((name, at) => make("th", { scope: "col", class: [0, 2, 5, 8, 10].includes(at) ? "text" : null }, name)))), make("tbody", {}, ...rows))),
      now.cables.length > 400 ? make("p", { class: "quiet" }, `and ${now.cables.length - 400} more: topoloom expand -o writes all of them`) : null);
  }
  renew();
}
