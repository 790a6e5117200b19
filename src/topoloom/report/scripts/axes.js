// Scales, ticks and frames of plots: x to the right, y upwards.

const PAD = { left: 62, right: 14, top: 10, bottom: 44 };

/** A scale from values to pixels: linear, or logarithmic if `log` is set and all values are positive. */
function makeScale(values, from, to, log, whole = false, room = 0.05) {
  let low = Math.min(...values), high = Math.max(...values);
  if (!values.length) [low, high] = [0, 1];
  const logarithmic = log && low > 0;
  const at = logarithmic ? Math.log10 : (value) => value;
  let [start, end] = [at(low), at(high)];
  if (start === end) {
    const around = logarithmic ? 0.3 : Math.abs(start) * 0.1 || 1;
    [start, end] = [start - around, end + around];
  }
  const margin = (end - start) * room;
  [start, end] = [start - margin, end + margin];
  const scale = (value) => from + ((at(value) - start) / (end - start)) * (to - from);
  scale.log = logarithmic;
  scale.ticks = logarithmic ? logTicks(start, end) : linearTicks(start, end, Math.abs(to - from) / (from > to ? 44 : 80), whole);
  return scale;
}

function linearTicks(start, end, most, whole) {
  const rough = (end - start) / Math.max(2, most);
  const power = 10 ** Math.floor(Math.log10(rough));
  let step = power * [1, 2, 5, 10].find((factor) => factor * power >= rough * 0.999);
  if (whole) step = Math.max(1, Math.round(step));
  const ticks = [];
  for (let number = Math.ceil(start / step); number * step <= end + 1e-9 * step; number++) ticks.push(number * step + 0);
  return ticks;
}

function logTicks(start, end) {
  const steps = end - start > 3.2 ? [1] : end - start > 1.2 ? [1, 2, 5] : [1, 1.5, 2, 3, 4, 5, 6, 7, 8];
  const ticks = [];
  for (let power = Math.floor(start); power <= Math.ceil(end); power++)
    for (const factor of steps) {
      const value = factor * 10 ** power;
      if (Math.log10(value) >= start && Math.log10(value) <= end) ticks.push(value);
    }
  return ticks.length > 1 ? ticks : linearTicks(10 ** start, 10 ** end, 5, false).filter((value) => value > 0);
}

/** The frame of a plot: grid, ticks and labels, as a group; `x.words`, if any, gives the text below a tick. */
function drawAxes(box, x, y, labels) {
  const group = draw("g", { class: "axes" });
  const { left, right, top, bottom } = box;
  let last = -Infinity;
  for (const tick of x.ticks) {
    const at = x(tick);
    group.append(draw("line", { class: "grid", x1: at, x2: at, y1: top, y2: bottom }));
    const text = x.words ? x.words(tick) : shortly(tick);
    if (at - last < 8 + 7 * text.length) continue;
    last = at;
    group.append(draw("text", { x: at, y: bottom + 16, "text-anchor": "middle" }, text));
  }
  last = Infinity;
  for (const tick of y.ticks) {
    const at = y(tick);
    group.append(draw("line", { class: "grid", x1: left, x2: right, y1: at, y2: at }));
    if (last - at < 15) continue;
    last = at;
    group.append(draw("text", { x: left - 7, y: at + 4, "text-anchor": "end" }, shortly(tick)));
  }
  group.append(draw("path", { class: "frame", d: `M${left} ${top}V${bottom}H${right}` }));
  group.append(draw("text", { class: "name", x: (left + right) / 2, y: bottom + 36, "text-anchor": "middle" }, labels[0]));
  const middle = (top + bottom) / 2;
  group.append(
    draw("text", { class: "name", x: 13, y: middle, "text-anchor": "middle", transform: `rotate(-90 13 ${middle})` }, labels[1]),
  );
  return group;
}

/** The area inside the axes of a plot. */
function insideOf(width, height) {
  return { left: PAD.left, right: width - PAD.right, top: PAD.top, bottom: height - PAD.bottom };
}
