// Studies: any measure of a study in a served folder over any of its axes; saved as SVG and CSV.

/** Axes and measures of a choice, in the address: `series` is its JSON. */
const STUDY_KEYS = ["folder", "x", "y", "by", "where"];

const askStudy = (chosen) => api(`/api/study?${new URLSearchParams(STUDY_KEYS.filter((key) => chosen[key]).map((key) => [key, chosen[key]]))}`);
const studyName = ({ folder, y, by }) => [folder, y && `: ${y.replaceAll("_", " ")}`, by && ` by ${by}`].filter(Boolean).join("");

function StudiesPage({ query, go }) {
  const series = query.getAll("series").flatMap((text) => { try { return [JSON.parse(text)]; } catch { return []; } }).filter((each) => each.folder);
  const log = query.get("log") || "", [results, setResults] = useState(new Map()), [error, setError] = useState(null), box = useRef();
  const change = (settings) => go("/studies", { series: series.map((each) => JSON.stringify(each)), log, ...settings });
  const key = JSON.stringify(series);
  useEffect(() => {
    let current = true;
    setError(null);
    setResults(new Map());
    series.forEach((each) => askStudy(each).then((study) => current && setResults((earlier) => new Map([...earlier, [JSON.stringify(each), study]])), (problem) => current && setError(problem)));
    return () => { current = false; };
  }, [key]);
  const shown = series.map((each) => [each, results.get(JSON.stringify(each))]).filter(([, study]) => study);
  const drawn = useMemo(() => make("div", {}, ...shown.flatMap(([, data]) => data.curves.map((curves) => makeCurves(data.marks, { ...curves, log_x: curves.log_x || log.includes("x"), log_y: curves.log_y || log.includes("y") })))), [results, log]);
  const decades = (axis) => html`<label class="tick"><input type="checkbox" checked=${log.includes(axis)} onChange=${(event) => change({ log: ["x", "y"].filter((each) => (each === axis ? event.target.checked : log.includes(each))).join("") })} /> logarithmic ${axis} axis</label>`;
  const rows = () => shown.flatMap(([each, study]) => study.curves.flatMap((curves) => curves.series.flatMap((line) => line.points.map(([x, y, low, high]) => (
    { study: each.folder, curve: line.name, [curves.x]: curves.x_names.length ? curves.x_names[x - 1] : x, [curves.y]: y, low, high })))));
  return html`<h1>Studies</h1><${StudyForm} add=${(chosen) => change({ series: [...series, chosen].map((each) => JSON.stringify(each)) })} />
    ${series.length ? html`<div class="chips" role="group" aria-label="drawn studies">${series.map((each, at) => html`<button type="button" class="chip" aria-label=${`remove ${studyName(each)}`} onClick=${() => change({ series: series.filter((_, number) => number !== at).map((one) => JSON.stringify(one)) })}>${studyName(each)} ×</button>`)}</div>` : null}
    <${Wrong} error=${error} />${shown.map(([each, study]) => html`<p class="quiet">${study.title || each.folder}: ${written(study.done, 0)} of ${counted(study.tasks, "task")} done${study.failed ? `, ${written(study.failed, 0)} failed` : ""}</p>`)}
    <div ref=${box}><${Made} element=${shown.length ? drawn : null} /></div>
    ${shown.length ? html`<div class="tools">${decades("x")}${decades("y")}</div><${SaveCurves} box=${box} name="curves" rows=${rows} /><${Commands} jobs=${shown.map(([, study]) => study)} />` : null}`;
}

/** The choice of a study in the served folders, and of its axes and measures. */
function StudyForm({ add }) {
  const [folders, setFolders] = useState(null), [chosen, setChosen] = useState({ folder: "" }), [study, setStudy] = useState(null), [error, setError] = useState(null);
  useEffect(() => {
    api("/api/folders").then((all) => {
      const names = all.filter(({ kind }) => kind === "study").map(({ address }) => address);
      setFolders(names);
      if (names.length) setChosen({ folder: names[0] });
    }, setError);
  }, []);
  useEffect(() => {
    if (!chosen.folder) return undefined;
    let current = true;
    setStudy(null);
    askStudy({ folder: chosen.folder }).then((answer) => current && setStudy(answer), (problem) => current && setError(problem));
    return () => { current = false; };
  }, [chosen.folder]);
  if (folders && !folders.length) return html`<p>The served folders contain no study. <code>topoloom study run</code> makes one; curves of a network's load are on <a href=${href("/folders")}>its own page</a>.</p>`;
  const set = (key) => (value) => setChosen((earlier) => ({ ...earlier, [key]: value }));
  const pick = (label, key, names) => html`<${Field} label=${label}><${Choice} label=${label} options=${[["", "automatic"], ...names.map((name) => [name, name.replaceAll("_", " ")])]} value=${chosen[key] || ""} changed=${set(key)} /><//>`;
  return html`<${Wrong} error=${error} />${folders ? html`<form class="form" id="study-form" onSubmit=${(event) => { event.preventDefault(); add(Object.fromEntries(Object.entries(chosen).filter(([, value]) => value))); }}>
    <${Field} label="study"><${Choice} label="study" options=${folders.map((name) => [name, name])} value=${chosen.folder} changed=${(folder) => setChosen({ folder })} /><//>
    ${study ? html`${pick("x axis", "x", [...study.axes, ...study.measures])}${pick("y axis", "y", study.measures)}${pick("one curve per", "by", study.axes)}
      <${Field} label="only rows with"><input value=${chosen.where || ""} spellcheck="false" onInput=${(event) => set("where")(event.target.value.trim())} /><//>` : null}
    <div><button type="submit" class="primary" id="add">Draw</button></div></form>` : null}`;
}
