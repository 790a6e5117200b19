// The page of a requirement: a form and its TOML side by side, checked while they are edited; then the candidates.

function designPage(main, query, catalogue) {
  const text = make("textarea", { "aria-label": "requirement in TOML", spellcheck: "false" }), wrong = makeWrong(), form = make("div");
  const results = make("div"), progress = makeProgress();
  const run = make("button", { type: "button", id: "run", disabled: catalogue.read_only }, "Design");
  const examples = makeSelect("an example", [["", "start from \u2026"], ...catalogue.examples.map((one) => [one.name, one.name])], "", (name) => {
    const example = catalogue.examples.find((one) => one.name === name);
    if (example) { text.value = example.toml; check(); }
  });
  main.append(make("h1", {}, "Design"), make("div", { class: "tools" }, examples, run), wrong, make("div", { class: "halves" }, form, make("div", {}, text)), progress, results);

  // The form follows the requirement's schema: one field per key, table by table.
  const fields = new Map();
  for (const { table, fields: keys } of catalogue.requirement) {
    const group = make("div", { class: "form" });
    for (const one of keys) {
      const key = table ? `${table}.${one.name}` : one.name;
      const input = makeField(key, one, (value) => { text.value = withKey(text.value, key, value); check(); });
      fields.set(key, input);
      group.append(make("label", {}, make("span", {}, one.name, one.unit ? ` [${one.unit}]` : ""), input, make("small", {}, one.description), make("span", { class: "wrong", "data-key": key })));
    }
    form.append(make("details", { open: ["", "switch", "limits"].includes(table) }, make("summary", {}, table ? `[${table}]` : "requirement"), group));
  }
  let ran = "", asked = 0, currency = "USD";
  const check = later(async () => {
    for (const note of form.querySelectorAll("span.wrong")) note.textContent = "";
    try {
      const { result } = await ask("requirement", { text: text.value });
      showWrong(wrong, null);
      currency = result.currency;
      text.removeAttribute("aria-invalid");
      for (const [key, input] of fields) {
        const value = key.split(".").reduce((inside, part) => (inside || {})[part], result.requirement);
        if (document.activeElement !== input) input.value = value === true ? "true" : value === false ? "false" : value ?? "";
      }
      // Another limit or objective needs no new measurement, so its effect is shown at once.
      if (ran && ran !== text.value) rank(0, 0);
    } catch (error) {
      text.setAttribute("aria-invalid", "true");
      const key = [...fields.keys()].find((one) => error.message.includes(one) || new RegExp(`\\b${one.split(".").pop()}\\b`).test(error.message));
      const note = key && form.querySelector(`span.wrong[data-key="${key}"]`);
      if (note) note.textContent = error.message;
      showWrong(wrong, error);
    }
  }, 350);
  text.addEventListener("input", check);
  async function rank(shortlist, minutes) {
    const request = ++asked, toml = text.value;
    let watching = null;
    const watch = (job) => {
      progress.show(job);
      if (over(job)) { clearInterval(watching); watching = true; return; }
      if (watching) return;
      watching = setInterval(async () => {
        const rows = await api(`/api/tasks/${job.digest}/measured`).catch(() => []);
        if (watching !== true && request === asked && rows.length) showMeasured(results, rows, currency);
      }, 1000);
    };
    try {
      const { result, job } = await ask("design", { text: toml, change: shortlist ? { shortlist, minutes } : { shortlist: 0 } }, watch).finally(() => { clearInterval(watching); watching = true; });
      if (request !== asked) return;
      ran = toml;
      showDesign(results, result, job, currency, shortlist > 0);
    } catch (error) { if (request === asked) showWrong(wrong, error); }
  }
  run.onclick = async () => {
    results.replaceChildren();
    run.disabled = true;
    try {
      const checked = await ask("requirement", { text: text.value });
      await rank(checked.result.requirement.shortlist, checked.result.requirement.minutes);
    } catch (error) { showWrong(wrong, error); }
    run.disabled = catalogue.read_only;
  };
  text.value = catalogue.examples[0].toml;
  check();
}

/** A field for one key: a number within its range, a choice, yes or no, or text; empty means the default. */
function makeField(key, one, changed) {
  const attributes = { "aria-label": key, title: one.accepts };
  if (/number/.test(one.accepts)) {
    const input = make("input", { ...attributes, type: "number", step: /whole/.test(one.accepts) ? 1 : "any", placeholder: one.default || one.accepts.replace(" or none", ""), onchange: () => changed(input.value) });
    return input;
  }
  const choices = /^yes or no/.test(one.accepts) ? [["true", "yes"], ["false", "no"]] : / or /.test(one.accepts) && !/^text/.test(one.accepts) ? one.accepts.split(" or ").filter((name) => name !== "none").map((name) => [JSON.stringify(name), name]) : null;
  if (choices) {
    const select = make("select", { ...attributes, onchange: () => changed(select.value) }, make("option", { value: "" }, one.default ? `(${one.default})` : ""), ...choices.map(([value, name]) => make("option", { value: /^(true|false)$/.test(value) ? value : name }, name)));
    return select;
  }
  const input = make("input", { ...attributes, type: "text", placeholder: one.default, onchange: () => changed(input.value) });
  return input;
}

/** A value in TOML syntax. */
const tomlOf = (value) => (/^(true|false)$/.test(value) || (value.trim() !== "" && Number.isFinite(Number(value))) ? value : JSON.stringify(value));

/** TOML with one key set, or taken out where the value is empty. */
function withKey(toml, key, value) {
  const parts = key.split("."), name = parts.pop(), table = parts.join(".");
  const line = value === "" ? null : `${name} = ${tomlOf(value)}`;
  const lines = toml.split("\n");
  const head = (at) => /^\s*\[+([^\]]+)\]+/.exec(lines[at]);
  let begin = table ? lines.findIndex((_, at) => (head(at) || [])[1] === table) + 1 : 0;
  if (table && !begin) {
    if (line === null) return toml;
    return `${toml.trimEnd()}\n\n[${table}]\n${line}\n`;
  }
  let end = begin;
  while (end < lines.length && !head(end)) end += 1;
  const here = lines.findIndex((one, at) => at >= begin && at < end && new RegExp(`^\\s*${name}\\s*=`).test(one));
  if (here >= 0) lines.splice(here, 1, ...(line === null ? [] : [line]));
  else if (line !== null) {
    while (end > begin && !lines[end - 1].trim()) end -= 1;
    lines.splice(end, 0, line);
  }
  return lines.join("\n");
}

const SHOWN = [["spec", "spec"], ["cost_per_host_usd", "cost per host"], ["power_per_host_w", "power per host [W]"], ["diameter", "diameter"], ["mean_latency_ns", "mean latency [ns]"], ["hosts", "hosts"], ["switches", "switches"], ["racks", "racks"]];

function makeRanking(rows, id, currency) {
  const columns = SHOWN.filter(([key]) => rows.some((row) => row[key] !== undefined));
  return make("table", { id }, make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "rank"), ...columns.map(([key, label]) => make("th", { scope: "col", class: key === "spec" ? "text" : null }, key.endsWith("_usd") ? `${label} [${currency}]` : label)), make("th", { scope: "col" }, ""))),
    make("tbody", {}, ...rows.map((row, at) => make("tr", { class: at ? null : "best" }, make("td", {}, String(at + 1)), ...columns.map(([key]) => (key === "spec" ? make("td", { class: "spec" }, ...breakable(row.spec)) : make("td", {}, written(row[key], null)))),
      make("td", {}, make("a", { href: `/network?source=${encodeURIComponent(row.spec)}&view=structure` }, "draw"))))));
}

/** Candidates as they are measured; the limits are not applied yet. */
function showMeasured(box, rows, currency) {
  box.replaceChildren(make("h2", {}, `${counted(rows.length, "candidate")} measured so far`), make("div", { class: "wide" }, makeRanking(rows, "arrivals", currency)));
}

function showDesign(box, design, job, currency, whole) {
  const rows = design.ranked.slice(0, 300), table = makeRanking(rows, "candidates", currency);
  const shortlist = design.shortlist || [];
  box.replaceChildren(make("h2", {}, `${counted(design.ranked.length, "network")} within every limit`),
    whole ? null : make("p", { class: "quiet" }, "Ranked by the stored measurements; the button Design also assesses the shortlist in full."),
    shortlist.length ? make("ol", { id: "shortlist" }, ...shortlist.map((one) => make("li", {}, make("b", {}, one.name), one.why ? ` \u2013 ${one.why}` : ""))) : null,
    make("div", { class: "wide" }, table), make("p", { class: "quiet" }, `Dropped: ${Object.entries(design.dropped_by || {}).filter(([, count]) => count).map(([limit, count]) => `${count} by ${limit}`).join(", ") || "none"}.`), makeHow([job]));
  makeSortable(table);
}
