// One network's own page: its views, each with an address that can be sent.

/** The views of a network by their names in the address; those with `site` are also in a static site. */
const VIEWS = {
  overview: { title: "Overview", view: OverviewView, site: true },
  files: { title: "Files", view: FilesView, site: true },
};

function NetworkPage({ query, go, catalogue }) {
  const source = query.get("source") || "", name = VIEWS[query.get("view")] ? query.get("view") : "overview", { view } = VIEWS[name];
  if (!source) return html`<h1>Network</h1><p>Open a network from <a href=${href("/folders")}>a folder</a>, or from the results of <a href=${href("/")}>a design</a>.</p>`;
  const shown = Object.entries(VIEWS).filter(([, one]) => !SITE || one.site);
  return html`<h1><${NetworkName} source=${source} /></h1>
    <nav class="views" aria-label="views of the network">${shown.map(([key, { title }]) => html`<a href=${href("/network", { source, view: key === "overview" ? "" : key })} aria-current=${key === name ? "page" : null}>${title}</a>`)}</nav>
    <${view} key=${`${name} ${source}`} source=${source} query=${query} go=${go} catalogue=${catalogue} />`;
}

/** The name of a network, as soon as it is known; its source before. */
function NetworkName({ source }) {
  const { result } = useTask("info", { topology: source });
  return html`${result ? result.name : source} <small class="mono">${source}</small>`;
}

function OverviewView({ source }) {
  return html`<section><h2>Size and distances</h2><${Task} operation="info" args=${{ topology: source }} show=${(info) => html`<${Facts} pairs=${factsOf(info)} />`} /></section>`;
}

const factsOf = (info) => [["switches", info.switches], ["hosts", info.hosts], ["links", info.links], ["degree", info.degree_min === info.degree_max ? info.degree_max : `${info.degree_min} to ${info.degree_max}`],
  ["ports of a switch", info.radix], ["diameter", info.diameter], ["mean hops", info.aspl], ["least possible mean hops", info.moore_aspl_bound], ["bisection", info.bisection === null ? null : `${written(info.bisection, 0)} links${info.bisection_exact ? "" : ", at most"}`],
  ["edge connectivity", info.edge_connectivity], ["connected", info.connected ? "yes" : "no"]];

function FilesView({ source }) {
  const [folders, setFolders] = useState([]), [error, setError] = useState(null);
  useEffect(() => { api("/api/folders").then(setFolders, setError); }, []);
  const inside = folders.filter(({ address }) => address === source || address.startsWith(`${source}/`));
  return html`<${Wrong} error=${error} />${inside.length ? inside.map(({ address, files }) => html`<h2>${address}</h2><ul class="files">${files.map((name) => html`<li><a href=${`/files/${`${address}/${name}`.split("/").map(encodeURIComponent).join("/")}`} download=${name}>${name}</a></li>`)}</ul>`)
    : html`<p>${source} is no served folder, so it has no files yet. Write them: <code>topoloom layout ${source} -o FOLDER</code></p>`}`;
}
