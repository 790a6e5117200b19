// What is cabled: discoveries on a plan. The plan and the files are chosen or dropped; then faults, work lists, progress.

/** The views of the result by their names in the address. */
const CABLING_VIEWS = { faults: "Faults", drawing: "Drawing", floor: "Room", racks: "Racks", week: "Progress" };
/** Settings that belong to one choice of plan and files. */
const OF_RESULT = ["rule", "severity", "rack", "network", "device", "page", "day"];

/** The settings of an address as `href` takes them. */
function settingsOf(query) {
  const settings = {};
  for (const name of new Set(query.keys())) settings[name] = query.getAll(name);
  return settings;
}

function CablingPage({ query, go, catalogue }) {
  const [folders, setFolders] = useState([]), [error, setError] = useState(null), [rules, setRules] = useState([]);
  const plan = query.get("plan") || "", files = query.getAll("discoveries"), view = query.get("view") || "faults";
  const set = (changes, options) => go("/cabling", { ...settingsOf(query), ...changes }, options);
  const choose = (changes) => set({ ...Object.fromEntries(OF_RESULT.map((name) => [name, ""])), ...changes });
  useEffect(() => {
    api("/api/folders").then(setFolders, setError);
    api("/api/rules").then(setRules, setError);
  }, []);
  const sending = useSending(({ address }) => choose({ discoveries: [...files, address], order: "" })), [over, setOver] = useState(false);
  const drop = { onDragOver: (event) => { event.preventDefault(); setOver(true); }, onDragLeave: (event) => { if (!event.currentTarget.contains(event.relatedTarget)) setOver(false); },
    onDrop: (event) => { event.preventDefault(); setOver(false); droppedIn(event.dataTransfer).then(sending.send, setError); } };
  const asked = plan && files.length ? { plan, files, ...(query.get("order") === "given" ? { in_order: true } : {}) } : null;
  const sorted = useTask("discoveries", asked);
  const known = asked && sorted.result;
  const inputs = html`<h1>What is cabled</h1>
    <p>Compare discoveries of a fabric with its plan: what ibnetdiscover, LLDP agents, sheets and other tools say, of one day or of a week.</p><${Wrong} error=${error} />
    <div class="halves"><${PlanChoice} plan=${plan} folders=${folders} choose=${choose} locked=${catalogue.read_only} /><${FilesChoice} files=${files} folders=${folders} choose=${choose} sending=${sending} over=${over} locked=${catalogue.read_only} /></div>
    <${Progress} job=${sorted.running} /><${Wrong} error=${sorted.error} />`;
  return html`<div class="cabling" ...${catalogue.read_only ? {} : drop}><div class="noprint">${view === "sheets" ? null : inputs}</div>
    ${!plan ? html`<p class="quiet">First choose the plan.</p>` : !files.length ? html`<p class="quiet">Then drop or choose what was discovered.</p>` : null}
    ${known ? html`${view === "sheets" ? null : html`<${FilesTable} sorted=${known} files=${files} choose=${choose} />`}
      ${known.rounds.length ? html`<${CablingResult} sorted=${known} rules=${rules} query=${query} set=${set} />` : html`<p class="wrong" role="alert">None of the files is a discovery of ${known.plan.name}.</p>`}` : null}</div>`;
}

/** The plan: a served folder or file, or a spec. */
function PlanChoice({ plan, folders, choose, locked }) {
  const [text, setText] = useState(plan);
  // A single file is the plan itself; several are the folder of one.
  const sending = useSending(({ address, sent }) => choose({ plan: sent.length === 1 ? sent[0] : address }));
  useEffect(() => setText(plan), [plan]);
  const plans = folders.filter(({ kind }) => ["network", "machine", "design", "plan"].includes(kind));
  return html`<section aria-label="plan"><h2>Plan</h2><form onSubmit=${(event) => { event.preventDefault(); choose({ plan: text.trim() }); }}>
    <${Field} label="Plan" hint="a served folder of a network or a machine, a plan file in one, or a spec"><input class="spec" id="plan" list="plans" value=${text} spellcheck="false" autocomplete="off" onInput=${(event) => setText(event.target.value)} /></${Field}>
    <datalist id="plans">${plans.map(({ address, kind }) => html`<option value=${address}>${kind}</option>`)}</datalist>
    <div class="tools"><button type="submit">Use this plan</button>${plan ? html`<a href=${href("/network", { source: plan })}>its own page</a>` : null}</div></form>
    ${locked ? null : html`<${FileButtons} label="Send a plan" chosen=${sending.send} busy=${sending.busy} />`}${sending.report}</section>`;
}

/** The discoveries: served folders and files. */
function FilesChoice({ files, folders, choose, sending, over, locked }) {
  const [text, setText] = useState("");
  const add = (event) => {
    event.preventDefault();
    if (text.trim()) choose({ discoveries: [...files, text.trim()], order: "" });
    setText("");
  };
  return html`<section aria-label="discoveries"><h2>Discoveries</h2>
    ${locked ? null : html`<div class=${over ? "drop over" : "drop"}><p>Drop a folder or files anywhere on this page: one discovery, or those of a week.</p><${FileButtons} label="Send discoveries" chosen=${sending.send} busy=${sending.busy} /></div>`}${sending.report}<form onSubmit=${add}>
    <${Field} label="Or a served folder or file" hint="of ibnetdiscover, LLDP agents, sheets; a folder may have several days, and error counters"><input class="spec" id="files" list="served" value=${text} spellcheck="false" autocomplete="off" onInput=${(event) => setText(event.target.value)} /></${Field}>
    <datalist id="served">${folders.filter(({ kind }) => kind === "folder").map(({ address }) => html`<option value=${address}></option>`)}</datalist>
    <div class="tools"><button type="submit">Add</button>${files.length ? html`<button type="button" onClick=${() => choose({ discoveries: [], order: "" })}>Remove all</button>` : null}</div></form></section>`;
}

const WHAT = { discovery: "discovery", counters: "error counters", plan: "a plan", other: "not used" };

/** What each file is, in the order of time; the order can be changed. */
function FilesTable({ sorted, choose }) {
  const order = sorted.rounds.flatMap((round) => round.files), rest = sorted.files.map((_, at) => at).filter((at) => !order.includes(at));
  const roundOf = new Map(sorted.rounds.flatMap((round, day) => round.files.map((at) => [at, day + 1])));
  const put = (list) => choose({ discoveries: list.map((at) => sorted.files[at].path), order: "given" });
  const moved = (at, by) => {
    const list = [...order], place = list.indexOf(at);
    list.splice(place, 1);
    list.splice(place + by, 0, at);
    put([...list, ...rest]);
  };
  const facts = (file) => [...(file.networks || []).filter(Boolean), file.planes.length ? `plane ${file.planes.join(", ")}` : "", file.cables === undefined ? "" : `${counted(file.switches, "switch", "switches")}, ${counted(file.hosts, "host")}, ${counted(file.cables, "cable")}`, file.counters ? "error counters" : "", file.why].filter(Boolean).join("; ");
  const unused = sorted.files.filter(({ kind }) => kind === "other" || kind === "plan");
  return html`${unused.length ? html`<p id="unused">Not used: ${unused.slice(0, 3).map(({ name, why }) => html`<span class="line"><b>${name}</b>: ${why}</span>`)}${unused.length > 3 ? `and ${written(unused.length - 3, 0)} more, in the list of files` : ""}</p>` : null}
    <details class="given"><summary>${counted(sorted.files.length, "file")}: ${counted(sorted.rounds.length, "discovery", "discoveries")} in the order of time${unused.length ? `, ${unused.length} not used` : ""}</summary>
    <div class="wide" tabindex="0" role="region" aria-label="files"><table id="given"><thead><tr><th scope="col">day</th><th scope="col" class="text">file</th><th scope="col" class="text">what it is</th><th scope="col" class="text">content</th><th scope="col" class="text">date</th><th scope="col" class="text">order</th></tr></thead>
    <tbody>${[...order, ...rest].map((at) => { const file = sorted.files[at], place = order.indexOf(at); return html`<tr><td>${roundOf.get(at) || ""}</td><td class="text">${file.name}</td><td class="text">${file.kind === "plan" ? html`<button type="button" onClick=${() => choose({ plan: file.path })}>use as the plan</button>` : file.kind === "other" ? html`<span class="severity warning">${WHAT.other}</span>` : WHAT[file.kind] || file.kind}</td>
      <td class="text">${facts(file)}${file.warnings.map((text) => html`<br /><small>${text}</small>`)}</td><td class="text">${file.date}</td>
      <td class="text nowrap">${place >= 0 ? html`<button type="button" disabled=${place === 0} aria-label=${`${file.name} earlier`} onClick=${() => moved(at, -1)}>\u2191</button> <button type="button" disabled=${place === order.length - 1} aria-label=${`${file.name} later`} onClick=${() => moved(at, 1)}>\u2193</button> ` : null}<button type="button" aria-label=${`remove ${file.name}`} onClick=${() => put([...order, ...rest].filter((other) => other !== at))}>\u00d7</button></td></tr>`; })}</tbody></table></div></details>`;
}

/** The result of one day, and of the days up to it. */
function CablingResult({ sorted, rules, query, set }) {
  const days = sorted.rounds.length, day = Math.min(Math.max(1, Number(query.get("day")) || days), days), round = sorted.rounds[day - 1];
  const verified = useTask("verify", round.verify), watched = useTask("watch", round.watch), week = useTask("watch", sorted.rounds[days - 1].watch);
  const names = useMemo(() => new Map(sorted.files.map(({ path, name }) => [path, name.split("/").slice(1).join("/") || name])), [sorted]);
  const view = query.get("view") || "faults", jobs = [verified.job, watched.job];
  const waits = (task, show) => html`<${Progress} job=${task.running} /><${Wrong} error=${task.error} />${task.result ? show(task.result) : null}`;
  const noWatch = () => html`<p>${sorted.watch_why}.</p>`;
  if (view === "sheets") return round.watch ? waits(watched, (progress) => html`<h1>${progress.plan}</h1><${SheetsView} progress=${progress} names=${names} query=${query} />`) : noWatch();
  return html`<section aria-label="result">${verified.result ? html`<${Verdict} result=${verified.result} sorted=${sorted} day=${day} set=${set} />` : null}
    <nav class="views" aria-label="views of the result">${Object.entries(CABLING_VIEWS).filter(([key]) => (key !== "floor" || sorted.plan.placed) && (key !== "racks" || sorted.plan.kind !== "machine")).map(([key, title]) => html`<a href=${href("/cabling", { ...settingsOf(query), view: key === "faults" ? "" : key })} aria-current=${key === view ? "page" : null}>${title}</a>`)}</nav>
    ${view === "racks" ? (round.watch ? waits(watched, (progress) => html`<${RacksView} progress=${progress} names=${names} query=${query} set=${set} />`) : noWatch())
      : view === "week" && sorted.plan.kind === "machine" ? html`<${MachineWeek} sorted=${sorted} day=${day} set=${set} />`
      : view === "week" ? (round.watch ? waits(week, (progress) => html`<${WeekView} progress=${progress} names=${names} day=${day} set=${set} />`) : noWatch())
      : view === "drawing" ? waits(verified, (result) => html`<${DrawingOfFaults} plan=${query.get("plan")} result=${result} query=${query} set=${set} />`)
      : view === "floor" ? waits(verified, (result) => html`<${FloorOfFaults} plan=${query.get("plan")} result=${result} query=${query} set=${set} />`)
      : waits(verified, (result) => html`<${FaultsView} result=${result} rules=${rules} query=${query} set=${set} />`)}
    <${Commands} jobs=${jobs} /></section>`;
}

/** Whether the fabric can be handed over, in words, and the main numbers. */
function Verdict({ result, sorted, day, set }) {
  const compared = comparedIn(result), faults = [counted(result.errors, "error"), counted(result.warnings, "warning"), counted(result.notes, "note")].join(", ");
  const rest = (result.unverified || []).length ? ` Not discovered: ${result.unverified.join(", ")}.` : "";
  return html`<h2>${sorted.plan.name}</h2>${sorted.rounds.length > 1 ? html`<${Choice} label="day" value=${String(day)} options=${sorted.rounds.map(({ name }, at) => [String(at + 1), `${at + 1}: ${name}`])} changed=${(value) => set({ day: Number(value) === sorted.rounds.length ? "" : value })} />` : null}
    <p class="verdict ${result.clean ? "good" : "bad"}" role="status"><b>${result.clean ? "Ready to hand over: no errors or warnings" : "Not ready to hand over"}</b> (${faults}; exit code ${result.clean ? 0 : 3}).${rest}</p>
    ${compared ? html`<${Facts} pairs=${[["planned cables", compared.planned], ["right cables", compared.right], ["missing cables", compared.missing], ["switches matched by", compared.by], ["share of links that agree", written(compared.agree, 3)]]} />` : null}
    ${compared && compared.agree < 0.5 ? html`<p class="wrong">Few links agree: names may match by chance, or this is the discovery of another fabric.</p>` : null}`;
}
