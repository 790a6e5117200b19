// The interactive floor plan: racks and bundles can be pointed at and pinned; their details are next to the plan.

const MOST_LISTED = 40;

/**
 * The floor as a figure. `whenPinned`: called with the rack or the bundle that is kept, or null; `aside`: an element for the details of
 * a kept rack, which then are brief next to the plan; `seen`: the part of the floor that is visible at first.
 * The figure has `room`, with which a page moves racks and points at them.
 */
function makeFloor(floor, { whenPinned = () => {}, aside = null, seen = null } = {}) {
  const canvas = draw("svg", { class: "floor", id: "floor-plan", tabindex: "0", role: "group", preserveAspectRatio: "xMidYMid meet" });
  canvas.setAttribute("aria-label", `floor plan, ${floor.racks.name.length} racks. Arrow keys go from rack to rack, Enter pins one, plus and minus zoom, 0 shows all, Shift with arrows moves.`);
  const scene = drawScene(floor);
  const { list, of } = bundlesOf(floor);
  const most = Math.max(1, ...list.map((one) => one.count));
  const strongest = strongestOf(floor, list);
  const widest = Math.max(1.5, Math.min(7, 26 / Math.sqrt(strongest.length || 1)));
  const all = drawBundles(floor, strongest, most, widest, false);
  all.firstChild.style.opacity = String(Math.max(0.35, Math.min(0.85, 9 / Math.sqrt(strongest.length || 1))));
  const own = draw("g"), kept = draw("g"), mark = draw("g", { class: "focus" });
  // Where bundles are dense, wide lines that catch the pointer would cover the racks below.
  const reach = strongest.length < 60 ? 7 : strongest.length < 200 ? 4 : 2;
  all.lastChild.style.strokeWidth = `${reach}px`;
  scene.trays.setAttribute("visibility", "hidden");
  canvas.append(scene.group, scene.trays, all, kept, own, scene.labels, mark);
  const facts = make("div", { class: "facts", id: "floor-facts" });
  let pinned = null, pointed = null, shown = null, shading = firstShade(floor);

  const camera = makeCamera(canvas, floor.box, () => nameScene(floor, scene, camera.scale()));

  const rackFacts = (at) => {
    const { name, leaving, inside, x, y } = floor.racks;
    const lines = [make("h3", {}, `rack ${name[at]}`)];
    const details = [holds(floor, at).replace(" sw", floor.racks.switches[at] === 1 ? " switch" : " switches")];
    if (floor.racks.power) details.push(floor.racks.power[at]);
    details.push(`${counted(leaving[at], "cable")} leave it`, `${counted(inside[at], "cable")} inside`, `at x ${written(x[at], 1)} m, y ${written(y[at], 1)} m`);
    lines.push(make("ul", {}, ...details.map((line) => make("li", {}, line))));
    const bundles = of[at].map((number) => list[number]).sort((a, b) => b.count - a.count);
    if (bundles.length && !aside) {
      const rows = bundles.slice(0, MOST_LISTED).map((one) => make("tr", {}, make("td", { class: "text" }, name[one.a === at ? one.b : one.a]), make("td", {}, written(one.count, 0)), make("td", {}, written(one.metres, 1)), make("td", { class: "text" }, one.product, one.host ? make("small", {}, " to hosts") : "")));
      lines.push(make("table", {}, make("thead", {}, make("tr", {}, make("th", { class: "text" }, "to"), make("th", {}, "cables"), make("th", {}, "m"), make("th", { class: "text" }, "product"))), make("tbody", {}, ...rows)));
      if (bundles.length > MOST_LISTED) lines.push(make("p", { class: "quiet" }, `and ${bundles.length - MOST_LISTED} more bundles`));
    }
    return lines;
  };

  const bundleFacts = (number) => {
    const one = list[number];
    const { name } = floor.racks;
    const ends = [];
    for (let at = 0; at + 3 < one.ports.length && ends.length < MOST_LISTED; at += 4) {
      const [a, portA, b, portB] = one.ports.slice(at, at + 4);
      ends.push(make("li", {}, `switch ${a} port ${portA} \u2013 ${one.host ? "host" : "switch"} ${b} port ${portB}`));
    }
    const left = one.count - ends.length;
    return [
      make("h3", {}, `${name[one.a]} \u2013 ${name[one.b]}`),
      make("ul", {}, make("li", {}, counted(one.count, one.host ? "host cable" : "cable")), make("li", {}, `${written(one.metres, 2)} m each`), make("li", {}, one.product)),
      make("ul", { class: "ports" }, ...ends),
      left > 0 && ends.length ? make("p", { class: "quiet" }, `and ${left} more: cables.csv has all`) : null,
    ].filter(Boolean);
  };

  /** Pins a rack, a bundle or nothing; the bundles of a pinned rack can be pointed at. */
  const pin = (target) => {
    pinned = target;
    const bundles = target && target.what === "rack" ? of[target.at].map((number) => list[number]) : [];
    kept.replaceChildren(...(bundles.length ? [drawBundles(floor, bundles, most, widest + 1, true)] : []));
    showFacts();
    whenPinned(target);
  };

  /** Shows the details of what is pointed at, or else of what is pinned. */
  const showFacts = () => {
    const now = pointed || pinned;
    const key = now ? `${now.what} ${now.at}` : "";
    if (key === shown) return;
    shown = key;
    own.replaceChildren();
    mark.replaceChildren();
    canvas.classList.toggle("some", Boolean(now));
    if (!now) {
      facts.replaceChildren(make("p", { class: "quiet" }, "Point at a rack or a bundle of cables, or use the arrow keys to go from rack to rack. Click, or press Enter, to keep its details here."));
      return;
    }
    const bundles = now.what === "rack" ? of[now.at].map((number) => list[number]) : [list[now.at]];
    own.append(drawBundles(floor, bundles, most, widest + 2, true));
    own.querySelector(".catch").remove();
    for (const at of now.what === "rack" ? [now.at] : [list[now.at].a, list[now.at].b]) {
      const edge = scene.boxes[at].cloneNode();
      edge.removeAttribute("data-rack");
      edge.setAttribute("fill", "none");
      mark.append(edge);
    }
    facts.replaceChildren(...(now.what === "rack" ? rackFacts(now.at) : bundleFacts(now.at)));
  };

  const trayUnder = (target) => target.getAttribute && target.getAttribute("data-tray");
  const under = (target) => {
    const rack = target.getAttribute && target.getAttribute("data-rack");
    const bundle = target.getAttribute && target.getAttribute("data-bundle");
    return rack !== null && rack !== undefined ? { what: "rack", at: Number(rack) } : bundle ? { what: "bundle", at: Number(bundle) } : null;
  };
  const hint = (target) => {
    if (target.what === "rack") {
      return [floor.racks.name[target.at], holds(floor, target.at), ...(floor.racks.power ? [floor.racks.power[target.at]] : [])];
    }
    const one = list[target.at];
    return [`${floor.racks.name[one.a]} \u2013 ${floor.racks.name[one.b]}`, counted(one.count, one.host ? "host cable" : "cable"), `${written(one.metres, 1)} m, ${one.product}`];
  };
  canvas.addEventListener("pointermove", (event) => {
    pointed = under(event.target);
    showFacts();
    const tray = trayUnder(event.target);
    if (pointed) showTip(hint(pointed), event.clientX, event.clientY);
    else if (tray) showTip(trayWords(floor.trays[Number(tray)]), event.clientX, event.clientY);
    else hideTip();
  });
  canvas.addEventListener("pointerleave", () => { pointed = null; hideTip(); showFacts(); });
  canvas.addEventListener("click", (event) => {
    if (camera.moved) return;
    canvas.focus({ preventScroll: true });
    pin(under(event.target));
  });

  /** The nearest rack in a direction. */
  const nextRack = (right, up) => {
    const { x, y } = floor.racks;
    if (!pinned || pinned.what !== "rack") return 0;
    let best = pinned.at, least = Infinity;
    for (let at = 0; at < x.length; at++) {
      const along = (x[at] - x[pinned.at]) * right + (y[at] - y[pinned.at]) * up;
      const aside = Math.abs((x[at] - x[pinned.at]) * up) + Math.abs((y[at] - y[pinned.at]) * right);
      if (along > 1e-6 && along + 3 * aside < least) [best, least] = [at, along + 3 * aside];
    }
    return best;
  };
  canvas.addEventListener("keydown", (event) => {
    const way = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    if (way && event.shiftKey) camera.pan(way[0] * 0.15, -way[1] * 0.15);
    else if (way) {
      pointed = null;
      pin({ what: "rack", at: nextRack(...way) });
      camera.reach(floor.racks.x[pinned.at], -floor.racks.y[pinned.at]);
      announce(hint(pinned).join(", "));
    } else if (event.key === "+" || event.key === "=") camera.zoom(1.4);
    else if (event.key === "-") camera.zoom(1 / 1.4);
    else if (event.key === "0") camera.fit();
    else if (event.key === "Escape") pin(null);
    else return;
    event.preventDefault();
  });

  const scale = make("span", { class: "scale" });
  const reshade = (key) => {
    shading = key;
    const [least, top] = shadeScene(floor, scene, key);
    const { to, decimals, unit } = SHADES[key];
    if (least === top) scale.replaceChildren(`all ${written(top, decimals)} ${unit}`);
    else scale.replaceChildren("0 ", make("i", { style: { background: `linear-gradient(90deg, ${shade(0, to)}, ${shade(1, to)})` } }), ` ${written(top, decimals)} ${unit}`);
  };
  const shades = Object.entries(SHADES).filter(([key]) => key !== "watts" || floor.racks.watts).map(([key, { label }]) => [key, label]);
  const ofTrays = make("span", { class: "key trays", id: "tray-words", hidden: true }, make("i"), ` trays: ${traysWords(floor)}`);
  const button = (id, text, label, clicked) => make("button", { type: "button", id, "aria-label": label, onclick: clicked }, text);
  const some = strongest.length < list.length ? `the strongest ${written(strongest.length, 0)} of ${written(list.length + floor.missing, 0)} bundles` : counted(list.length, "bundle");
  const tools = make("div", { class: "tools" },
    button("zoom-in", "+", "zoom in", () => camera.zoom(1.4)), button("zoom-out", "\u2212", "zoom out", () => camera.zoom(1 / 1.4)), button("zoom-fit", "all", "all: show the whole floor", () => camera.fit()),
    make("span", {}, "colour: ", makeSelect("colour of racks", shades, shading, reshade), " ", scale),
    makeTick(some, true, (ticked) => all.setAttribute("visibility", ticked ? "visible" : "hidden")),
    makeTick(floor.assumed ? "trays (assumed)" : "trays", false, (ticked) => { scene.trays.setAttribute("visibility", ticked ? "visible" : "hidden"); ofTrays.hidden = !ticked; }));
  const legend = make("div", { class: "legend" }, ofTrays, ...floor.kinds.map(([name, colour], at) => make("span", { class: "key" }, make("i", { class: at === floor.kinds.length - 1 && name === "host cable" ? "dashed" : null, style: { borderTopColor: colour } }), ` ${name}`)),
    make("span", { class: "quiet" }, `wider lines carry more cables (at most ${written(most, 0)}); x to the right, y upwards`));
  const stage = make("div", { class: "stage" }, canvas, make("div", { class: "side" }, facts, aside));
  reshade(shading);
  showFacts();
  whenResized(stage, (width) => {
    const wide = canvas.getBoundingClientRect().width || width;
    canvas.style.height = `${Math.round(Math.max(240, Math.min(camera.shape() < 0.8 ? 820 : 640, Math.max(360, innerHeight - 250), wide / camera.shape())))}px`;
    if (seen) camera.look(seen);
    else camera.fit();
    seen = null;
  });
  /** Draws racks, and all bundles of them, where they are now. */
  const redraw = (racks) => {
    for (const at of racks) {
      placeRack(floor, scene, at);
      for (const number of of[at]) for (const line of canvas.querySelectorAll(`[data-bundle="${number}"]`)) line.setAttribute("d", arcOf(floor, list[number]));
    }
    nameScene(floor, scene, camera.scale());
    shown = null;
    showFacts();
  };
  const figure = make("figure", { class: "panel", id: "floor-viewer" }, tools, legend, stage);
  figure.room = { canvas, camera, scene, list, of, pin, redraw, pinned: () => pinned };
  return figure;
}
