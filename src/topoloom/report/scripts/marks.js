// The mark of a series, chosen in Python: an outline around 0, 0 and a colour.

/** A mark at x, y; `size` is in pixels from its middle to its edge. */
function drawMark(marks, look, x, y, size, attributes = {}) {
  return draw("path", {
    d: marks[look[1]],
    transform: `translate(${x.toFixed(1)} ${y.toFixed(1)}) scale(${size})`,
    fill: look[0],
    ...attributes,
  });
}

/** A mark as a small picture, for legends and tables. */
function markIcon(marks, look, size = 12) {
  const icon = draw("svg", { class: "mark", width: size, height: size, viewBox: "-1.3 -1.3 2.6 2.6", "aria-hidden": "true" });
  icon.append(draw("path", { d: marks[look[1]], fill: look[0] }));
  return icon;
}
