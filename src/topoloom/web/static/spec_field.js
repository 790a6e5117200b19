// The spec of a new network: a field with completion of the catalogue's names, and a control for each parameter of its family.

const splitSpec = (spec) => { const at = spec.indexOf(":"); return at < 0 ? [spec, ""] : [spec.slice(0, at), spec.slice(at + 1)]; };

function exampleOf(family) {
  const parts = Object.entries(family.parameters).filter(([, one]) => one.required).map(([name, one]) => `${name}=${(/\d+/.exec(one.range) || [""])[0]}`);
  return parts.length ? `${family.name}:${parts.join(",")}` : family.name;
}

/** The range of a slider: { least, most, whole } of a number in a spec; null where a slider does not fit. */
function sliderOf(parameter, value) {
  const whole = parameter.type !== "real";
  if (!["integer", "seed", "real"].includes(parameter.type) || !(whole ? /^\d+$/ : /^[\d.]+$/).test(value)) return null;
  const range = /^(-?[\d.]+) to ([\d.]+)/.exec(parameter.range) || [];
  return { least: Number(range[1] ?? 1), most: Math.min(Number(range[2] ?? 1e9), Math.max(whole ? 16 : 1, 4 * Number(value))), whole };
}

/** `changed` receives the spec at each change. */
function SpecField({ value, changed, catalogue }) {
  const families = catalogue.families.filter((one) => one.kind === "family"), [name, text] = splitSpec(value);
  const family = families.find((one) => one.name === name), values = new Map(text.split(",").filter(Boolean).map((part) => part.split("=")));
  const set = (key, chosen) => changed(`${name}:${[...values.set(key, chosen)].map((pair) => pair.join("=")).join(",")}`);
  const control = ([key, parameter]) => {
    const own = values.get(key) ?? parameter.default ?? "", choices = parameter.type === "choice" ? parameter.range.split(" or ") : [];
    if (choices.includes(own)) return html`<label class="knob"><output>${key}</output><${Choice} label=${key} options=${choices.map((one) => [one, one])} value=${own} changed=${(chosen) => set(key, chosen)} /></label>`;
    const slider = sliderOf(parameter, own);
    return slider && html`<label class="knob"><output>${key} = ${own}</output><input type="range" min=${slider.least} max=${slider.most} step=${slider.whole ? 1 : 0.01} value=${own} aria-label=${key} title=${parameter.description} onInput=${(event) => set(key, event.target.value)} /></label>`;
  };
  return html`<input class="spec" id="spec" list="families" aria-label="topology" value=${value} spellcheck="false" autocomplete="off" onInput=${(event) => changed(event.target.value.trim())} />
    <datalist id="families">${families.map((one) => html`<option value=${exampleOf(one)}>${one.description}</option>`)}</datalist>
    ${family ? html`<div class="form">${Object.entries(family.parameters).map(control)}</div>` : null}`;
}

/** The page of a network without a source: any spec, with its size and its drawing. */
function NewNetwork({ query, go, catalogue }) {
  const [spec, setSpec] = useState(query.get("spec") || "slimfly:q=5,hosts=4"), settled = useSettled(spec, 400);
  const drawn = useTask("draw", settled ? { topology: settled } : null);
  useEffect(() => { if (settled !== query.get("spec")) go("/network", { spec: settled }, { push: false }); }, [settled]);
  const viewer = useMemo(() => drawn.result && makeStructure(drawn.result), [drawn.result]);
  return html`<h1>A network</h1><p>Give the spec of a family, or the address of a file or folder; <a href=${href("/folders")}>served folders</a> have networks, too.</p>
    <${SpecField} value=${spec} changed=${setSpec} catalogue=${catalogue} />
    <${Wrong} error=${drawn.error} /><${Progress} job=${drawn.running} />
    ${drawn.result ? html`<p><a id="open" href=${href("/network", { source: settled, view: "structure" })}>Open its page</a>: structure, sizes, files and commands.</p>` : null}
    ${viewer && !drawn.error ? html`<${Made} element=${viewer.element} />` : null}
    <${Commands} jobs=${[drawn.job]} />`;
}
