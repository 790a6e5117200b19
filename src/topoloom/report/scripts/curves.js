// Curves with intervals: bands and marks, a legend whose names hide and show curves, values at the pointer.

function makeCurves(marks, curves) {
  const canvas = draw("svg", { class: "plot", tabindex: "0", role: "group" });
  const box = make("div", { class: "canvas" }, canvas);
  const hidden = new Set();
  const legend = make("div", { class: "legend", role: "group", "aria-label": "curves" });
  curves.series.forEach((series, at) => {
    const button = make("button", {
      type: "button", class: "chip", "aria-pressed": "true",
      onclick: () => {
        if (!hidden.delete(at)) hidden.add(at);
        button.setAttribute("aria-pressed", String(!hidden.has(at)));
        button.classList.toggle("faint", hidden.has(at));
        redraw();
      },
    }, markIcon(marks, series.look), ` ${series.name}`);
    legend.append(button);
  });
  let width = 0, points = [], now = -1, ring = null;

  const redraw = () => {
    if (!width) return;
    const height = Math.round(Math.max(260, Math.min(440, width * 0.5)));
    const inside = insideOf(width, height);
    const visible = curves.series.filter((_, at) => !hidden.has(at));
    const every = visible.flatMap((series) => series.points);
    const reached = visible.flatMap((series) => [...series.points, ...series.line, ...series.rest]).map((point) => point[0]);
    // Names are one step apart, with half a step before the first and after the last.
    const names = curves.x_names, letters = Math.max(4, Math.floor((inside.right - inside.left) / (7 * names.length || 1)) - 2);
    const cut = (name) => (name.length > letters ? `${name.slice(0, letters - 1)}\u2026` : name);
    const x = names.length ? makeScale([0.5, names.length + 0.5], inside.left, inside.right, false, true, 0) : makeScale(reached, inside.left, inside.right, curves.log_x, curves.integer, 0.02);
    if (names.length) Object.assign(x, { ticks: names.map((_, number) => number + 1), words: (tick) => cut(names[tick - 1]) });
    const sure = (series) => series.points.filter((point) => !point[4]);
    const levels = every.flatMap((point) => [point[1], point[2], point[3]]).filter((value) => typeof value === "number");
    const y = makeScale(curves.log_y ? levels : [...levels, 0], inside.bottom, inside.top, curves.log_y, curves.whole_y);
    canvas.setAttribute("viewBox", `0 0 ${width} ${height}`);
    canvas.setAttribute("height", height);
    canvas.setAttribute("aria-label", `${curves.title}: ${curves.y} against ${curves.x}. Arrow keys go from point to point.`);
    canvas.replaceChildren(drawAxes(inside, x, y, [curves.x, curves.y]));
    if (typeof curves.criterion === "number")
      canvas.append(draw("line", { class: "criterion", x1: inside.left, x2: inside.right, y1: y(curves.criterion), y2: y(curves.criterion) }));
    points = [];
    for (const series of visible) {
      const join = (line) => line.map((pair) => `${pair[0].toFixed(1)} ${pair[1].toFixed(1)}`).join("L");
      const along = (line) => `M${join(line.map((pair) => [x(pair[0]), y(pair[1])]))}`;
      const measured = sure(series);
      // A curve through the points has a bar at each; a band would follow another line.
      if (series.line.length) {
        for (const [at, , low, high] of measured)
          if (typeof low === "number" && typeof high === "number") canvas.append(draw("line", { class: "curve", x1: x(at), x2: x(at), y1: y(low), y2: y(high), stroke: series.look[0] }));
      } else if (measured.some((point) => typeof point[2] === "number")) {
        const high = measured.map((point) => [x(point[0]), y(point[3] ?? point[1])]);
        const low = measured.map((point) => [x(point[0]), y(point[2] ?? point[1])]).reverse();
        canvas.append(draw("path", { class: "band", d: `M${join([...high, ...low])}Z`, fill: series.look[0] }));
      }
      if (measured.length || series.line.length) canvas.append(draw("path", { class: "curve", d: along(series.line.length ? series.line : measured), stroke: series.look[0] }));
      if (series.rest.length) canvas.append(draw("path", { class: "curve rest", d: along(series.rest), stroke: series.look[0] }));
      for (const point of series.points) {
        const at = [x(point[0]), y(point[1])];
        const open = point[4] ? { fill: "#fff", stroke: series.look[0], "stroke-width": 0.4 } : {};
        canvas.append(drawMark(marks, series.look, at[0], at[1], 4.8, open));
        points.push({ series, point, at });
      }
    }
    ring = draw("circle", { class: "pointed", r: 10, visibility: "hidden" });
    canvas.append(draw("g", { class: "rings" }, ring));
  };

  const showPoint = (number) => {
    now = number;
    ring.setAttribute("visibility", number < 0 ? "hidden" : "visible");
    if (number < 0) return hideTip();
    const { series, point, at } = points[number];
    ring.setAttribute("cx", at[0]);
    ring.setAttribute("cy", at[1]);
    const interval = typeof point[2] === "number" && typeof point[3] === "number" ? `interval ${shortly(point[2])} to ${shortly(point[3])}` : null;
    const lines = [series.name, `${curves.x}: ${curves.x_names.length ? curves.x_names[point[0] - 1] : shortly(point[0])}`, point[4] || `${curves.y}: ${shortly(point[1])}`, interval].filter(Boolean);
    const frame = canvas.getBoundingClientRect();
    showTip(lines, frame.left + at[0], frame.top + at[1]);
    return announce(lines.join(", "));
  };
  canvas.addEventListener("pointermove", (event) => {
    const frame = canvas.getBoundingClientRect();
    let best = -1, least = 26;
    points.forEach(({ at }, number) => {
      const away = Math.hypot(at[0] - event.clientX + frame.left, at[1] - event.clientY + frame.top);
      if (away < least) [best, least] = [number, away];
    });
    if (best !== now) showPoint(best);
  });
  canvas.addEventListener("pointerleave", () => showPoint(-1));
  canvas.addEventListener("blur", () => showPoint(-1));
  canvas.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step || !points.length) return;
    showPoint(Math.max(0, Math.min(points.length - 1, now + step)));
    event.preventDefault();
  });
  whenResized(box, (boxWidth) => {
    width = boxWidth;
    redraw();
  });
  return make("figure", { class: "panel curves" }, make("figcaption", {}, make("b", {}, curves.title)), legend, box);
}
