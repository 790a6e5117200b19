// The served folders: networks, machines, designs and studies, with their pages and files.

/** Most networks that are compared. */
const MOST_COMPARED = 4;
const MOST_FOLDERS = 200;

function FoldersPage({ query, go, catalogue }) {
  const [folders, setFolders] = useState(null), [error, setError] = useState(null), chosen = query.getAll("network"), find = query.get("find") || "", file = query.get("file") || "";
  useEffect(() => { api("/api/folders").then(setFolders, setError); }, []);
  const change = (settings) => go("/folders", { network: chosen, find, file, ...settings }, { push: false });
  const choose = (address, on) => change({ network: on ? [...chosen, address] : chosen.filter((each) => each !== address) });
  const matching = (folders || []).filter(({ address, kind }) => `${address} ${kind}`.toLowerCase().includes(find.toLowerCase()));
  return html`<h1>Folders</h1><${Wrong} error=${error} />
    ${folders && !folders.length ? html`<p>No folder is served. Name folders on the command line: <code>topoloom serve demo studies</code></p>` : null}
    ${folders && folders.length ? html`<div class="tools"><label class="pick"><b>find</b><input type="search" value=${find} onInput=${(event) => change({ find: event.target.value })} /></label>
      ${chosen.length > 1 ? html`<a class="button" href=${href("/compare", { network: chosen })}>Compare ${chosen.length} networks</a>` : html`<span class="quiet">Choose two to ${MOST_COMPARED} networks to compare them.</span>`}</div>` : null}
    <ul class="networks">${matching.slice(0, MOST_FOLDERS).map((folder) => html`<${FolderItem} key=${folder.address} folder=${folder} chosen=${chosen} choose=${choose} open=${(path) => change({ file: path })} read_only=${catalogue.read_only} />`)}</ul>
    ${matching.length > MOST_FOLDERS ? html`<p class="quiet">The first ${MOST_FOLDERS} of ${written(matching.length, 0)} folders; type a part of a name above.</p>` : null}
    ${file ? html`<section><h2>${file}</h2><iframe src=${fileAddress(file)} sandbox="allow-scripts" title=${file}></iframe></section>` : null}`;
}

/** A folder: its kind, the page of its network, its files. */
function FolderItem({ folder, chosen, choose, open }) {
  const { address, kind, files } = folder, network = ["network", "design"].includes(kind), on = chosen.includes(address);
  return html`<li class="network folder"><h2>${network || kind === "machine" ? html`<a href=${href("/network", { source: address })}>${address}</a>` : kind === "study" ? html`<a href=${href("/studies", { folder: address })}>${address}</a>` : address} <small>${kind}</small></h2>
    ${network ? html`<label class="tick"><input type="checkbox" checked=${on} disabled=${!on && chosen.length >= MOST_COMPARED} onChange=${(event) => choose(address, event.target.checked)} /> compare</label>` : null}
    ${kind === "folder" && address !== "designs" ? html`<p><a href=${href("/cabling", { discoveries: address })}>Compare its discoveries with a plan</a></p>` : null}
    ${files.length ? html`<p class="chips">${files.map((name) => html`<button type="button" class="chip" onClick=${() => open(`${address}/${name}`)}>${name}</button> `)}</p>` : null}</li>`;
}
