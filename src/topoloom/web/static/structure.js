// The viewer of a drawing: continuous zoom, blocks that open when they are large enough, names, ports, paths, by pointer and keyboard.

const FULL_REDRAW_MS = 14, REST_MS = 140, MOST_VIEW_PX = 2600;

/**
 * A drawing as an element: { element, set(state), go(node), redraw() }. Callbacks: `selected(items)` with
 * { block | switch | link | bundle | port, name }; `changed({ block })` when another block fills the view; `pointed(item)`; `removed(items)`.
 * `set` takes loads (per link), growth { links, switches } (their states in a step), failed { links, switches, blocks }, path, channels (per hop), after, marks [{ link | switch, severity, text }], chosen.
 */
function makeStructure(drawing, { selected = () => {}, changed = () => {}, pointed = () => {}, removed = null } = {}) {
  const model = makeStructureModel(drawing);
  const canvas = make("canvas", { tabindex: "0", role: "application", "aria-roledescription": "drawing of a network", "aria-label": `${drawing.provenance.name}: ${counted(model.n, "switch", "switches")}, ${counted(model.m, "link")}. Arrows go to the next node, Enter opens or selects, Escape leaves, plus and minus zoom, b selects the block around, x removes.` });
  const crumbs = make("nav", { class: "crumbs", "aria-label": "opened blocks" }), legend = make("div", { class: "structure-legend" }), hits = make("div", { class: "hits" });
  const table = make("div", { class: "structure-table", hidden: true });
  const find = make("input", { type: "search", placeholder: "name of a switch, host or block", "aria-label": "find by name", oninput: () => showHits(find.value), onkeydown: (event) => { if (event.key === "Enter") { event.preventDefault(); const [first] = model.search(find.value); if (first) fly(first); else announce("nothing has this name"); } } });
  const button = (text, label, act) => make("button", { type: "button", "aria-label": label, title: label, onclick: act }, text);
  const tableButton = make("button", { type: "button", "aria-pressed": "false", onclick: () => { table.hidden = !table.hidden; tableButton.setAttribute("aria-pressed", String(!table.hidden)); showTable(); } }, "as a table");
  const tools = make("div", { class: "structure-tools" }, find, button("+", "zoom in", () => zoom(1.5)), button("\u2212", "zoom out", () => zoom(1 / 1.5)), button("\u2302", "show all", () => go(0)), tableButton, make("button", { type: "button", onclick: saveSvg }, "save as SVG"));
  const sheet = make("div", { class: "structure-sheet" }, canvas), element = make("div", { class: "structure" }, tools, hits, crumbs, sheet, legend, table);
  const context = canvas.getContext("2d", { alpha: false }), cache = document.createElement("canvas"), cacheContext = cache.getContext("2d", { alpha: false });
  const state = { failedLinks: new Set(), failedSwitches: new Set(), failedBlocks: new Set(), growth: null, failedNodes: new Set(), failedInside: new Map(), chosen: [], chosenNodes: new Set(), chosenPorts: new Set(), path: null, channels: null, after: null, marks: [], loads: null, now: -1, lit: null, pivot: -1 };
  const size = { width: 800, height: 560 }, view = { x: 0, y: 0, k: 1 }, forced = new Set();
  let scene = null, opened = null, cached = null, lastDraw = 0, resting = null, waiting = false, inBlock = 0, heading = null, moving = false, ready = false, countMs = 0;
  const stats = { frames: 0, bundles: 0, nodes: 0, drawMs: 0 };

  const toScreen = (x, y) => [(x - view.x) * view.k + size.width / 2, (y - view.y) * view.k + size.height / 2];
  const toWorld = (px, py) => [(px - size.width / 2) / view.k + view.x, (py - size.height / 2) / view.k + view.y];
  const fitScale = ([, , w, h], share = 0.94) => Math.min((share * size.width) / w, (share * size.height) / h);
  const homeScale = () => fitScale([0, 0, drawing.width, drawing.height]);
  const smallest = model.side.reduce((least, value) => (value > 0 && value < least ? value : least), Infinity);
  const colours = () => {
    const [ink, quiet, line, accent, wash, page, bad, warn, good] = ["--ink", "--quiet", "--line", "--accent", "--wash", "--page", "--bad", "--warn", "--good"].map(colourOf);
    return { good: good || "#1f7a3f", ink, quiet, line, accent, wash, page, bad: bad || "#b3261e", warn: warn || "#a15c00", closed: colourOf("--block") || line, edge: line, closedEdge: quiet };
  };

  /** The open blocks: large enough, in the view, or opened by hand; as a list with 1 for each. */
  function openBlocks() {
    const list = new Uint8Array(model.count), margin = 0.15;
    list[0] = 1;
    for (let b = 1; b < model.count; b += 1) {
      if (!list[model.parent[b]]) continue;
      if (forced.has(b)) { list[b] = 1; continue; }
      if (view.k < model.opens[b]) continue;
      const [x, y, w, h] = model.boxOf(b), [px, py] = toScreen(x, y);
      if (px + w * view.k > -margin * size.width && py + h * view.k > -margin * size.height && px < (1 + margin) * size.width && py < (1 + margin) * size.height) list[b] = 1;
    }
    return list;
  }

  function layOut() {
    if (scene) scene.k = view.k;
    // Counting a million links takes longer than a frame: blocks open and close when the picture rests.
    if (opened && moving && countMs > 10) return;
    const list = openBlocks(), begun = performance.now();
    if (!opened || list.some((value, b) => value !== opened[b])) {
      opened = list;
      const bundles = model.bundled(opened), drawn = bundles.order.slice(-MOST_DRAWN_BUNDLES);
      const frames = [];
      for (let b = 1; b < model.count; b += 1) if (opened[b]) frames.push(b);
      scene = { model, bundles, drawn, curves: curvesOf(model, bundles, drawn), frames, opened, toScreen, state, nodeOf: (s) => bundles.shown[s], failed: [], loads: null };
      recount();
      showLegend();
      if (!table.hidden) showTable();
      countMs = performance.now() - begun;
    }
    scene.k = view.k;
  }

  /** What of each bundle is failed or loaded, and which visible nodes are failed or chosen. */
  function recount() {
    const { bundles } = scene, values = state.loads || model.load;
    scene.failed = new Uint32Array(bundles.sizes.length);
    for (const i of state.failedLinks) if (bundles.of[i] >= 0) scene.failed[bundles.of[i]] += 1;
    scene.loads = null;
    if (values) {
      scene.loads = new Float32Array(bundles.sizes.length);
      scene.mostLoad = 1e-9;
      for (let i = 0; i < model.m; i += 1) {
        if (values[i] > scene.mostLoad) scene.mostLoad = values[i];
        const at = bundles.of[i];
        if (at >= 0 && values[i] > scene.loads[at]) scene.loads[at] = values[i];
      }
    }
    scene.grown = null;
    scene.grownNodes = null;
    if (state.growth) {
      // Per state of links, how many of each bundle have it; per block, how many switches are there, new, and gone.
      scene.grown = GROWTH_STATES.map(() => new Uint32Array(bundles.sizes.length));
      state.growth.links.forEach((value, i) => { if (bundles.of[i] >= 0) scene.grown[value][bundles.of[i]] += 1; });
      const inside = GROWTH_STATES.map(() => new Uint32Array(model.count));
      state.growth.switches.forEach((value, s) => { for (const b of model.pathTo(model.block[s])) inside[value][b] += 1; });
      scene.grownNodes = (node) => {
        const [added, gone, absent] = [2, 4, 0].map((value) => (model.isBlock(node) ? inside[value][node] : state.growth.switches[node - model.count] === value ? 1 : 0)), all = model.isBlock(node) ? model.inner[node] : 1;
        return { absent: absent === all, gone: gone > 0, sign: gone ? "\u00d7" : added ? "+" : "", words: gone ? `${counted(gone, "switch", "switches")} removed` : `${written(added, 0)} new` };
      };
    }
    state.failedNodes = new Set([...[...state.failedSwitches].map((s) => model.count + s), ...state.failedBlocks]);
    state.failedInside = new Map();
    // A block fails with all its switches; of others the lost ones are counted.
    for (const s of state.failedSwitches) for (const b of model.pathTo(model.block[s])) state.failedInside.set(b, (state.failedInside.get(b) || 0) + 1);
    for (const [b, lost] of state.failedInside) if (lost === model.inner[b]) state.failedNodes.add(b);
    for (const node of bundles.nodes) if (model.pathTo(node).some((around) => state.failedBlocks.has(around))) state.failedNodes.add(node);
    state.chosenNodes = new Set(state.chosen.map((item) => (item.block !== undefined ? item.block : item.switch !== undefined && item.port === undefined ? model.count + item.switch : -1)));
    state.chosenPorts = new Set(state.chosen.filter((item) => item.port !== undefined).map((item) => `${item.switch}:${item.port}`));
  }

  function paint() {
    const ratio = window.devicePixelRatio || 1, begun = performance.now();
    for (const each of [canvas, cache]) if (each.width !== Math.round(size.width * ratio) || each.height !== Math.round(size.height * ratio)) { each.width = Math.round(size.width * ratio); each.height = Math.round(size.height * ratio); }
    const fast = moving && cached && lastDraw > FULL_REDRAW_MS;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = colourOf("--page") || "#ffffff";
    context.fillRect(0, 0, size.width, size.height);
    if (fast) {
      // A full picture takes too long for every frame: the last one is moved and scaled, and drawn again at rest.
      const factor = view.k / cached.k, [x, y] = [(cached.x - view.x) * view.k + size.width / 2 - (factor * size.width) / 2, (cached.y - view.y) * view.k + size.height / 2 - (factor * size.height) / 2];
      // Whole pixels and no smoothing: in software both cost more than the rest of the frame.
      context.imageSmoothingEnabled = false;
      context.drawImage(cache, Math.round(x), Math.round(y), size.width * factor, size.height * factor);
    } else {
      layOut();
      cacheContext.setTransform(ratio, 0, 0, ratio, 0, 0);
      cacheContext.fillStyle = colourOf("--page") || "#ffffff";
      cacheContext.fillRect(0, 0, size.width, size.height);
      paintStructure(makeCanvasPen(cacheContext), scene, colours(), size);
      context.drawImage(cache, 0, 0, size.width, size.height);
      cached = { ...view };
      lastDraw = performance.now() - begun;
      Object.assign(stats, { bundles: scene.drawn.length, nodes: scene.bundles.nodes.length, drawMs: lastDraw });
      showCrumbs();
    }
    stats.frames += 1;
    Object.assign(canvas.dataset, { frames: stats.frames, bundles: stats.bundles, nodes: stats.nodes, ms: stats.drawMs.toFixed(1) });
  }

  const redraw = () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; if (ready && canvas.isConnected) paint(); });
  };
  function moved() {
    moving = true;
    clearTimeout(resting);
    resting = setTimeout(() => { moving = false; redraw(); }, REST_MS);
    redraw();
  }

  function zoom(factor, px = size.width / 2, py = size.height / 2) {
    const [x, y] = toWorld(px, py), k = Math.max(0.6 * homeScale(), Math.min(0.9 * Math.min(size.width, size.height) / smallest, view.k * factor));
    view.x = x - (px - size.width / 2) / k;
    view.y = y - (py - size.height / 2) / k;
    view.k = k;
    if (k <= 1.05 * homeScale()) forced.clear();
    moved();
  }

  /** Moves the view to a node, opened if it is a block. */
  function go(node, { quietly = false } = {}) {
    const at = model.boxOf(node);
    Object.assign(view, { x: at[0] + at[2] / 2, y: at[1] + at[3] / 2, k: node === 0 ? homeScale() : fitScale(at, model.isBlock(node) ? 0.86 : 0.6) });
    forced.clear();
    for (const around of model.pathTo(node)) if (around && model.isBlock(around)) forced.add(around);
    state.lit = null;
    opened = null;
    heading = model.isBlock(node) ? node : model.block[node - model.count];
    redraw();
    if (!quietly) announce(`${model.nameOf(node)} fills the view`);
  }

  const fly = ({ node, name }) => {
    go(node, { quietly: true });
    hits.replaceChildren();
    choose(model.isBlock(node) ? { block: node } : { switch: node - model.count });
    announce(`${name} is shown`);
  };
  function showHits(text) {
    hits.replaceChildren(...model.search(text).map((hit) => make("button", { type: "button", onclick: () => fly(hit) }, hit.name, " ", make("small", {}, hit.what))));
  }

  /** The deepest open block that fills most of the view. */
  function filling() {
    const [cx, cy] = [view.x, view.y];
    let at = 0;
    for (;;) {
      const next = model.children[at].find((b) => { const [x, y, w, h] = model.boxOf(b); return opened[b] && cx >= x && cx <= x + w && cy >= y && cy <= y + h && (w * view.k > 0.5 * size.width || h * view.k > 0.5 * size.height); });
      if (next === undefined) return at;
      at = next;
    }
  }
  function showCrumbs() {
    const at = filling(), [item] = state.chosen, node = item && (item.block !== undefined ? item.block : item.switch !== undefined ? model.count + item.switch : -1);
    const path = model.pathTo(node > 0 && model.pathTo(node).includes(at) ? node : at);
    crumbs.replaceChildren(...path.flatMap((each, i) => [...(i ? [" \u203a "] : []), make("button", { type: "button", "aria-current": i === path.length - 1 ? "location" : null, onclick: () => go(each) }, i ? model.nameOf(each) : "network")]), ...(item && item.port !== undefined ? [" \u203a ", make("span", {}, `port ${item.portName || item.port}`)] : []));
    heading = null;
    if (at !== inBlock) { inBlock = at; changed({ block: at, name: at ? model.nameOf(at) : "" }); }
  }

  function showLegend() {
    const { bundles, drawn } = scene, hidden = bundles.sizes.length - drawn.length, most = drawn.length ? bundles.sizes[drawn[drawn.length - 1]] : 0;
    const samples = drawn.length ? [...new Set([bundles.sizes[drawn[0]], bundles.sizes[drawn[drawn.length >> 1]], most])] : [];
    const swatch = (links) => draw("svg", { width: 34, height: 12, "aria-hidden": "true" }, draw("line", { x1: 2, x2: 32, y1: 6, y2: 6, class: "bundle", "stroke-width": bundleWidth(links, most, drawn.length) }));
    const square = (role) => draw("svg", { width: 12, height: 12, "aria-hidden": "true" }, draw("rect", { width: 12, height: 12, fill: STRUCTURE_ROLES[role] || OTHER_ROLE }));
    legend.replaceChildren(make("span", {}, `${counted(bundles.sizes.length, "line")} between ${counted(bundles.nodes.length, "node")}${hidden ? `; the ${written(hidden, 0)} weakest are not drawn` : ""}`),
      ...closedKinds(bundles.nodes).map((words) => make("span", {}, draw("svg", { width: 12, height: 12, "aria-hidden": "true" }, draw("rect", { x: 0.5, y: 0.5, width: 11, height: 11, class: "closed" })), " ", words)),
      ...(bundles.nodes.some((node) => !model.isBlock(node)) ? model.roles : []).map((role) => make("span", {}, square(role), " ", role)), ...samples.map((links) => make("span", {}, swatch(links), " ", counted(links, "link"))),
      ...(scene.grown ? [1, 2, 3, 4, 5].filter((value) => state.growth.links.includes(value)).map((value) => make("span", {}, draw("svg", { width: 34, height: 12, "aria-hidden": "true" }, draw("line", { x1: 2, x2: 32, y1: 6, y2: 6, stroke: growthColour(value, colours()), "stroke-width": value > 1 ? 3 : 1, "stroke-dasharray": value > 3 ? "7 4" : null })), ` ${GROWTH_STATES[value].sign} ${counted(state.growth.links.reduce((sum, each) => sum + (each === value ? 1 : 0), 0), "link")} ${GROWTH_STATES[value].words}`)) : []),
      ...(scene.grown && state.growth.switches.includes(0) ? [make("span", {}, "dotted outline: comes later")] : []),
      ...(scene.grown ? [[2, "+", "new"], [4, "\u00d7", "removed"]].map(([value, sign, words]) => [state.growth.switches.reduce((sum, each) => sum + (each === value ? 1 : 0), 0), sign, words]).filter(([number]) => number).map(([number, sign, words]) => make("span", {}, `${sign} ${counted(number, "switch", "switches")} ${words}`)) : []),
      ...(scene.loads ? [make("span", {}, draw("svg", { width: 60, height: 12, "aria-hidden": "true" }, ...Array.from({ length: 10 }, (_, i) => draw("rect", { x: 6 * i, width: 6, height: 12, fill: loadColour(i / 9) }))), ` load, 0 to ${shortly(scene.mostLoad)}`)] : []));
  }

  /** The kinds of the closed blocks among nodes, counted: "8 planes", "21 blocks of groups". */
  function closedKinds(nodes) {
    const kinds = new Map();
    for (const node of nodes) if (model.isBlock(node)) kinds.set(model.kinds[node], (kinds.get(model.kinds[node]) || 0) + 1);
    return [...kinds].map(([kind, count]) => (kind.endsWith("s") ? counted(count, `block of ${kind}`, `blocks of ${kind}`) : counted(count, kind)));
  }

  function showTable() {
    if (table.hidden || !scene) return;
    const { bundles } = scene, most = 300, cells = (row, tag = "td") => make("tr", {}, ...row.map((value, i) => make(tag, { class: i < 2 ? "text" : null, scope: tag === "th" ? "col" : null }, typeof value === "number" ? written(value, 0) : value)));
    const listed = (caption, head, rows, total) => make("div", { class: "wide", tabindex: "0", role: "region", "aria-label": caption }, make("table", {}, make("caption", {}, total > rows.length ? `${caption}: the first ${rows.length} of ${written(total, 0)}` : caption), make("thead", {}, cells(head, "th")), make("tbody", {}, ...rows.map((row) => cells(row)))));
    const nodes = bundles.nodes.slice(0, most).map((node) => [make("button", { type: "button", onclick: () => fly({ node, name: model.nameOf(node) }) }, model.nameOf(node)), model.isBlock(node) ? model.kinds[node] : "switch", model.isBlock(node) ? model.inner[node] : 1, model.isBlock(node) ? model.hosts[node] : model.at[node - model.count], bundles.inside[bundles.place[node]]]);
    const lines = bundles.order.slice(-most).reverse().map((i) => [model.nameOf(bundles.first[i]), model.nameOf(bundles.second[i]), bundles.sizes[i], ...(scene.loads ? [shortly(scene.loads[i])] : [])]);
    table.replaceChildren(listed("visible blocks and switches", ["name", "kind", "switches", "hosts", "links inside"], nodes, bundles.nodes.length), listed("lines between them", ["from", "to", "links", ...(scene.loads ? ["greatest load"] : [])], lines, bundles.order.length));
  }

  /** The present view as an SVG. */
  function asSvg() {
    const root = draw("svg", { xmlns: SVG, viewBox: `0 0 ${size.width} ${size.height}`, width: size.width, height: size.height }), shades = colours();
    layOut();
    root.append(draw("title", {}, drawing.provenance.name), draw("rect", { width: size.width, height: size.height, fill: shades.page }));
    paintStructure(makeSvgPen(root), scene, shades, size);
    return root;
  }

  /** The whole network as an SVG of this size, for a viewer that is not shown. */
  function still(width, height) {
    Object.assign(size, { width, height });
    Object.assign(view, { x: drawing.width / 2, y: drawing.height / 2, k: homeScale() });
    return asSvg();
  }

  function saveSvg() {
    const root = asSvg();
    save(`${drawing.provenance.name.replace(/[^\w.-]+/g, "-").slice(0, 80)}.svg`, "image/svg+xml", new XMLSerializer().serializeToString(root));
  }

  /** The place of an open block's name, in units of the drawing; without width where it has none. */
  function nameBox(b) {
    const [x, y, w, h] = model.boxOf(b), [px, py] = toScreen(x, y), words = frameName(model, b, w * view.k, h * view.k), [left, top] = toWorld(Math.max(px, 0), Math.max(py, 0));
    return [left, top, words ? (7 * words.length + 10) / view.k : 0, 18 / view.k];
  }

  // What is at a point of the canvas, its description, and the selection.
  function itemAt(px, py) {
    const [x, y] = toWorld(px, py), { bundles, drawn, curves } = scene;
    for (const node of bundles.nodes) {
      const [left, top, w, h] = model.boxOf(node);
      if (x < left || y < top || x > left + w || y > top + h) continue;
      if (model.isBlock(node)) return { block: node };
      const s = node - model.count;
      if (w * view.k >= PANEL_PX) {
        const hit = panelOf(model.portsOf(s), [left, top, w, h]).find(([, cx, cy, cw, ch]) => x >= cx && y >= cy && x <= cx + cw && y <= cy + ch);
        if (hit) return { switch: s, port: hit[0].port, portName: hit[0].name, ...(hit[0].link !== undefined ? { link: hit[0].link } : { host: hit[0].host }) };
      }
      return { switch: s };
    }
    // An open block is pointed at by its name.
    for (const b of [...scene.frames].reverse()) { const [px, py, w, h] = nameBox(b); if (w && x >= px && y >= py && x <= px + w && y <= py + h) return { block: b }; }
    let nearest = null, least = 6 / view.k;
    drawn.forEach((i, at) => {
      const [x0, y0, x1, y1, x2, y2] = curves[at];
      const pieces = x1 === null ? 1 : 8;
      let [ax, ay] = [x0, y0];
      for (let step = 1; step <= pieces; step += 1) {
        const t = step / pieces, [bx, by] = x1 === null ? [x2, y2] : [(1 - t) ** 2 * x0 + 2 * t * (1 - t) * x1 + t * t * x2, (1 - t) ** 2 * y0 + 2 * t * (1 - t) * y1 + t * t * y2];
        const [dx, dy] = [bx - ax, by - ay], part = Math.max(0, Math.min(1, ((x - ax) * dx + (y - ay) * dy) / Math.max(1e-9, dx * dx + dy * dy)));
        const away = Math.hypot(x - ax - part * dx, y - ay - part * dy);
        if (away < least) { least = away; nearest = i; }
        [ax, ay] = [bx, by];
      }
    });
    if (nearest === null) return null;
    return bundles.sizes[nearest] === 1 ? { link: bundles.of.indexOf(nearest) } : { bundle: [bundles.first[nearest], bundles.second[nearest]], links: bundles.sizes[nearest], number: nearest };
  }
  const linksOf = (item) => { const links = []; if (item.number !== undefined) scene.bundles.of.forEach((value, i) => { if (value === item.number) links.push(i); }); return links; };
  function linesOf(item) {
    const notes = (state.marks || []).filter((mark) => (item.link !== undefined ? mark.link === item.link : item.switch !== undefined && mark.switch === item.switch)).map((mark) => mark.text);
    const grown = scene.grown ? [2, 3, 4, 5].filter((value) => (item.link !== undefined ? state.growth.links[item.link] === value : item.bundle && scene.grown[value][item.number])).map((value) => (item.link !== undefined ? GROWTH_STATES[value].words : `${written(scene.grown[value][item.number], 0)} ${GROWTH_STATES[value].words}`)) : [];
    if (grown.length && item.port === undefined) notes.push(...grown);
    if (item.port !== undefined) return [`${model.switchName(item.switch)} port ${item.portName || item.port}`, ...(item.link !== undefined ? model.linkLines(item.link) : [`host ${model.hostName(item.host)}`]), ...notes];
    if (item.link !== undefined) return [...model.linkLines(item.link), ...(state.loads ? [`load ${shortly(state.loads[item.link])}`] : []), ...notes];
    if (item.bundle) return [item.bundle.map(model.nameOf).join(" \u2013 "), counted(item.links, scene.grown ? "link of all steps" : "link", scene.grown ? "links of all steps" : "links"), ...notes, ...(scene.failed[item.number] ? [`${written(scene.failed[item.number], 0)} of them failed`] : []), ...(scene.loads ? [`greatest load ${shortly(scene.loads[item.number])}`] : [])];
    if (item.switch !== undefined) return [model.switchName(item.switch), counted(model.at[item.switch], "host port"), counted(model.linksAt(item.switch).length, "link"), ...(model.rackOf(item.switch) ? [`rack ${model.rackOf(item.switch)}`] : []), ...notes];
    const inside = scene.bundles.place[item.block] >= 0 ? scene.bundles.inside[scene.bundles.place[item.block]] : 0;
    return [model.nameOf(item.block), counted(model.inner[item.block], "switch", "switches"), ...(model.hosts[item.block] ? [counted(model.hosts[item.block], "host")] : []), ...(inside ? [`${counted(inside, "link")} inside`] : [])];
  }
  const keyOf = (item) => JSON.stringify([item.block, item.switch, item.port, item.link, item.bundle]);
  function choose(item, add = false) {
    const key = item && keyOf(item), had = state.chosen.some((one) => keyOf(one) === key);
    state.chosen = add ? (had ? state.chosen.filter((one) => keyOf(one) !== key) : [...state.chosen, ...(item ? [item] : [])]) : item ? [item] : [];
    if (scene) recount();
    if (item) announce(`${linesOf(item).join(", ")}${add && had ? ", no longer selected" : ", selected"}`);
    selected(state.chosen.map((one) => ({ ...one, ...(one.number !== undefined ? { all: linksOf(one) } : {}), name: linesOf(one)[0] })));
    redraw();
  }
  function light(node) {
    state.pivot = node;
    state.lit = node < 0 ? null : new Set([node]);
    if (node >= 0) scene.bundles.sizes.forEach((_, i) => { const [a, b] = [scene.bundles.first[i], scene.bundles.second[i]]; if (a === node) state.lit.add(b); if (b === node) state.lit.add(a); });
  }

  wireStructure(canvas, { view, size, state, model, zoom, moved, go, choose, light, itemAt, linesOf, redraw, pointed, toScreen, toWorld, sceneOf: () => scene, inBlock: () => heading ?? inBlock, removed: removed && (() => removed(state.chosen.map((one) => ({ ...one, ...(one.number !== undefined ? { all: linksOf(one) } : {}), name: linesOf(one)[0] })))) });
  new ResizeObserver(() => {
    const width = Math.round(sheet.clientWidth);
    if (!width) return;
    const first = !ready, height = Math.round(Math.max(320, Math.min(760, innerHeight * 0.72, (width * drawing.height) / drawing.width + 20)));
    const whole = first || Math.abs(view.k / homeScale() - 1) < 0.02;
    Object.assign(size, { width: Math.min(width, MOST_VIEW_PX), height });
    canvas.style.height = `${height}px`;
    if (whole) Object.assign(view, { x: drawing.width / 2, y: drawing.height / 2, k: homeScale() });
    opened = null;
    ready = true;
    redraw();
  }).observe(sheet);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);

  function set(change) {
    const { failed, growth, loads, path, channels, after, marks, chosen, open } = change;
    if (failed !== undefined) {
      state.failedLinks = new Set((failed && failed.links) || []);
      state.failedSwitches = new Set((failed && failed.switches) || []);
      state.failedBlocks = new Set((failed && failed.blocks) || []);
      // Links of a failed switch fail with it.
      for (const s of state.failedSwitches) for (const i of model.linksAt(s)) state.failedLinks.add(i);
    }
    for (const [name, value] of Object.entries({ growth, loads, path, channels, after, marks, chosen })) if (value !== undefined) state[name] = value || (name === "marks" || name === "chosen" ? [] : null);
    if (scene) { recount(); showLegend(); }
    if (open !== undefined && open !== inBlock) { inBlock = open; requestAnimationFrame(() => requestAnimationFrame(() => go(open, { quietly: true }))); }
    redraw();
  }
  return { element, set, go, redraw, still, model, losses: makeLossNames(model), stats, view, zoom, moved };
}
