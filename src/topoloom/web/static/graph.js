// The picture of a network: pan, zoom, switches and links under the pointer; colours by label, load or loss; and a path.

const SWITCH_COLOURS = ["#2563a8", "#d1661b", "#2f8f4e", "#8c4bb0", "#b8860b", "#0f8b8d", "#c2376b", "#5b6775", "#7a5230", "#3f51b5"];
const toRgb = (text) => [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16));
/** Pale blue to dark red, readable in grey. */
const heat = (share) => {
  const stops = [[214, 226, 240], [120, 160, 205], [240, 190, 80], [215, 90, 40], [130, 15, 30]];
  const at = Math.max(0, Math.min(0.9999, share)) * (stops.length - 1), low = Math.floor(at), part = at - low;
  return stops[low].map((value, i) => Math.round(value + (stops[low + 1][i] - value) * part));
};

/** A stride that visits each of 0 .. m - 1 once, in an order without a visible pattern. */
function strideOf(m) {
  const share = (a, b) => (b ? share(b, a % b) : a);
  let stride = Math.max(1, Math.round(m * 0.618));
  while (share(m, stride) > 1) stride += 1;
  return stride;
}

function makeGraph(picture, pointed, clicked) {
  const canvas = make("canvas", { tabindex: "0", role: "img", "aria-label": `${picture.name}: ${counted(picture.switches, "switch", "switches")}, ${counted(picture.links.length / 2, "link")}. Arrow keys move, + and - zoom, n and p go from switch to switch, Enter chooses one for a path, x removes it.` });
  const painter = makePainter(canvas) || makeStillPainter(canvas);
  const points = Float32Array.from(picture.points), links = Uint32Array.from(picture.links), n = picture.switches, m = links.length / 2;
  // Links are drawn in a scattered order, so that any first part of them represents all.
  const stride = strideOf(m), scattered = (i) => (i * stride) % m;
  const ends = new Float32Array(4 * m);
  for (let i = 0; i < m; i += 1) for (const side of [0, 1]) {
    const end = links[2 * scattered(i) + side];
    ends[4 * i + 2 * side] = points[2 * end];
    ends[4 * i + 2 * side + 1] = points[2 * end + 1];
  }
  let [left, right, low, high] = [Infinity, -Infinity, Infinity, -Infinity];
  for (let i = 0; i < n; i += 1) {
    left = Math.min(left, points[2 * i]); right = Math.max(right, points[2 * i]);
    low = Math.min(low, points[2 * i + 1]); high = Math.max(high, points[2 * i + 1]);
  }
  const reach = Math.max(right - left, high - low, 1e-6);
  const home = { x: (left + right) / 2, y: (low + high) / 2, span: reach * 1.12 };
  const view = { ...home };
  const state = { by: "plain", path: [], after: null, lostLinks: new Set(), lostSwitches: new Set(), now: -1 };

  const alpha = Math.max(14, Math.min(150, Math.round(9e5 / Math.max(1, m) ** 0.85)));
  const switchColours = () => {
    const colour = new Uint8Array(4 * n);
    const values = picture.labels[state.by];
    const names = values ? [...new Set(values)] : [];
    const order = new Map(names.map((name, at) => [name, at]));
    for (let i = 0; i < n; i += 1) {
      let rgb = values ? toRgb(SWITCH_COLOURS[order.get(values[i]) % SWITCH_COLOURS.length]) : picture.host_of[i] ? [37, 99, 168] : [91, 103, 117];
      if (state.lostSwitches.has(i)) rgb = [190, 195, 200];
      colour.set([...rgb, 255], 4 * i);
    }
    return colour;
  };
  const linkColours = () => {
    const colour = new Uint8Array(8 * m);
    const most = state.by === "load" && picture.loads ? Math.max(1, ...chunkMax(picture.loads)) : 1;
    for (let i = 0; i < m; i += 1) {
      const link = scattered(i);
      let rgba = [93, 106, 122, alpha];
      if (state.by === "load" && picture.loads) rgba = [...heat(picture.loads[link] / most), Math.min(255, alpha + 90)];
      const [a, b] = [links[2 * link], links[2 * link + 1]];
      if (state.lostLinks.has(link) || state.lostSwitches.has(a) || state.lostSwitches.has(b)) rgba = [190, 30, 45, 40];
      colour.set(rgba, 8 * i);
      colour.set(rgba, 8 * i + 4);
    }
    return colour;
  };
  const chunkMax = (values) => {
    let most = 0;
    for (const value of values) if (value > most) most = value;
    return [most];
  };
  const pathBatch = (name, path, rgb) => {
    const at = [], colour = [];
    for (let i = 0; path && i + 1 < path.length; i += 1) for (const end of [path[i], path[i + 1]]) {
      at.push(points[2 * end], points[2 * end + 1]);
      colour.push(...rgb, 255);
    }
    painter.put(name, "lines", Float32Array.from(at), Uint8Array.from(colour));
  };
  const marked = () => {
    const chosen = [...new Set([...state.path, ...(state.after || []), ...(state.now >= 0 ? [state.now] : []), ...state.ends || []])];
    painter.put("marked", "large", Float32Array.from(chosen.flatMap((i) => [points[2 * i], points[2 * i + 1]])), Uint8Array.from(chosen.flatMap(() => [209, 102, 27, 255])));
  };

  // A slow machine draws fewer links while the picture moves, and all links when it rests.
  let waiting = false, budget = m, last = 0, rest = null;
  const size = () => Math.max(3, Math.min(13, 260 / Math.sqrt(n))) * Math.max(1, Math.min(3, Math.sqrt(home.span / view.span))) * (window.devicePixelRatio || 1);
  const scale = () => {
    const aspect = canvas.width / Math.max(1, canvas.height);
    return { x: view.x, y: view.y, sx: 2 / view.span / Math.max(aspect, 1) , sy: 2 / view.span * Math.min(aspect, 1) , aspect };
  };
  const paint = (moving = false) => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame((now) => {
      waiting = false;
      if (!canvas.isConnected || !canvas.width) return;
      if (moving && last && now - last < 3000) budget = Math.min(m, Math.max(1500, Math.ceil(budget * Math.max(0.03, Math.min(1.1, 22 / (now - last))))));
      last = now;
      painter.paint(scale(), size(), moving ? budget : m);
      clearTimeout(rest);
      if (moving && budget < m) rest = setTimeout(() => { last = 0; paint(); }, 180);
      canvas.dataset.frames = Number(canvas.dataset.frames || 0) + 1;
    });
  };
  const recolour = () => {
    painter.put("links", "lines", state.drawn ? null : ends, linkColours());
    pathBatch("path", state.path, state.after !== null ? [140, 150, 160] : [209, 102, 27]);
    pathBatch("after", state.after, [47, 143, 78]);
    painter.put("switches", "points", state.drawn ? null : points, switchColours());
    marked();
    state.drawn = true;
    paint();
  };
  const fit = () => {
    const frame = canvas.getBoundingClientRect(), ratio = window.devicePixelRatio || 1;
    canvas.width = Math.round(frame.width * ratio);
    canvas.height = Math.round(frame.height * ratio);
    paint();
  };
  new ResizeObserver(() => fit()).observe(canvas);

  const toWorld = (event) => {
    const frame = canvas.getBoundingClientRect(), s = scale();
    return [((event.clientX - frame.left) / frame.width * 2 - 1) / s.sx + view.x, (1 - (event.clientY - frame.top) / frame.height * 2) / s.sy + view.y, 2 / s.sx / frame.width];
  };
  const switchNear = (x, y, within) => {
    let best = -1, least = within * within;
    for (let i = 0; i < n; i += 1) {
      const away = (points[2 * i] - x) ** 2 + (points[2 * i + 1] - y) ** 2;
      if (away < least) [best, least] = [i, away];
    }
    return best;
  };
  const linkNear = (x, y, within) => {
    let best = -1, least = within * within;
    for (let i = 0; i < m; i += 1) {
      const ax = ends[4 * i], ay = ends[4 * i + 1], dx = ends[4 * i + 2] - ax, dy = ends[4 * i + 3] - ay;
      const along = Math.max(0, Math.min(1, ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy || 1)));
      const away = (ax + along * dx - x) ** 2 + (ay + along * dy - y) ** 2;
      if (away < least) [best, least] = [i, away];
    }
    return best < 0 ? best : scattered(best);
  };
  let drag = null;
  canvas.addEventListener("pointerdown", (event) => {
    drag = { x: event.clientX, y: event.clientY, moved: false };
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    const [x, y, pixel] = toWorld(event);
    if (drag) {
      const [dx, dy] = [event.clientX - drag.x, event.clientY - drag.y];
      if (Math.abs(dx) + Math.abs(dy) > 3 || drag.moved) {
        view.x -= dx * pixel; view.y += dy * pixel;
        drag = { x: event.clientX, y: event.clientY, moved: true };
        canvas.classList.add("dragged");
        paint(true);
      }
      return;
    }
    const nearest = switchNear(x, y, 11 * pixel);
    if (nearest !== state.now) {
      state.now = nearest;
      marked();
      paint();
      pointed(nearest);
      if (nearest >= 0) showTip([`switch ${nearest}`, ...Object.entries(picture.labels).slice(0, 5).map(([name, values]) => `${name} ${values[nearest]}`), counted(picture.host_of[nearest], "host")], event.clientX, event.clientY);
      else hideTip();
    }
  });
  canvas.addEventListener("pointerup", (event) => {
    const moved = drag && drag.moved;
    drag = null;
    canvas.classList.remove("dragged");
    if (moved) return;
    const [x, y, pixel] = toWorld(event);
    const at = switchNear(x, y, 11 * pixel);
    clicked(at >= 0 ? { switch: at } : { link: linkNear(x, y, 6 * pixel) });
  });
  canvas.addEventListener("pointerleave", () => { hideTip(); if (state.now >= 0) { state.now = -1; marked(); paint(); } });
  const zoom = (factor, x = view.x, y = view.y) => {
    const span = Math.max(reach * 1e-4, Math.min(home.span * 3, view.span * factor)), real = span / view.span;
    view.x = x + (view.x - x) * real; view.y = y + (view.y - y) * real; view.span = span;
    paint(true);
  };
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    const [x, y] = toWorld(event);
    zoom(Math.exp(event.deltaY * 0.0015), x, y);
  }, { passive: false });
  canvas.addEventListener("keydown", (event) => {
    const step = view.span * 0.08;
    const point = (by) => {
      state.now = (state.now + by + n) % n;
      announce([`switch ${state.now}`, ...Object.entries(picture.labels).slice(0, 5).map(([name, values]) => `${name} ${values[state.now]}`)].join(", "));
      marked();
    };
    const act = { ArrowLeft: () => { view.x -= step; }, ArrowRight: () => { view.x += step; }, ArrowUp: () => { view.y += step; }, ArrowDown: () => { view.y -= step; }, "+": () => zoom(0.8), "=": () => zoom(0.8), "-": () => zoom(1.25), 0: () => Object.assign(view, home),
      n: () => point(1), p: () => point(-1), Enter: () => state.now >= 0 && clicked({ switch: state.now }), x: () => state.now >= 0 && clicked({ lost: state.now }) }[event.key];
    if (!act) return;
    act();
    paint(true);
    event.preventDefault();
  });
  recolour();
  return { canvas, still: painter.still, links, set: (change) => { Object.assign(state, change); recolour(); }, state };
}
