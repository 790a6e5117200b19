// The pages, the choice of one by the address, and the bar above it.

/** Pages by their path; those with a title in the bar are in it, in this order. */
const PAGES = [
  SITE ? { path: "/", title: "Networks", page: SitePage, site: true } : { path: "/", title: "Design", page: DesignPage },
  { path: "/compare", title: "Compare", page: ComparePage },
  { path: "/network", title: "Network", page: NetworkPage },
  { path: "/cabling", title: "Cabling", page: CablingPage },
  { path: "/studies", title: "Studies", page: StudiesPage },
  { path: "/folders", title: "Folders", page: FoldersPage },
  { path: "/tasks", title: "Tasks", page: TasksPage },
];

/** The address of a page with its settings; empty settings are omitted. */
function href(path, settings = {}) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(settings))
    for (const each of Array.isArray(value) ? value : [value]) if (each !== "" && each !== null && each !== undefined && each !== false) query.append(name, each);
  return `${SITE ? "#" : ""}${path}${query.size ? `?${query}` : ""}`;
}

/** The path and the settings of the present address. */
function here() {
  const text = SITE ? location.hash.slice(1) || "/" : location.pathname + location.search;
  const [path, search = ""] = text.split(/\?(.*)/s);
  return { path, query: new URLSearchParams(search), text };
}

const MOVED = new Set();
const moved = () => { for (const listener of MOVED) listener(); };

/** Goes to a page. `push`: as a new entry of the history, else in place of the present one. */
function go(path, settings = {}, { push = true } = {}) {
  const to = href(path, settings);
  if (to !== `${SITE ? "#" : ""}${here().text}`) history[push ? "pushState" : "replaceState"](null, "", to);
  moved();
}

function App() {
  const [place, setPlace] = useState(here()), [catalogue, setCatalogue] = useState(null), [error, setError] = useState(null);
  useEffect(() => {
    const listener = () => { hideTip(); setPlace(here()); };
    MOVED.add(listener);
    api("/api/catalogue").then(setCatalogue, setError);
    return () => MOVED.delete(listener);
  }, []);
  const chosen = PAGES.find(({ path }) => path === place.path) || PAGES[0];
  useEffect(() => { document.title = `${SITE ? SITE.title : chosen.title} \u2013 topoloom`; }, [chosen]);
  const shown = PAGES.filter(({ site }) => !SITE || site);
  return html`<a class="skip" href="#main" onClick=${(event) => { event.preventDefault(); document.getElementById("main").focus(); }}>Skip to the content</a>
    <header class="topbar"><a class="brand" href=${href("/")}>topoloom</a>
      <nav id="pages" aria-label="pages">${shown.map(({ path, title }) => html`<a href=${href(path)} aria-current=${path === chosen.path ? "page" : null}>${title}</a>`)}</nav><${Queue} /></header>
    <main id="main" tabindex="-1"><${Wrong} error=${error} />${catalogue ? html`<${chosen.page} key=${chosen.path} query=${place.query} go=${go} catalogue=${catalogue} />` : null}</main>`;
}

/** How many tasks wait or run. */
function Queue() {
  const [busy, setBusy] = useState(new Map());
  useEffect(() => {
    const listener = (job) => setBusy((earlier) => {
      const now = new Map(earlier);
      if (over(job)) now.delete(job.digest);
      else now.set(job.digest, job);
      return now;
    });
    ANYONE.add(listener);
    return () => ANYONE.delete(listener);
  }, []);
  return html`<span id="queue" role="status">${busy.size ? `${counted(busy.size, "task")} running or waiting` : ""}</span>`;
}

document.addEventListener("click", (event) => {
  const link = event.target.closest && event.target.closest(SITE ? "a[href^='#/']" : "a[href^='/']:not([download])");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  history.pushState(null, "", link.getAttribute("href"));
  moved();
  scrollTo(0, 0);
});
window.addEventListener("popstate", moved);
listen();
render(html`<${App} />`, document.getElementById("app"));
