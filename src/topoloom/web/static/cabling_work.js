// Work lists per rack, as `topoloom watch -o` writes them, to tick and to print; and the progress of a week.

/** Sheets that are added at a time. */
const SHEETS_AT_A_TIME = 3;
const ELSEWHERE = "elsewhere";
const racksOfTask = (task) => (task.racks.length ? task.racks : [ELSEWHERE]);
/** A cable to plug, without what its heading says. */
const toPlug = (task) => task.text.replace(/^missing: /, "").replace("planned ", "");

/** Open tasks by rack, sorted by its name: [rack, tasks]. */
function tasksByRack(progress) {
  const racks = new Map();
  for (const task of progress.open)
    for (const rack of racksOfTask(task)) {
      if (!racks.has(rack)) racks.set(rack, []);
      racks.get(rack).push(task);
    }
  return [...racks].sort(([one], [other]) => (one < other ? -1 : 1));
}

/** The short name of a discovery: `names` are those of the files, by their paths. */
const sourceNamed = (names, source) => source.split(",").map((path) => names.get(path.trim()) || path.trim().split("/").pop()).join(", ");

/** Racks with work to do, and the list of one of them. */
function RacksView({ progress, names, query, set }) {
  const racks = useMemo(() => tasksByRack(progress), [progress]), [most, setMost] = useState(FAULTS_AT_A_TIME);
  const rack = query.get("rack"), chosen = racks.find(([name]) => name === rack);
  if (!racks.length) return html`<p>Every cable is right: no rack has work to do.</p>`;
  return html`<h2>Racks with work to do</h2>
    <div class="tools"><a class="button" href=${href("/cabling", { ...settingsOf(query), view: "sheets", rack: "" })}>Sheets to print</a>
      <button type="button" onClick=${() => save("work-lists.csv", "text/csv", workAsCsv(racks, names))}>Work lists as CSV</button></div>
    <div class="wide" tabindex="0" role="region" aria-label="racks with work to do"><table id="racks"><thead><tr><th scope="col" class="text">rack</th><th scope="col">to repair</th><th scope="col">to plug</th></tr></thead>
      <tbody>${racks.slice(0, most).map(([name, tasks]) => html`<tr class=${name === rack ? "selected" : null}><td class="text"><button type="button" class="chip" aria-pressed=${String(name === rack)} onClick=${() => set({ rack: name === rack ? "" : name })}>${name}</button></td>
        <td>${written(tasks.filter(({ kind }) => kind !== "missing").length, 0)}</td><td>${written(tasks.filter(({ kind }) => kind === "missing").length, 0)}</td></tr>`)}</tbody></table></div>
    ${racks.length > most ? html`<p class="quiet">the first ${most} of ${written(racks.length, 0)} racks <button type="button" onClick=${() => setMost(most + FAULTS_AT_A_TIME)}>show more</button></p>` : null}
    ${rack ? chosen ? html`<${Sheet} rack=${rack} tasks=${chosen[1]} progress=${progress} names=${names} level="h2" most=${FAULTS_AT_A_TIME} />` : html`<p>${`Rack ${rack} has no open task.`}</p>` : null}`;
}

/** The sheet of one rack: what to repair, and what to plug, with boxes to tick. */
function Sheet({ rack, tasks, progress, names, level, most = Infinity }) {
  const faults = tasks.filter(({ kind }) => kind !== "missing"), missing = tasks.filter(({ kind }) => kind === "missing"), last = progress.seen[progress.seen.length - 1];
  const more = (list) => (list.length > most ? html`<p class="quiet">the first ${most} of ${written(list.length, 0)} are shown; the sheets have all</p>` : null);
  const tick = (text) => html`<td><input type="checkbox" aria-label=${`done: ${text}`} /></td>`;
  return html`<section class="worklist"><${level}>Rack ${rack}: to do</${level}><p class="quiet">${progress.plan}, by ${sourceNamed(names, last.source)}</p>
    ${faults.length ? html`<table><caption>To repair</caption><thead><tr><th scope="col"><span class="unseen">done</span></th><th scope="col" class="text">fault</th><th scope="col" class="text">since</th></tr></thead><tbody>${faults.slice(0, most).map((task) => html`<tr>${tick(task.text)}<td class="text">${task.text}</td><td class="text">${sourceNamed(names, task.since)}</td></tr>`)}</tbody></table>${more(faults)}` : null}
    ${missing.length ? html`<table><caption>To plug</caption><thead><tr><th scope="col"><span class="unseen">done</span></th><th scope="col" class="text">cable</th></tr></thead><tbody>${missing.slice(0, most).map((task) => html`<tr>${tick(task.text)}<td class="text">${toPlug(task)}</td></tr>`)}</tbody></table>${more(missing)}` : null}</section>`;
}

/** All sheets, one page per rack; some at a time are added, so that the page answers meanwhile. */
function SheetsView({ progress, names, query }) {
  const rack = query.get("rack"), [most, setMost] = useState(SHEETS_AT_A_TIME);
  const sheets = useMemo(() => tasksByRack(progress).filter(([name]) => !rack || name === rack).map(([name, tasks]) => html`<${Sheet} key=${name} rack=${name} tasks=${tasks} progress=${progress} names=${names} level="h2" />`), [progress, rack]);
  useEffect(() => {
    const timer = most < sheets.length ? setTimeout(() => setMost(most + SHEETS_AT_A_TIME), 0) : null;
    return () => clearTimeout(timer);
  }, [most, sheets]);
  return html`<div class="tools noprint"><button type="button" class="primary" disabled=${most < sheets.length} onClick=${() => window.print()}>Print</button><a href=${href("/cabling", { ...settingsOf(query), view: "racks" })}>back to the racks</a></div>
    ${sheets.length ? sheets.slice(0, most) : html`<p>No rack has work to do.</p>`}`;
}

/** A cell of CSV that no spreadsheet takes for a formula, as topoloom writes it. */
function csvCell(text) {
  const safe = /^'*(?:\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|[\t\r\n])/.test(text) ? `'${text}` : text;
  return /[",;\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

const asCsv = (rows) => rows.map((row) => `${row.map(csvCell).join(",")}\n`).join("");
const workAsCsv = (racks, names) => asCsv([["rack", "kind", "task", "since"], ...racks.flatMap(([rack, tasks]) => tasks.map((task) => [rack, task.kind, task.text, sourceNamed(names, task.since)]))]);

/** The columns of a week, as `topoloom watch` prints them. */
const WEEK = [["right", "right_cables"], ["newly right", "new_right"], ["missing", "missing_cables"], ["lost", "lost"], ["faults", "faults"], ["new faults", "new_faults"], ["repaired", "gone_faults"]];

/** Each discovery with its right, missing and wrong cables, as bars and as numbers. */
function WeekView({ progress, names, day, set }) {
  const total = progress.planned_cables || 1;
  const bar = (row) => {
    const right = row.right_cables / total, missing = row.missing_cables / total, wrong = Math.max(0, 1 - right - missing);
    const piece = (name, from, share) => (share > 0 ? draw("rect", { class: name, x: 200 * from, y: 0, width: Math.max(0.8, 200 * share), height: 14 }) : null);
    return draw("svg", { class: "weekbar", viewBox: "0 0 200 14", preserveAspectRatio: "none", role: "img", "aria-label": `${written(100 * right, 1)} % right` }, piece("right", 0, right), piece("off", right, wrong), piece("missing", right + wrong, missing));
  };
  return html`<h2>Progress</h2><p>${counted(progress.planned_cables, "cable")} are planned. <span class="key right">right</span> <span class="key off">present, but not as planned</span> <span class="key missing">missing</span></p>
    <div class="wide" tabindex="0" role="region" aria-label="progress by discovery"><table id="week"><thead><tr><th scope="col" class="text">discovery</th><th scope="col" class="text">progress</th>${WEEK.map(([title]) => html`<th scope="col">${title}</th>`)}</tr></thead>
    <tbody>${progress.seen.map((row, at) => html`<tr class=${at + 1 === day ? "selected" : null}><td class="text"><button type="button" class="chip" aria-pressed=${String(at + 1 === day)} onClick=${() => set({ day: at + 1 === progress.seen.length ? "" : at + 1 })}>${sourceNamed(names, row.source)}</button></td><td class="text"><${Made} element=${bar(row)} /></td>${WEEK.map(([, key]) => html`<td>${written(row[key], 0)}</td>`)}</tr>`)}</tbody></table></div>
    <${RackWeek} progress=${progress} names=${names} set=${set} />
    ${progress.causes.length ? html`<h3>Root causes of what is open</h3><${Lines} lines=${progress.causes} />` : null}
    ${progress.gone.length ? html`<h3>Repaired since the previous discovery</h3><${Lines} lines=${progress.gone} />` : null}
    ${progress.nodes.length ? html`<h3>Switches and hosts</h3><${Lines} lines=${progress.nodes} />` : null}`;
}

/** Each network of a machine on each day, as verify finds it; a click on a day shows its faults, one on a network those of it. */
function MachineWeek({ sorted, day, set }) {
  const days = sorted.rounds.length, { jobs, errors } = useTasks(sorted.rounds.map(({ verify }) => ({ operation: "verify", args: verify })));
  const done = new Map(jobs.filter((job) => job.record).map((job) => [job.place, job.record.result]));
  const cell = (result, network) => {
    const at = result ? result.networks.indexOf(network) : -1;
    if (at < 0) return html`<td class="quiet">${result ? "not discovered" : "\u2026"}</td>`;
    const { comparison, errors: wrong, warnings } = result.results[at];
    return html`<td>${comparison ? `${written(comparison.right_cables, 0)} of ${written(comparison.planned_cables, 0)} right, ${written(comparison.missing_cables, 0)} missing; ` : ""}<span class=${wrong + warnings ? "severity error" : null}>${counted(wrong + warnings, "fault")}</span></td>`;
  };
  return html`<h2>Progress by network</h2><${TasksProgress} jobs=${jobs} count=${days} of="day" />${errors.map((error) => html`<${Wrong} error=${error} />`)}
    <div class="wide" tabindex="0" role="region" aria-label="progress by day and network"><table id="machineweek"><thead><tr><th scope="col" class="text">day</th>${sorted.plan.networks.map((network) => html`<th scope="col">${network}</th>`)}</tr></thead>
    <tbody>${sorted.rounds.map(({ name }, at) => html`<tr class=${at + 1 === day ? "selected" : null}><td class="text"><button type="button" class="chip" aria-pressed=${String(at + 1 === day)} onClick=${() => set({ day: at + 1 === days ? "" : at + 1 })}>${name}</button></td>${sorted.plan.networks.map((network) => cell(done.get(at), network))}</tr>`)}</tbody></table></div>
    <p class="quiet">Cables of the plan and faults (errors and warnings) of each network. Work lists per rack and what is new since the day before: choose the folder of one network as the plan.</p>`;
}

/** The open tasks of each rack in each discovery; those with most now come first. */
function RackWeek({ progress, names, set }) {
  const [most, setMost] = useState(40), last = progress.seen.length - 1;
  const racks = Object.entries(progress.racks).sort(([one, ours], [other, theirs]) => theirs[last] - ours[last] || BY_NAME.compare(one, other));
  if (!racks.length) return null;
  return html`<h3>Open tasks per rack</h3><div class="wide" tabindex="0" role="region" aria-label="open tasks per rack and discovery"><table id="rackweek"><thead><tr><th scope="col" class="text">rack</th>${progress.seen.map(({ source }) => html`<th scope="col">${sourceNamed(names, source)}</th>`)}</tr></thead>
    <tbody>${racks.slice(0, most).map(([rack, counts]) => html`<tr><td class="text"><button type="button" class="chip" onClick=${() => set({ view: "racks", rack })}>${rack}</button></td>${counts.map((count) => html`<td>${written(count, 0)}</td>`)}</tr>`)}</tbody></table></div>
    ${racks.length > most ? html`<p class="quiet">the first ${most} of ${written(racks.length, 0)} racks <button type="button" onClick=${() => setMost(most + FAULTS_AT_A_TIME)}>show more</button></p>` : null}`;
}

/** A list of sentences, the first ones at first. */
function Lines({ lines }) {
  const [most, setMost] = useState(40);
  return html`<ul>${lines.slice(0, most).map((line) => html`<li>${line}</li>`)}</ul>${lines.length > most ? html`<p class="quiet">the first ${most} of ${written(lines.length, 0)} <button type="button" onClick=${() => setMost(most + FAULTS_AT_A_TIME)}>show more</button></p>` : null}`;
}
