// Curves: each series is a network with an engine and traffic, and each load is a task; saved as SVG and CSV.

function curvesPage(main, query, catalogue) {
  const wrong = makeWrong(), box = make("div"), series = make("div", { class: "legend" }), how = make("div"), state = { jobs: new Map(), asked: 0, studies: new Map(), log: query.get("log") || "" };
  const wanted = query.getAll("series").map((text) => JSON.parse(text));
  const spec = makeInput("topology", "slimfly:q=5,hosts=4", "families", () => {}, { class: "spec" });
  const list = make("datalist", { id: "families" }, ...catalogue.families.filter((one) => one.kind === "family").map((one) => make("option", { value: exampleOf(one) })));
  let engine = "levels", traffic = "uniform", kind = "simulate";
  const loads = makeInput("loads", "0.1,0.3,0.5,0.7,0.9", null, () => {});
  const study = makeStudyChoice(wrong);
  const add = make("button", { type: "button", id: "add", onclick: () => {
    const made = kind === "simulate" ? { operation: "simulate", topology: spec.value.trim(), engine, traffic, loads: loads.value } : kind === "study" ? study.series() : { operation: "resilience", topology: spec.value.trim() };
    if (made) wanted.push(made);
    renew();
  } }, "Add");
  const own = make("span", { class: "tools" }, spec, list, makeSelect("engine", catalogue.engines.map((name) => [name, name]), engine, (value) => { engine = value; }), makeSelect("traffic", catalogue.traffic.map((one) => [one.name, one.name]), traffic, (value) => { traffic = value; }), make("label", { class: "pick" }, make("b", {}, "loads"), loads));
  const measure = makeSelect("measure", [["simulate", "latency against load"], ["resilience", "survival of failures"], ["study", "results of a study"]], kind, (value) => { kind = value; own.hidden = value === "study"; study.box.hidden = value !== "study"; });
  const decades = (axis, text) => makeTick(text, state.log.includes(axis), (on) => { state.log = ["x", "y"].filter((one) => (one === axis ? on : state.log.includes(one))).join(""); drawSoon(state.asked); });
  main.append(make("h1", {}, "Curves"), make("div", { class: "tools" }, measure, own, study.box, add), wrong, series, box,
    make("div", { class: "tools" }, decades("x", "logarithmic x axis"), decades("y", "logarithmic y axis"), make("button", { type: "button", id: "svg", onclick: () => saveSvg() }, "SVG"), make("button", { type: "button", id: "csv", onclick: () => saveCsv() }, "CSV")), how);

  const tasksOf = (one) => (one.operation === "study" ? [] : one.operation === "simulate" ? one.loads.split(",").map((load) => ({ operation: "simulate", arguments: { topology: one.topology, engine: one.engine, traffic: one.traffic, loads: [Number(load)] } })) : [{ operation: "resilience", arguments: { topology: one.topology } }]);
  const nameOf = (one) => (one.operation === "study" ? `${one.folder}${one.y ? `: ${one.y}` : ""}` : one.operation === "simulate" ? `${one.topology}, ${one.engine}, ${one.traffic}` : `${one.topology}, failures`);

  const renew = () => {
    address("/studies", { series: wanted.map((one) => JSON.stringify(one)), log: state.log });
    series.replaceChildren(...wanted.map((one, at) => make("button", { type: "button", class: "chip", title: "remove", "aria-label": `remove ${nameOf(one)}`, onclick: () => { wanted.splice(at, 1); renew(); } }, `${nameOf(one)} \u00d7`)));
    const request = ++state.asked;
    showWrong(wrong, null);
    state.jobs = new Map();
    state.studies = new Map();
    drawSoon(request);
    for (const one of wanted.filter(({ operation }) => operation === "study"))
      askStudy(one).then((study) => {
        if (request !== state.asked) return;
        state.studies.set(JSON.stringify(one), study);
        drawSoon(request);
      }).catch((error) => request === state.asked && showWrong(wrong, error));
    for (const task of wanted.flatMap(tasksOf))
      ask(task.operation, task.arguments).then(({ job, record }) => {
        if (request !== state.asked) return;
        state.jobs.set(job.digest, { job, record });
        drawSoon(request);
      }).catch((error) => request === state.asked && showWrong(wrong, error));
  };
  const drawSoon = later(async (request) => {
    if (request !== state.asked) return;
    if (!state.jobs.size && !state.studies.size) { box.replaceChildren(make("p", { class: "quiet" }, wanted.length && wrong.hidden ? "running \u2026" : "Add a network. Each load is a task; finished tasks are stored.")); how.replaceChildren(); return; }
    const own = state.jobs.size ? await api(`/api/curves?digests=${[...state.jobs.keys()].join(",")}`) : { curves: [] };
    if (request !== state.asked) return;
    const drawn = (data) => data.curves.map((curves) => makeCurves(data.marks, { ...curves, log_x: curves.log_x || state.log.includes("x"), log_y: curves.log_y || state.log.includes("y") }));
    box.replaceChildren(...[own, ...state.studies.values()].flatMap(drawn));
    address("/studies", { series: wanted.map((one) => JSON.stringify(one)), log: state.log });
    how.replaceChildren(makeHow([...[...state.jobs.values()].map((one) => one.job), ...state.studies.values()]));
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
    const points = [...state.studies.entries()].flatMap(([one, results]) => results.curves.flatMap((curves) => curves.series.flatMap((line) => line.points.map(([x, y, low, high]) => (
      { study: JSON.parse(one).folder, curve: line.name, [curves.x]: curves.x_names.length ? curves.x_names[x - 1] : x, [curves.y]: y, low, high })))));
    const rows = [...[...state.jobs.values()].map(({ record }) => ({ ...record.task.arguments, ...record.row })), ...points];
    const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
    const cell = (value) => { const text = value === null || value === undefined ? "" : String(value); return /^[=+\-@]/.test(text) && Number.isNaN(Number(text)) ? `"'${text.replaceAll('"', '""')}"` : /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text; };
    save("curves.csv", "text/csv", [names, ...rows.map((row) => names.map((name) => row[name]))].map((row) => row.map(cell).join(",")).join("\n") + "\n");
  };
  renew();
}

const askStudy = ({ folder, x, y, by, where }) => api(`/api/study?${new URLSearchParams(Object.entries({ folder, x, y, by, where }).filter(([, value]) => value))}`);

/** The choice of a study in the served folders, and of its axes and measures. */
function makeStudyChoice(wrong) {
  const axes = make("span"), box = make("span", { class: "tools", hidden: true }, "the served folders contain no study");
  const chosen = { folder: "", x: "", y: "", by: "", where: "" };
  const pick = (label, key, names) => make("label", { class: "pick" }, make("b", {}, label), makeSelect(label, [["", "automatic"], ...names.map((name) => [name, name.replaceAll("_", " ")])], "", (value) => { chosen[key] = value; }));
  const open = (folder) => {
    Object.assign(chosen, { folder, x: "", y: "", by: "" });
    askStudy({ folder }).then((study) => axes.replaceChildren(pick("x axis", "x", [...study.axes, ...study.measures]), pick("y axis", "y", study.measures), pick("one curve per", "by", study.axes),
      make("label", { class: "pick" }, make("b", {}, "only rows with"), makeInput("only rows with", chosen.where, null, (value) => { chosen.where = value.trim(); })))).catch((error) => showWrong(wrong, error));
  };
  api("/api/folders").then((folders) => {
    const studies = folders.filter((one) => one.kind === "study").map((one) => one.address);
    if (!studies.length) return;
    box.replaceChildren(makeSelect("study", studies.map((name) => [name, name]), studies[0], open), axes);
    open(studies[0]);
  }).catch((error) => showWrong(wrong, error));
  return { box, series: () => (chosen.folder ? { operation: "study", ...Object.fromEntries(Object.entries(chosen).filter(([, value]) => value)) } : null) };
}
