// Pens for a drawing, on a canvas and as SVG, and what they draw: frames, bundles, blocks, switches, ports, paths, marks.

const STRUCTURE_ROLES = { leaf: "#0072B2", switch: "#0072B2", node: "#B5548D", spine: "#C25100", core: "#00795A" };
const OTHER_ROLE = "#9a6b00", MOST_DRAWN_BUNDLES = 5000, MOST_COUNTED = 60, PANEL_PX = 130;
/** Widths of bundles as in the pictures of `topoloom draw`: by the logarithm of their links, thinner where there are many. */
const bundleWidth = (links, most, lines) => 0.8 + 6 * (Math.log2(links) / Math.max(8, Math.log2(Math.max(most, 2)))) * Math.min(1, Math.max(0.1, (40 / Math.max(lines, 1)) ** 0.6));
/** Yellow to red, the greatest load with the most contrast on the page. */
function loadColour(share) {
  const part = Math.min(1, share), light = matchMedia("(prefers-color-scheme: dark)").matches ? 40 + 25 * part : 58 - 26 * part;
  return `hsl(${Math.round(48 - 48 * part)} 85% ${Math.round(light)}%)`;
}

function makeCanvasPen(context) {
  return {
    rect(x, y, w, h, { fill, stroke, width = 1, dash }) {
      if (fill) { context.fillStyle = fill; context.fillRect(x, y, w, h); }
      if (stroke) { context.strokeStyle = stroke; context.lineWidth = width; context.setLineDash(dash || []); context.strokeRect(x, y, w, h); }
    },
    curve([x0, y0, x1, y1, x2, y2], { stroke, width = 1, alpha = 1, dash }) {
      context.globalAlpha = alpha;
      context.strokeStyle = stroke;
      context.lineWidth = width;
      context.setLineDash(dash || []);
      context.beginPath();
      context.moveTo(x0, y0);
      if (x1 === null) context.lineTo(x2, y2);
      else context.quadraticCurveTo(x1, y1, x2, y2);
      context.stroke();
      context.globalAlpha = 1;
    },
    text(text, x, y, { size = 11, fill, anchor = "middle", halo, upright = false }) {
      if (upright) {
        context.save();
        context.translate(x, y);
        context.rotate(-Math.PI / 2);
        this.text(text, 0, 0, { size, fill, anchor, halo });
        context.restore();
        return;
      }
      context.font = `${size}px system-ui, sans-serif`;
      context.textAlign = { middle: "center", start: "left" }[anchor];
      context.textBaseline = "middle";
      if (halo) { context.setLineDash([]); context.lineWidth = 3; context.strokeStyle = halo; context.strokeText(text, x, y); }
      context.fillStyle = fill;
      context.fillText(text, x, y);
    },
  };
}

/** The same as elements of an SVG. */
function makeSvgPen(root) {
  const add = (tag, attributes, ...children) => root.append(draw(tag, attributes, ...children));
  const px = (value) => Math.round(10 * value) / 10;
  return {
    rect: (x, y, w, h, { fill, stroke, width = 1, dash }) => add("rect", { x: px(x), y: px(y), width: px(w), height: px(h), fill: fill || "none", stroke, "stroke-width": stroke ? width : null, "stroke-dasharray": dash ? dash.join(" ") : null }),
    curve: ([x0, y0, x1, y1, x2, y2], { stroke, width = 1, alpha = 1, dash }) => add("path", { d: x1 === null ? `M${px(x0)} ${px(y0)}L${px(x2)} ${px(y2)}` : `M${px(x0)} ${px(y0)}Q${px(x1)} ${px(y1)} ${px(x2)} ${px(y2)}`, fill: "none", stroke, "stroke-width": px(width), "stroke-opacity": alpha, "stroke-dasharray": dash ? dash.join(" ") : null }),
    text: (text, x, y, { size = 11, fill, anchor = "middle", halo, upright = false }) => add("text", { x: px(x), y: px(y), transform: upright ? `rotate(-90 ${px(x)} ${px(y)})` : null, "font-size": size, fill, "text-anchor": anchor, "dominant-baseline": "central", "font-family": "sans-serif", ...(halo ? { stroke: halo, "stroke-width": 3, "paint-order": "stroke" } : {}) }, text),
  };
}

/** A text that fits into a width, shortened if most of it does; else nothing. */
function fitting(text, wide, size) {
  const letters = Math.floor(wide / (0.56 * size));
  if (text.length <= letters) return text;
  return letters > 6 ? `${text.slice(0, letters - 1)}\u2026` : "";
}

/** The numbers of a name, for narrow blocks: `0\u20136` of "group 0 to 6", `3` of "x0 = 3"; empty without numbers. */
const numbersOf = (name) => (name.match(/(?<![A-Za-z\d])\d+/g) || []).join(/ to /.test(name) ? "\u2013" : ",");

/** A text in lines of at most `letters` letters; null if a word is longer. */
function wrapped(text, letters) {
  const lines = [];
  for (const word of text.split(" ")) {
    const last = lines.length - 1;
    if (last >= 0 && lines[last].length + word.length < letters) lines[last] += ` ${word}`;
    else lines.push(word);
  }
  return lines.every((line) => line.length <= letters) ? lines : null;
}

/** The name of a block as lines that fit into a box: whole, in several lines, its numbers, or its numbers upwards. */
function nameLines(name, wide, high, size) {
  const letters = Math.floor(wide / (0.56 * size)), rows = Math.floor(high / (size + 3));
  const lines = wrapped(name, letters);
  if (lines && lines.length <= rows) return { lines, upright: false };
  const numbers = numbersOf(name);
  if (numbers && numbers.length <= letters && rows) return { lines: [numbers], upright: false };
  if (numbers && numbers.length * 0.56 * size <= high && wide >= size) return { lines: [numbers], upright: true };
  return { lines: letters > 6 && rows ? [`${name.slice(0, letters - 1)}\u2026`] : [], upright: false };
}

/** The name of an open block as far as it fits; empty in a low one. */
const frameName = (model, b, wide, high) => (high > 40 ? fitting(model.nameOf(b), wide, 12) : "");

/** Curves of bundles in units of the drawing: [x0, y0, x1, y1, x2, y2], x1 null for a straight one; bent where another node is between. */
function curvesOf(model, bundles, drawn) {
  const middles = new Map(bundles.nodes.map((node) => { const [x, y, w, h] = model.boxOf(node); return [node, [x + w / 2, y + h / 2, Math.max(w, h)]]; }));
  const lines = [new Map(), new Map()];
  for (const [x, y] of middles.values()) for (const [across, along, map] of [[y, x, lines[0]], [x, y, lines[1]]]) {
    const key = Math.round(4 * across);
    if (!map.has(key)) map.set(key, []);
    map.get(key).push(along);
  }
  for (const map of lines) for (const list of map.values()) list.sort((a, b) => a - b);
  const between = (list, low, high) => {
    let [from, to] = [0, list.length];
    while (from < to) { const half = (from + to) >> 1; if (list[half] < low) from = half + 1; else to = half; }
    return from < list.length && list[from] < high;
  };
  return drawn.map((i) => {
    const [x0, y0, size] = middles.get(bundles.first[i]), [x2, y2] = middles.get(bundles.second[i]);
    for (const [axis, a0, a2, c0, c2] of [[0, x0, x2, y0, y2], [1, y0, y2, x0, x2]]) {
      const key = Math.round(4 * c0);
      if (key !== Math.round(4 * c2) || !between(lines[axis].get(key), Math.min(a0, a2) + 0.5, Math.max(a0, a2) - 0.5)) continue;
      const length = Math.abs(a2 - a0), bend = 2 * Math.min(0.14 * length, 0.8 * size + 0.02 * length), along = (a0 + a2) / 2;
      return axis ? [x0, y0, c0 - bend, along, x2, y2] : [x0, y0, along, c0 - bend, x2, y2];
    }
    return [x0, y0, null, null, x2, y2];
  });
}

/** The cells of a switch's ports within a box: [port, x, y, w, h]. */
function panelOf(ports, [x, y, w, h]) {
  const head = 0.13 * h, columns = Math.max(1, Math.ceil(Math.sqrt(ports.length * 1.5))), rows = Math.max(1, Math.ceil(ports.length / columns));
  const [cw, ch] = [(0.94 * w) / columns, (0.82 * h) / rows];
  return ports.map((port, i) => [port, x + 0.03 * w + (i % columns) * cw + 0.06 * cw, y + head + Math.floor(i / columns) * ch + 0.08 * ch, 0.88 * cw, 0.84 * ch]);
}

/**
 * Draws what is visible. `scene`: { model, bundles, drawn, curves, frames, shown(box) -> box in pixels, k, state, loads }.
 * `colours`: { ink, quiet, line, accent, wash, page, bad, warn, closed, edge }.
 */
function paintStructure(pen, scene, colours, size) {
  const { model, bundles, drawn, curves, frames, toScreen, k, state } = scene;
  const inView = ([x, y, w, h]) => x + w > 0 && y + h > 0 && x < size.width && y < size.height;
  const box = (node) => { const [x, y, w, h] = model.boxOf(node), [sx, sy] = toScreen(x, y); return [sx, sy, w * k, h * k]; };
  const lit = state.lit, dimmed = (node) => lit && !lit.has(node);
  for (const b of frames) {
    const at = box(b);
    if (!inView(at)) continue;
    pen.rect(...at, { fill: colours.wash, stroke: state.failedNodes.has(b) ? colours.bad : state.chosenNodes.has(b) ? colours.accent : colours.edge, width: state.chosenNodes.has(b) ? 3 : state.failedNodes.has(b) ? 2 : 0.8, dash: state.failedNodes.has(b) ? [5, 4] : null });
    const words = frameName(model, b, at[2], at[3]);
    if (words) pen.text(words, Math.max(at[0], 0) + 5, Math.max(at[1], 0) + 9, { size: 12, fill: colours.quiet, anchor: "start" });
  }
  const most = drawn.length ? bundles.sizes[drawn[drawn.length - 1]] : 1, alpha = Math.max(0.3, Math.min(0.85, 14 / Math.sqrt(drawn.length)));
  const placed = curves.map(([x0, y0, x1, y1, x2, y2]) => [...toScreen(x0, y0), ...(x1 === null ? [null, null] : toScreen(x1, y1)), ...toScreen(x2, y2)]);
  if (scene.grown) paintGrown(pen, scene, colours, size, placed);
  else drawn.forEach((i, at) => {
    const [x0, y0, , , x2, y2] = placed[at];
    if (Math.max(x0, x2) < 0 || Math.max(y0, y2) < 0 || Math.min(x0, x2) > size.width || Math.min(y0, y2) > size.height) return;
    const [a, b] = [bundles.first[i], bundles.second[i]], failed = scene.failed[i], off = lit && !(lit.has(a) && lit.has(b) && (a === state.pivot || b === state.pivot));
    const whole = failed === bundles.sizes[i] || state.failedNodes.has(a) || state.failedNodes.has(b);
    pen.curve(placed[at], { stroke: failed || whole ? colours.bad : scene.loads ? loadColour(scene.loads[i] / scene.mostLoad) : off || !lit ? colours.quiet : colours.accent, width: bundleWidth(bundles.sizes[i], most, drawn.length), alpha: off ? 0.08 : lit ? 0.9 : alpha, dash: whole ? [6, 4] : failed ? [12, 3] : null });
  });
  for (const node of bundles.nodes) {
    const at = box(node), [x, y, w, h] = at;
    if (!inView(at)) continue;
    const growing = scene.grownNodes ? scene.grownNodes(node) : null;
    if (growing && growing.absent) { pen.rect(x, y, w, h, { stroke: colours.edge, width: 0.8, dash: [2, 4] }); continue; }
    const failed = state.failedNodes.has(node), chosen = state.chosenNodes.has(node), faint = dimmed(node);
    const edge = failed ? colours.bad : chosen ? colours.accent : model.isBlock(node) ? colours.closedEdge : colours.page;
    if (model.isBlock(node)) {
      pen.rect(x, y, w, h, { fill: faint ? colours.wash : colours.closed, stroke: edge, width: chosen ? 3 : failed ? 2 : 0.8, dash: failed ? [5, 4] : null });
      const inside = bundles.inside[bundles.place[node]], size = w < 40 ? 9 : 11, name = nameLines(model.nameOf(node), w - 2, h, size), lines = [counted(model.inner[node], "switch", "switches"), model.hosts[node] ? counted(model.hosts[node], "host") : "", inside ? `${counted(inside, "link")} inside` : ""];
      if (growing && growing.sign) lines.unshift(`${growing.sign} ${growing.words}`);
      if (!failed && state.failedInside.has(node)) lines.unshift(`${written(state.failedInside.get(node), 0)} of ${written(model.inner[node], 0)} lost`);
      const texts = [...name.lines], rows = Math.floor(h / (size + 3)), letters = Math.floor((w - 4) / (0.56 * size));
      for (const line of name.upright ? [] : lines) { const more = line && wrapped(line, letters); if (more && texts.length + more.length <= rows) texts.push(...more); }
      texts.forEach((line, i) => pen.text(line, x + w / 2, y + h / 2 + (i - (texts.length - 1) / 2) * (size + 3), { size, fill: faint ? colours.quiet : colours.ink, upright: name.upright }));
    } else {
      const s = node - model.count, colour = STRUCTURE_ROLES[model.roles[model.role[s]]] || OTHER_ROLE;
      if (w >= PANEL_PX) paintPanel(pen, model, s, at, colour, colours, state);
      else {
        pen.rect(x, y, w, h, { fill: faint ? colours.closed : colour, stroke: edge, width: chosen ? 3 : failed ? 2 : 0.6 });
        const words = w > 15 ? fitting(model.drawing.switch.names ? model.switchName(s) : w > 62 ? model.switchName(s) : String(s), w - 2, w > 62 ? 12 : 10) : "";
        if (words) pen.text(words, x + w / 2, y + h / 2, { size: w > 62 ? 12 : 10, fill: faint ? colours.ink : "#ffffff" });
      }
    }
    if (growing && growing.sign) {
      pen.rect(x - 2, y - 2, w + 4, h + 4, { stroke: growing.gone ? colours.bad : colours.good, width: 2.5, dash: growing.gone ? [5, 3] : null });
      pen.text(growing.sign, x + w, y, { size: 15, fill: growing.gone ? colours.bad : colours.good, halo: colours.page });
    }
    if (failed) for (const line of [[x, y, null, null, x + w, y + h], [x, y + h, null, null, x + w, y]]) pen.curve(line, { stroke: colours.bad, width: 2 });
    if (node === state.now) pen.rect(x - 4, y - 4, w + 8, h + 8, { stroke: colours.accent, width: 2, dash: [4, 3] });
  }
  const taken = [];
  // Among many lines a number says nothing about one of them: the legend and the pointer do.
  if (!scene.grown && ((most > 1 && drawn.length <= MOST_COUNTED) || lit)) for (let at = drawn.length - 1; at >= 0 && taken.length < 40; at -= 1) {
    const i = drawn[at];
    if (lit && bundles.first[i] !== state.pivot && bundles.second[i] !== state.pivot) continue;
    const [x0, y0, x1, y1, x2, y2] = placed[at], [x, y] = x1 === null ? [(x0 + x2) / 2, (y0 + y2) / 2] : [(x0 + 2 * x1 + x2) / 4, (y0 + 2 * y1 + y2) / 4];
    if (x < 0 || y < 0 || x > size.width || y > size.height || taken.some(([l, t]) => Math.abs(l - x) < 30 && Math.abs(t - y) < 13)) continue;
    taken.push([x, y]);
    pen.text(written(bundles.sizes[i], 0), x, y, { size: 10, fill: colours.ink, halo: colours.page });
  }
  paintPaths(pen, scene, colours);
  paintMarks(pen, scene, colours, box);
}

/** What a step does to links: the sign and the words of each state of `states`; 0, absent, is not drawn. */
const GROWTH_STATES = [null, { sign: "", words: "stays" }, { sign: "+", words: "added" }, { sign: "\u2192", words: "moved here" }, { sign: "\u00d7", words: "unplugged" }, { sign: "\u21a4", words: "moved away" }];
const growthColour = (state, colours) => [null, colours.quiet, colours.good, colours.accent, colours.bad, colours.warn][state];

/** Bundles in a step of a growth: what stays thin and grey, next to it what is added, moved and unplugged, each with its sign and count. */
function paintGrown(pen, { bundles, drawn, grown }, colours, size, placed) {
  const labels = [], changed = drawn.reduce((sum, i) => sum + (grown.some((counts, state) => state > 1 && counts[i]) ? 1 : 0), 0);
  for (const first of [true, false]) drawn.forEach((i, at) => {
    const [x0, y0, x1, y1, x2, y2] = placed[at], length = Math.hypot(x2 - x0, y2 - y0) || 1, [nx, ny] = [-(y2 - y0) / length, (x2 - x0) / length];
    if (Math.max(x0, x2) < 0 || Math.max(y0, y2) < 0 || Math.min(x0, x2) > size.width || Math.min(y0, y2) > size.height) return;
    if (first) { if (grown[1][i]) pen.curve(placed[at], { stroke: colours.quiet, width: 0.8, alpha: changed ? 0.25 : 0.6 }); return; }
    const states = [2, 3, 4, 5].filter((state) => grown[state][i]);
    states.forEach((state, place) => {
      const shift = 5 * (place - (states.length - 1) / 2), [dx, dy] = [shift * nx, shift * ny];
      pen.curve([x0 + dx, y0 + dy, x1 === null ? null : x1 + dx, x1 === null ? null : y1 + dy, x2 + dx, y2 + dy], { stroke: growthColour(state, colours), width: Math.min(5, 1.4 + Math.log2(grown[state][i])), alpha: 0.9, dash: state > 3 ? [7, 4] : null });
      const share = [0.5, 0.38, 0.62, 0.3][place], bow = x1 === null ? [0, 0] : [(x1 - (x0 + x2) / 2) / 2, (y1 - (y0 + y2) / 2) / 2];
      labels.push([x0 + share * (x2 - x0) + bow[0] + dx, y0 + share * (y2 - y0) + bow[1] + dy, `${GROWTH_STATES[state].sign}${written(grown[state][i], 0)}`, growthColour(state, colours)]);
    });
  });
  const taken = [];
  for (const [x, y, text, fill] of labels) {
    if (taken.length >= 2 * MOST_COUNTED || taken.some(([l, t]) => Math.abs(l - x) < 26 && Math.abs(t - y) < 13)) continue;
    taken.push([x, y]);
    pen.text(text, x, y, { size: 11, fill, halo: colours.page });
  }
}

/** The front panel of a switch: a cell per port. */
function paintPanel(pen, model, s, at, colour, colours, state) {
  const [x, y, w, h] = at;
  pen.rect(x, y, w, h, { fill: colours.page, stroke: colour, width: 2 });
  pen.text(fitting(`${model.switchName(s)}${model.rackOf(s) ? `, rack ${model.rackOf(s)}` : ""}`, w - 8, 12), x + 6, y + 0.07 * h, { size: 12, fill: colours.ink, anchor: "start" });
  for (const [port, px, py, pw, ph] of panelOf(model.portsOf(s), at)) {
    const failed = port.link !== undefined && state.failedLinks.has(port.link), chosen = state.chosenPorts.has(`${s}:${port.port}`);
    pen.rect(px, py, pw, ph, { fill: failed ? colours.page : port.link === undefined ? colours.wash : colours.closed, stroke: failed ? colours.bad : chosen ? colours.accent : colours.closedEdge, width: chosen ? 3 : 0.8, dash: failed ? [4, 3] : null });
    if (pw < 14 || ph < 10) continue;
    const peer = port.link === undefined ? model.hostName(port.host) : model.switchName(port.peer), peerText = ph > 24 ? fitting(peer, pw - 2, 9) : "";
    pen.text(fitting(port.name || String(port.port), pw - 2, 10) || String(port.port), px + pw / 2, py + ph / 2 - (peerText ? 6 : 0), { size: 10, fill: colours.ink });
    if (peerText) pen.text(peerText, px + pw / 2, py + ph / 2 + 7, { size: 9, fill: colours.quiet });
  }
}

/** The traced path, with the virtual channel of each hop as a number on it, and the path after a loss. */
function paintPaths(pen, { model, bundles, opened, toScreen, state, nodeOf }, colours) {
  const middle = (s) => { const [x, y, w, h] = model.boxOf(nodeOf(s)); return toScreen(x + w / 2, y + h / 2); };
  for (const [path, channels, colour, dash, shift] of [[state.path, state.channels, colours.accent, null, 0], [state.after, null, colours.warn, [8, 5], 4]]) {
    for (let i = 0; path && i + 1 < path.length; i += 1) {
      const [x0, y0] = middle(path[i]), [x2, y2] = middle(path[i + 1]);
      if (x0 === x2 && y0 === y2) continue;
      pen.curve([x0 + shift, y0 + shift, null, null, x2 + shift, y2 + shift], { stroke: colour, width: 4, dash });
      if (channels && channels[i] !== undefined && channels[i] !== null) pen.text(`VC ${channels[i]}`, (x0 + x2) / 2, (y0 + y2) / 2 - 8, { size: 11, fill: colours.ink, halo: colours.page });
    }
    for (const s of path || []) { const [x, y] = middle(s); pen.rect(x - 4 + shift, y - 4 + shift, 8, 8, { fill: colour, stroke: colours.page }); }
  }
}

/** Marks on links and switches: a triangle-like sign in the colour of their severity. */
function paintMarks(pen, { model, toScreen, state, nodeOf }, colours, box) {
  for (const mark of (state.marks || []).slice(0, 2000)) {
    const ends = mark.link !== undefined ? [model.lower[mark.link], model.higher[mark.link]] : [mark.switch];
    const spots = ends.map((s) => { const [x, y, w, h] = box(nodeOf(s)); return mark.link !== undefined ? [x + w / 2, y + h / 2] : [x + w, y]; });
    const x = spots.reduce((sum, [at]) => sum + at, 0) / spots.length, y = spots.reduce((sum, [, at]) => sum + at, 0) / spots.length;
    pen.rect(x - 6, y - 6, 12, 12, { fill: mark.severity === "warning" ? colours.warn : colours.bad, stroke: colours.page });
    pen.text("!", x, y, { size: 10, fill: colours.page });
  }
}
