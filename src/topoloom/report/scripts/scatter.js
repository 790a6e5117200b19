// A plot of candidates: any measure against any other, with one mark per family; pointing and selecting apply to all views.

const NEAR = 22;

function makeScatter(store, name, firstX, firstY) {
  const { data } = store;
  const numeric = data.columns.filter((column) => store.rows.some((row) => typeof row[column.key] === "number"));
  const options = numeric.map((column) => [column.key, titled(column)]);
  const keys = { x: firstX, y: firstY };
  const log = { x: null, y: null };
  const canvas = draw("svg", { class: "plot", id: name, tabindex: "0", role: "group" });
  const box = make("div", { class: "canvas" }, canvas);
  const logTicks = {};
  const pick = (axis) => {
    const select = makeSelect(`${axis} axis of ${name}`, options, keys[axis], (key) => {
      keys[axis] = key;
      log[axis] = null;
      redraw();
    });
    select.setAttribute("data-axis", axis);
    const tick = makeTick("log", false, (ticked) => {
      log[axis] = ticked;
      redraw();
    });
    logTicks[axis] = tick.firstChild;
    return make("span", { class: "pick" }, make("b", {}, axis), " ", select, " ", tick);
  };
  const tools = make("div", { class: "tools" }, pick("x"), pick("y"));
  let points = [], rings = null, width = 0;

  const wideRange = (values) => values.length > 1 && Math.min(...values) > 0 && Math.max(...values) / Math.min(...values) > 8;

  const redraw = () => {
    if (!width) return;
    const height = Math.round(Math.max(260, Math.min(430, width * 0.68)));
    const shown = store.shown().filter((row) => typeof row[keys.x] === "number" && typeof row[keys.y] === "number");
    const inside = insideOf(width, height);
    const [xs, ys] = [shown.map((row) => row[keys.x]), shown.map((row) => row[keys.y])];
    const isLog = { x: log.x ?? wideRange(xs), y: log.y ?? wideRange(ys) };
    for (const axis of ["x", "y"]) logTicks[axis].checked = isLog[axis];
    const [columnX, columnY] = [store.columns.get(keys.x), store.columns.get(keys.y)];
    const x = makeScale(xs, inside.left, inside.right, isLog.x, !columnX.decimals);
    const y = makeScale(ys, inside.bottom, inside.top, isLog.y, !columnY.decimals);
    points = shown.map((row) => ({ row, at: [x(row[keys.x]), y(row[keys.y])] }));
    const marks = draw("g", { class: "marks" });
    // The best are drawn last, on top.
    for (const { row, at } of [...points].sort((a, b) => (b.row.rank ?? 1e9) - (a.row.rank ?? 1e9)))
      marks.append(drawMark(data.marks, data.families[row.family], at[0], at[1], 5.5, { class: row.rank === null ? "out" : null, "data-row": row.id }));
    const front = draw("g", { class: "fronts" });
    for (const { row, at } of points) if (row.pareto) front.append(draw("circle", { cx: at[0], cy: at[1], r: 9 }));
    rings = draw("g", { class: "rings" });
    canvas.setAttribute("viewBox", `0 0 ${width} ${height}`);
    canvas.setAttribute("height", height);
    canvas.setAttribute("aria-label", `${titled(columnY)} against ${titled(columnX)}: ${shown.length} candidates. Arrow keys go from mark to mark, Enter selects.`);
    canvas.replaceChildren(drawAxes(inside, x, y, [titled(columnX), titled(columnY)]), front, marks, rings);
    if (!shown.length) canvas.append(draw("text", { class: "empty", x: width / 2, y: height / 2, "text-anchor": "middle" }, "no candidate to show"));
    markRings();
  };

  const markRings = () => {
    if (!rings) return;
    rings.replaceChildren();
    for (const { row, at } of points) {
      const number = store.selected.indexOf(row.id);
      if (number >= 0) {
        rings.append(draw("circle", { class: "selected", cx: at[0], cy: at[1], r: 11, "data-row": row.id }));
        rings.append(draw("text", { class: "number", x: at[0] + 13, y: at[1] - 8 }, String(number + 1)));
      }
      if (row.id === store.hover) rings.append(draw("circle", { class: "pointed", cx: at[0], cy: at[1], r: 13, "data-row": row.id }));
    }
  };

  const nearest = (event) => {
    const frame = canvas.getBoundingClientRect();
    const [px, py] = [event.clientX - frame.left, event.clientY - frame.top];
    let best = null, least = NEAR;
    for (const point of points) {
      const away = Math.hypot(point.at[0] - px, point.at[1] - py);
      if (away < least) [best, least] = [point, away];
    }
    return best;
  };
  const showPoint = (point, x, y) => {
    const others = ["cost_per_host_usd", "mean_latency_ns"].filter((key) => store.columns.has(key));
    showTip(inLines(store, point.row, [...new Set([keys.x, keys.y, ...others])]), x, y);
  };
  canvas.addEventListener("pointermove", (event) => {
    const point = nearest(event);
    store.point(point ? point.row.id : null);
    canvas.classList.toggle("near", Boolean(point));
    if (point) showPoint(point, event.clientX, event.clientY);
    else hideTip();
  });
  canvas.addEventListener("pointerleave", () => { store.point(null); hideTip(); });
  canvas.addEventListener("blur", () => { store.point(null); hideTip(); });
  canvas.addEventListener("click", (event) => {
    const point = nearest(event);
    if (point) store.toggle(point.row.id);
  });
  canvas.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
    if (step && points.length) {
      const along = event.key === "ArrowRight" || event.key === "ArrowLeft" ? 0 : 1;
      const order = [...points].sort((a, b) => (along ? b.at[1] - a.at[1] : a.at[0] - b.at[0]) || a.row.id - b.row.id);
      const now = order.findIndex((point) => point.row.id === store.hover);
      const next = order[now < 0 ? 0 : Math.max(0, Math.min(order.length - 1, now + step))];
      store.point(next.row.id);
      const frame = canvas.getBoundingClientRect();
      showPoint(next, frame.left + next.at[0], frame.top + next.at[1]);
      announce(inLines(store, next.row, [keys.x, keys.y]).join(", "));
    } else if ((event.key === "Enter" || event.key === " ") && store.hover !== null) store.toggle(store.hover);
    else return;
    event.preventDefault();
  });
  store.on("rows", redraw);
  store.on("hover", markRings);
  store.on("selected", markRings);
  whenResized(box, (now) => {
    width = now;
    redraw();
  });
  return make("figure", { class: "panel" }, tools, box);
}
