// The floor itself: slots, racks with their names and colours, pillars, trays; x to the right, y upwards.

const SHADES = {
  watts: { label: "maximum power", unit: "kW", of: (racks, at) => (racks.watts ? racks.watts[at] / 1000 : null), decimals: 1, to: [230, 110, 20] },
  leaving: { label: "cables that leave", unit: "", of: (racks, at) => racks.leaving[at], decimals: 0, to: [125, 138, 155] },
  switches: { label: "switches", unit: "", of: (racks, at) => racks.switches[at], decimals: 0, to: [0, 114, 178] },
  hosts: { label: "hosts", unit: "", of: (racks, at) => racks.hosts[at], decimals: 0, to: [0, 158, 115] },
};

/** From the page's colour to one on which its text can still be read. */
function shade(share, to) {
  return `color-mix(in srgb, rgb(${to.join(" ")}) ${Math.round(100 * (0.04 + 0.46 * share))}%, var(--page))`;
}

/** The contents of a rack, in a few letters. */
function holds(floor, at) {
  const { switches, hosts, devices } = floor.racks;
  if (!floor.housed) return `${switches[at]} sw`;
  const words = [switches[at] ? `${switches[at]} sw` : "", hosts[at] ? counted(hosts[at], "host") : ""].filter(Boolean);
  return words.join(", ") || (devices && devices[at] ? counted(devices[at], "device") : "empty");
}

/** The first shading of a floor: power if it differs between racks, else cables that leave. */
function firstShade(floor) {
  const { watts } = floor.racks;
  return watts && Math.min(...watts) < Math.max(...watts) ? "watts" : "leaving";
}

/** The corner of the rectangle of a slot, in the picture's coordinates. */
function slotCorner(floor, x, y) {
  const [wide, deep] = floor.cell;
  return { x: x - wide / 2 + 0.03 * wide, y: -y - deep / 2 + 0.03 * deep };
}

/** Where the name of a rack is written: cables begin in the middle, so that in a deep rack it stands nearer to the front. */
function namePlace(floor, x, y) {
  const [wide, deep] = floor.cell;
  return { x, y: -y + (deep > 1.5 * wide ? 0.28 * deep : 0) };
}

/** Draws a rack, with its name, where it is now. */
function placeRack(floor, scene, at) {
  const { x, y } = floor.racks;
  for (const [name, value] of Object.entries(slotCorner(floor, x[at], y[at]))) scene.boxes[at].setAttribute(name, value);
  for (const [name, value] of Object.entries(namePlace(floor, x[at], y[at]))) scene.names[at].setAttribute(name, value);
}

const mostOnTrays = (floor) => Math.max(1, ...floor.trays.map((tray) => tray[4]));

/** A section of tray in words: its cables, and how full it is. */
function trayWords([x0, y0, x1, y1, count, capacity]) {
  const fill = capacity ? `${written((100 * count) / capacity, 0)} % of the ${written(capacity, 0)} that fit` : "how many fit is not known";
  return ["section of tray", counted(count, "cable"), fill, `${shortly(Math.round(1000 * Math.hypot(x1 - x0, y1 - y0)) / 1000)} m`];
}

/** What the trays carry, in a sentence. */
function traysWords(floor) {
  const known = floor.trays.filter((tray) => tray[5]), over = known.filter((tray) => tray[4] > tray[5]).length;
  const fill = !known.length ? "how many fit is not known" : `${over ? `${written(over, 0)} of ${written(known.length, 0)} sections are too full` : "no section is too full"}; the fullest: ${written(Math.max(...known.map((tray) => (100 * tray[4]) / tray[5])), 0)} %`;
  return `${floor.assumed ? "assumed along rows and columns; " : ""}at most ${counted(mostOnTrays(floor), "cable")} on a section; ${fill}`;
}

function drawScene(floor) {
  const [wide, deep] = floor.cell;
  const racks = floor.racks;
  const slot = (x, y, attributes) => draw("rect", { ...slotCorner(floor, x, y), width: 0.94 * wide, height: 0.94 * deep, ...attributes });
  const free = draw("g", { class: "free" }, ...floor.free.map(([x, y]) => slot(x, y, {})));
  const blocked = draw("g", { class: "blocked" }, ...floor.blocked.map(([name, x, y]) => draw("g", {}, slot(x, y, {}), draw("title", {}, name))));
  const pillars = draw("g", { class: "pillars" }, ...floor.pillars.map(([x, y, width, depth]) => draw("rect", { x: x - width / 2, y: -y - depth / 2, width, height: depth })));
  const boxes = racks.name.map((_, at) => slot(racks.x[at], racks.y[at], { "data-rack": at }));
  const most = mostOnTrays(floor);
  const trays = draw("g", { class: "trays" }, ...floor.trays.map(([x0, y0, x1, y1, count, capacity], at) => draw("line", { x1: x0, y1: -y0, x2: x1, y2: -y1, "stroke-width": count ? 2 + (7 * count) / most : 1.2,
    class: !count ? "idle" : capacity && count > capacity ? "over" : null, "data-count": count, "data-tray": at })));
  const names = racks.name.map((_, at) => draw("text", namePlace(floor, racks.x[at], racks.y[at])));
  return {
    boxes,
    group: draw("g", {}, free, blocked, pillars, draw("g", { class: "racks" }, ...boxes)),
    trays,
    labels: draw("g", { class: "labels" }, ...names),
    names,
  };
}

/** Shades every rack by one quantity; returns its least and its greatest value. */
function shadeScene(floor, scene, key) {
  const { of, to } = SHADES[key];
  const values = scene.boxes.map((_, at) => of(floor.racks, at));
  const least = Math.min(...values), most = Math.max(...values, 0);
  // Equal values get a pale shade, since a strong colour would only hide the cables.
  scene.boxes.forEach((box, at) => box.setAttribute("fill", shade(least === most ? 0.2 : values[at] / most, to)));
  return [least, most];
}

/** Writes into the racks what is readable at this scale: nothing, names, or names and contents. */
function nameScene(floor, scene, pixels) {
  const [wide, deep] = floor.cell;
  const upright = deep > 1.5 * wide;
  // Upright names have the part of the rack that is before its middle.
  const [along, across] = upright ? [0.44 * deep, wide] : [wide, deep];
  const longest = Math.max(...floor.racks.name.map((name) => name.length));
  const size = Math.min(13 / pixels, (0.92 * along) / (0.62 * longest), 0.8 * across);
  scene.labels.setAttribute("visibility", size * pixels < 7.5 ? "hidden" : "visible");
  if (size * pixels < 7.5) return;
  scene.names.forEach((text, at) => {
    const held = holds(floor, at);
    const small = Math.min(size * 0.85, (0.86 * along) / (0.58 * held.length));
    const two = small * pixels >= 7 && across > size + small * 1.5;
    const [x, y] = [Number(text.getAttribute("x")), Number(text.getAttribute("y"))];
    if (upright) text.setAttribute("transform", `rotate(-90 ${x} ${y})`);
    const line = (words, fontSize, down) => draw("tspan", { x, y: y + down, "font-size": fontSize }, words);
    text.replaceChildren(line(floor.racks.name[at], size, two ? -0.15 * size : 0.35 * size), ...(two ? [line(held, small, size * 0.9)] : []));
  });
}
