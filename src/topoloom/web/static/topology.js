// The page of a topology: its spec with completion and sliders, its size, hops and bounds, its graph, paths and losses.

function topologyPage(main, query, catalogue) {
  const families = new Map(catalogue.families.filter((one) => one.kind === "family").map((one) => [one.name, one]));
  const wrong = makeWrong(), knobs = make("div", { class: "form" }), sheet = make("div", { class: "sheet" }), side = make("div"), progress = makeProgress();
  const list = make("datalist", { id: "families" }, ...[...families.values()].map((one) => make("option", { value: exampleOf(one) }, one.description)));
  const field = makeInput("topology", query.get("spec") || "slimfly:q=5,hosts=4", "families", later(() => renew(true), 400), { class: "spec", id: "spec" });
  const state = { engine: query.get("engine") || "", by: query.get("by") || "plain", at: query.get("at") || "labels", from: null, to: null, asked: 0 };
  const engine = makeSelect("engine", [["", "no tables"], ...catalogue.engines.map((name) => [name, name])], state.engine, (value) => { state.engine = value; renew(true); });
  const at = makeSelect("positions of switches", [["labels", "by labels"], ["floor", "on the floor"]], state.at, (value) => { state.at = value; renew(true); });
  const colour = make("span");
  main.append(make("h1", {}, "Topology"), make("div", { class: "tools" }, field, list, make("label", { class: "pick" }, make("b", {}, "tables"), engine), make("label", { class: "pick" }, make("b", {}, "switches"), at), colour), knobs, wrong, progress,
    make("div", { class: "columns" }, sheet, side));

  const facts = make("div"), trace = make("div"), how = make("div");
  side.append(facts, trace, how);
  let graph = null;

  function showKnobs() {
    const [name, text] = split(field.value), family = families.get(name);
    knobs.replaceChildren();
    if (!family) return;
    const values = new Map(text.split(",").filter(Boolean).map((part) => part.split("=")));
    for (const [key, parameter] of Object.entries(family.parameters)) {
      const value = values.get(key) ?? parameter.default ?? "";
      const set = (chosen) => {
        values.set(key, chosen);
        field.value = `${name}:${[...values].map((pair) => pair.join("=")).join(",")}`;
        soon();
      };
      const choices = parameter.type === "choice" ? parameter.range.split(" or ") : [];
      if (choices.includes(value)) knobs.append(make("label", { class: "knob" }, make("output", {}, key), makeSelect(key, choices.map((one) => [one, one]), value, set)));
      const range = /^(-?[\d.]+) to ([\d.]+)/.exec(parameter.range) || [], whole = parameter.type !== "real";
      if (!["integer", "seed", "real"].includes(parameter.type) || !(whole ? /^\d+$/ : /^[\d.]+$/).test(value)) continue;
      const least = Number(range[1] ?? 1), most = Math.min(Number(range[2] ?? 1e9), Math.max(whole ? 16 : 1, 4 * Number(value)));
      const shown = make("output", {}, `${key} = ${value}`);
      const slider = make("input", { type: "range", min: least, max: most, step: whole ? 1 : 0.01, value, "aria-label": key, title: parameter.description, oninput: () => {
        shown.textContent = `${key} = ${slider.value}`;
        set(slider.value);
      } });
      knobs.append(make("label", { class: "knob" }, shown, slider));
    }
  }
  const soon = later(() => renew(false), 300);

  async function renew(withKnobs) {
    const request = ++state.asked, spec = field.value.trim();
    if (withKnobs) showKnobs();
    address("/topology", { spec, engine: state.engine, by: state.by === "plain" ? "" : state.by, at: state.at === "labels" ? "" : state.at });
    if (!spec) return;
    const draw = { topology: spec, ...(state.engine ? { engine: state.engine } : {}), ...(state.at === "floor" ? { at: "floor" } : {}) };
    const drawn = ask("picture", draw, (job) => request === state.asked && progress.show(job));
    const measured = ask("info", { topology: spec });
    measured.catch(() => {});  // awaited below, after the picture; until then nothing else handles its rejection
    try {
      const { result, job } = await drawn;
      if (request !== state.asked) return;
      showWrong(wrong, null);
      field.removeAttribute("aria-invalid");
      show(result);
      how.replaceChildren(makeHow([job]));
    } catch (error) {
      if (request !== state.asked) return;
      progress.show({ state: "failed" });
      field.setAttribute("aria-invalid", "true");
      showWrong(wrong, error);
    }
    try {
      const { result, job } = await measured;
      if (request !== state.asked) return;
      facts.replaceChildren(makeFacts([["switches", result.switches], ["hosts", result.hosts], ["links", result.links], ["degree", result.degree_min === result.degree_max ? result.degree_max : `${result.degree_min} to ${result.degree_max}`],
        ["ports of a switch", result.radix], ["diameter", result.diameter], ["mean hops", result.aspl], ["least possible mean hops", result.moore_aspl_bound], ["bisection", result.bisection === null ? null : `${written(result.bisection, 0)} links${result.bisection_exact ? "" : ", at most"}`],
        ["edge connectivity", result.edge_connectivity], ["connected", result.connected ? "yes" : "no"]]));
      how.replaceChildren(makeHow([job]));
    } catch { if (request === state.asked) facts.replaceChildren(); }
  }

  function show(picture) {
    state.from = state.to = null;
    trace.replaceChildren(make("p", { class: "quiet" }, "Click two switches to see the path of the tables between them. Click a link, or Shift-click a switch, to remove it. By keyboard: n, p, Enter, x."));
    graph = makeGraph(picture, () => {}, clicked);
    sheet.replaceChildren(graph.canvas);
    const choices = [["plain", "hosts"], ...Object.keys(picture.labels).map((name) => [name, `label ${name}`]), ...(picture.loads ? [["load", `load by ${picture.engine}`]] : [])];
    if (!choices.some(([value]) => value === state.by)) state.by = picture.loads && state.by === "load" ? "load" : "plain";
    colour.replaceChildren(make("label", { class: "pick" }, make("b", {}, "colour"), makeSelect("colour", choices, state.by, (value) => { state.by = value; graph.set({ by: value }); address("/topology", { spec: field.value.trim(), engine: state.engine, by: value, at: state.at === "labels" ? "" : state.at }); })));
    graph.set({ by: state.by });
    if (graph.still) sheet.append(makeStill(picture));
  }

  function clicked(what) {
    const lost = graph.state;
    if (what.lost !== undefined) toggle(lost.lostSwitches, what.lost);
    else if (what.switch !== undefined && what.switch >= 0) {
      if (held.shift) toggle(lost.lostSwitches, what.switch);
      else if (state.from === null || state.to !== null) [state.from, state.to] = [what.switch, null];
      else state.to = what.switch;
    } else if (what.link >= 0) toggle(lost.lostLinks, what.link);
    graph.set({ ends: [state.from, state.to].filter((one) => one !== null), ...(state.to === null ? { path: [], after: null } : {}) });
    follow();
  }

  async function follow() {
    if (state.from === null) return;
    if (state.to === null) {
      trace.replaceChildren(make("p", {}, `From switch ${state.from}; click another.`));
      return;
    }
    const lost = graph.state, lostLinks = [...lost.lostLinks].map((i) => [graph.links[2 * i], graph.links[2 * i + 1]]), lostSwitches = [...lost.lostSwitches];
    const args = { topology: field.value.trim(), from_switch: state.from, to_switch: state.to, ...(state.engine ? { engine: state.engine } : {}),
      ...(lostLinks.length ? { lost_links: lostLinks } : {}), ...(lostSwitches.length ? { lost_switches: lostSwitches } : {}) };
    try {
      const { result, job } = await ask("trace", args, progress.show);
      const any = lostLinks.length + lostSwitches.length > 0;
      graph.set({ path: result.path, after: any ? result.path_after || [] : null });
      trace.replaceChildren(make("h3", {}, "Path"), makeFacts([["tables", result.engine], ["path", result.path.join(" \u2192 ")], ["virtual channel", result.vc],
        ...(any ? [["after the loss", result.path_after ? result.path_after.join(" \u2192 ") : "none: not connected"], ...(result.path_after ? [["entries changed", `${written(result.entries_changed, 0)} of ${written(result.entries, 0)}`], ["all tables rebuilt", result.rebuilt ? "yes" : "no"], ["free of deadlock", result.deadlock_free ? "yes" : "no"]] : [])] : [])]),
        make("button", { type: "button", onclick: () => { lost.lostLinks.clear(); lost.lostSwitches.clear(); graph.set({}); follow(); } }, "restore all"), makeHow([job]));
    } catch (error) { trace.replaceChildren(make("p", { class: "wrong", role: "alert" }, error.message)); }
  }

  const held = { shift: false };
  main.addEventListener("pointerup", (event) => { held.shift = event.shiftKey; }, true);
  renew(true);
}

const toggle = (set, value) => { if (!set.delete(value)) set.add(value); };
const split = (spec) => { const at = spec.indexOf(":"); return at < 0 ? [spec, ""] : [spec.slice(0, at), spec.slice(at + 1)]; };

function exampleOf(family) {
  const parts = Object.entries(family.parameters).filter(([, one]) => one.required).map(([name, one]) => `${name}=${(/\d+/.exec(one.range) || [""])[0]}`);
  return parts.length ? `${family.name}:${parts.join(",")}` : family.name;
}

/** Without WebGL: a table of the first switches below the still picture. */
function makeStill(picture) {
  const names = Object.keys(picture.labels), rows = Math.min(200, picture.switches);
  return make("div", { class: "wide" }, make("p", { class: "quiet" }, "This browser has no WebGL2, so the picture is not interactive."),
    make("table", { id: "switches" }, make("thead", {}, make("tr", {}, ...["switch", "hosts", ...names].map((name) => make("th", { scope: "col" }, name)))),
      make("tbody", {}, ...Array.from({ length: rows }, (_, i) => make("tr", {}, ...[i, picture.host_of[i], ...names.map((name) => picture.labels[name][i])].map((value) => make("td", {}, String(value))))))));
}
