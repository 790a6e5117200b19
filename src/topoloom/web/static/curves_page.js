// Curves: networks, engines and traffic as series, a task a load; added and removed, saved as SVG and CSV.

function curvesPage(main, query, catalogue) {
  const wrong = makeWrong(), box = make("div"), series = make("div", { class: "legend" }), how = make("div"), state = { jobs: new Map(), asked: 0, log: query.get("log") === "y" };
  const wanted = query.getAll("series").map((text) => JSON.parse(text));
  const spec = makeInput("topology", "slimfly:q=5,hosts=4", "families", () => {}, { class: "spec" });
  const list = make("datalist", { id: "families" }, ...catalogue.families.filter((one) => one.kind === "family").map((one) => make("option", { value: exampleOf(one) })));
  let engine = "levels", traffic = "uniform", kind = "simulate";
  const loads = makeInput("loads", "0.1,0.3,0.5,0.7,0.9", null, () => {});
  const add = make("button", { type: "button", id: "add", onclick: () => {
    wanted.push(kind === "simulate" ? { verb: "simulate", topology: spec.value.trim(), engine, traffic, loads: loads.value } : { verb: "resilience", topology: spec.value.trim() });
    renew();
  } }, "Add");
  main.append(make("h1", {}, "Curves"), make("div", { class: "tools" }, makeSelect("measure", [["simulate", "latency against load"], ["resilience", "survival of failures"]], kind, (value) => { kind = value; }), spec, list,
    makeSelect("engine", catalogue.engines.map((name) => [name, name]), engine, (value) => { engine = value; }), makeSelect("traffic", catalogue.traffic.map((one) => [one.name, one.name]), traffic, (value) => { traffic = value; }), make("label", { class: "pick" }, make("b", {}, "loads"), loads), add),
    wrong, series, box, make("div", { class: "tools" }, makeTick("decades upwards", state.log, (on) => { state.log = on; drawSoon(state.asked); }), make("button", { type: "button", id: "svg", onclick: () => saveSvg() }, "SVG"), make("button", { type: "button", id: "csv", onclick: () => saveCsv() }, "CSV")), how);

  const tasksOf = (one) => (one.verb === "simulate" ? one.loads.split(",").map((load) => ({ verb: "simulate", arguments: { topology: one.topology, engine: one.engine, traffic: one.traffic, load: Number(load) } })) : [{ verb: "resilience", arguments: { topology: one.topology } }]);
  const nameOf = (one) => (one.verb === "simulate" ? `${one.topology}, ${one.engine}, ${one.traffic}` : `${one.topology}, failures`);

  const renew = () => {
    address("/curves", { series: wanted.map((one) => JSON.stringify(one)), log: state.log ? "y" : "" });
    series.replaceChildren(...wanted.map((one, at) => make("button", { type: "button", class: "chip", title: "remove", "aria-label": `remove ${nameOf(one)}`, onclick: () => { wanted.splice(at, 1); renew(); } }, `${nameOf(one)} \u00d7`)));
    const mine = ++state.asked;
    showWrong(wrong, null);
    state.jobs = new Map();
    drawSoon(mine);
    for (const task of wanted.flatMap(tasksOf))
      ask(task.verb, task.arguments).then(({ job, record }) => {
        if (mine !== state.asked) return;
        state.jobs.set(job.digest, { job, record });
        drawSoon(mine);
      }).catch((error) => mine === state.asked && showWrong(wrong, error));
  };
  const drawSoon = later(async (mine) => {
    if (mine !== state.asked) return;
    if (!state.jobs.size) { box.replaceChildren(make("p", { class: "quiet" }, wanted.length ? "at work \u2026" : "Add a network; every load is a task, and what is done stays.")); how.replaceChildren(); return; }
    const data = await api(`/api/curves?digests=${[...state.jobs.keys()].join(",")}`);
    if (mine !== state.asked) return;
    box.replaceChildren(...data.curves.map((curves) => makeCurves(data.marks, { ...curves, log_y: curves.log_y || state.log })));
    address("/curves", { series: wanted.map((one) => JSON.stringify(one)), log: state.log ? "y" : "" });
    how.replaceChildren(makeHow([...state.jobs.values()].map((one) => one.job)));
  }, 150);
  const saveSvg = () => {
    for (const [at, canvas] of [...box.querySelectorAll("svg.plot")].entries()) {
      const copy = canvas.cloneNode(true);
      copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
      copy.prepend(draw("style", {}, [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]).filter((rule) => /\.plot|\.curve|\.band|:root/.test(rule.selectorText || "")).map((rule) => rule.cssText).join("\n")));
      save(`curves-${at + 1}.svg`, "image/svg+xml", new XMLSerializer().serializeToString(copy));
    }
  };
  const saveCsv = () => {
    const rows = [...state.jobs.values()].map(({ record }) => ({ ...record.task.arguments, ...record.row }));
    const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
    const cell = (value) => { const text = value === null || value === undefined ? "" : String(value); return /^[=+\-@]/.test(text) && Number.isNaN(Number(text)) ? `"'${text.replaceAll('"', '""')}"` : /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text; };
    save("curves.csv", "text/csv", [names, ...rows.map((row) => names.map((name) => row[name]))].map((row) => row.map(cell).join(",")).join("\n") + "\n");
  };
  renew();
}
