// Bundles of cables as arcs from rack to rack: the more cables, the wider. Of very many bundles only the strongest are drawn.

const MOST_LINES = 100;

/** The bundles of a floor with their ends, and the numbers of each rack's bundles. */
function bundlesOf(floor) {
  const { bundles, racks } = floor;
  const of = racks.name.map(() => []);
  const list = bundles.a.map((a, number) => {
    const b = bundles.b[number];
    of[a].push(number);
    if (b !== a) of[b].push(number);
    return { number, a, b, count: bundles.count[number], kind: bundles.kind[number], host: bundles.host[number], metres: bundles.metres[number], product: floor.products[bundles.product[number]], ports: bundles.ports[number] };
  });
  return { list, of };
}

/** The numbers of the strongest bundles, as many as a floor of this size can show. */
function strongestOf(floor, list) {
  const [[x0, y0], [x1, y1]] = floor.box;
  const { x, y } = floor.racks;
  const mean = list.reduce((sum, one) => sum + Math.hypot(x[one.a] - x[one.b], y[one.a] - y[one.b]), 0) / (list.length || 1) || 1;
  const most = Math.round(Math.max(100, Math.min(1500, (MOST_LINES * Math.hypot(x1 - x0, y1 - y0)) / mean)));
  if (list.length <= most) return list;
  // Of equally strong bundles, take an even selection from all over the floor.
  const least = list.map((one) => one.count).sort((a, b) => b - a)[most - 1];
  const sure = list.filter((one) => one.count > least), equal = list.filter((one) => one.count === least);
  const room = most - sure.length;
  return [...sure, ...Array.from({ length: room }, (_, at) => equal[Math.floor((at * equal.length) / room)])];
}

/** An arc that avoids the racks of its own row, and bends towards the middle of the floor. */
function arcOf(floor, one) {
  const { x, y } = floor.racks;
  const [[x0, y0], [x1, y1]] = floor.box;
  const [sx, sy, ex, ey] = [x[one.a], -y[one.a], x[one.b], -y[one.b]];
  const [dx, dy] = [ex - sx, ey - sy];
  const length = Math.hypot(dx, dy) || 1;
  const [mx, my] = [(sx + ex) / 2, (sy + ey) / 2];
  const [ax, ay] = [-dy, dx];
  const inwards = ((x0 + x1) / 2 - mx) * ax + (-(y0 + y1) / 2 - my) * ay < -1e-9 ? -1 : 1;
  // An arc along a row leaves the row, so that it does not cover the names of the racks between.
  const [wide, deep] = floor.cell;
  const aside = Math.abs(dy) < 1e-6 ? 1.5 * deep : Math.abs(dx) < 1e-6 ? 1.2 * wide : 2 * Math.min(wide, deep);
  const rise = Math.min(Math.abs(dy) < 1e-6 ? 0.6 : 0.2, aside / length) * inwards * (one.host ? 0.8 : 1);
  const round = (value) => Number(value.toFixed(3));
  return `M${round(sx)} ${round(sy)}Q${round(mx + rise * ax)} ${round(my + rise * ay)} ${round(ex)} ${round(ey)}`;
}

/** Arcs of some bundles; wide invisible ones over them catch the pointer. */
function drawBundles(floor, some, most, widest, strong) {
  const lines = draw("g", { class: strong ? "bundles strong" : "bundles" });
  const catching = draw("g", { class: "catch" });
  for (const one of some) {
    const d = arcOf(floor, one);
    const width = Math.max(strong ? 1.4 : 0.6, widest * Math.sqrt(one.count / most));
    // A white line below makes the arc visible on a rack of any colour.
    if (strong) lines.append(draw("path", { d, stroke: "var(--page)", "stroke-width": (width + 2.5).toFixed(2), "data-bundle": one.number }));
    lines.append(draw("path", { d, stroke: floor.kinds[one.kind][1], "stroke-width": width.toFixed(2), "stroke-dasharray": one.host ? "5 2.5" : null, "data-bundle": one.number }));
    catching.append(draw("path", { d, "data-bundle": one.number }));
  }
  return draw("g", {}, lines, catching);
}
