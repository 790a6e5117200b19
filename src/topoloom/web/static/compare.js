// Two to four networks side by side: /compare?network=A&network=B. The best of each row is marked, differences are in per cent.

function ComparePage({ query, go }) {
  const networks = query.getAll("network"), [more, setMore] = useState(""), [served, setServed] = useState([]);
  useEffect(() => { api("/api/folders").then((folders) => setServed(folders.filter(({ kind }) => kind === "network").map(({ address }) => address)), () => {}); }, []);
  const add = (event) => { event.preventDefault(); if (more.trim()) { go("/compare", { network: [...networks, more.trim()].slice(-4) }); setMore(""); } };
  return html`<h1>Compare networks</h1><form class="row" onSubmit=${add}><${Field} label="Add a network" hint="a spec, or the address of a folder"><input type="text" class="mono" list="served-networks" value=${more} onInput=${(event) => setMore(event.target.value)} /><//><datalist id="served-networks">${served.map((address) => html`<option value=${address} />`)}</datalist><button type="submit" disabled=${networks.length > 3}>Add</button></form>
    <ul class="compared">${networks.map((one) => html`<li><a class="mono" href=${href("/network", { source: one })}>${one}</a> <button type="button" aria-label=${`remove ${one}`} onClick=${() => go("/compare", { network: networks.filter((each) => each !== one) })}>remove</button></li>`)}</ul>
    ${networks.length > 1 ? html`<${ComparedNetworks} key=${networks.join(" ")} networks=${networks} />` : html`<p class="quiet">Choose two to four networks: on the cards of a design, in <a href=${href("/folders")}>the folders</a>, or here.</p>`}`;
}

function ComparedNetworks({ networks }) {
  return html`<${Task} operation="compare" args=${{ networks }} show=${(result) => html`${new Set(result.networks.map(({ hosts }) => hosts)).size > 1 ? html`<p class="quiet">The networks have different numbers of hosts: compare the figures per host.</p>` : null}<${Made} element=${drawSideBySide(sideBySide(result.networks))} /><${Sentences} networks=${result.networks} />`} />`;
}

/** The figures of assessments as rows, group by group; a figure that only some have stays. */
function sideBySide(networks) {
  const keys = [...new Map(networks.flatMap(({ figures }) => figures.map((figure) => [figure.key, figure]))).values()], groups = [...new Set(keys.map(({ group }) => group))];
  const row = ({ key, label, unit, better }) => {
    const values = networks.map(({ figures }) => figures.find((figure) => figure.key === key) || null), numbers = values.map((one) => (one && typeof one.value === "number" ? one.value : null));
    return { label, unit, better: better === "less" ? "low" : better === "more" ? "high" : "", decimals: null, values: values.map((one, at) => (one && key === "deadlock_free" && numbers[at] !== null ? { value: numbers[at] ? "yes" : "no" } : one && numbers[at] !== null ? { value: numbers[at], low: one.low, high: one.high ?? undefined, how: one.how } : null)) };
  };
  return { columns: networks.map(({ name }) => name), specs: networks.map(({ spec, hosts }) => `${spec}, ${counted(hosts, "host")}`), groups: groups.map((title) => ({ title, rows: keys.filter(({ group }) => group === title).map(row) })) };
}

const Sentences = ({ networks }) => html`<ol class="sentences">${networks.filter(({ why }) => why).map(({ name, why }) => html`<li><b>${name}</b> \u2013 ${why}</li>`)}</ol>`;
