// The visible part of the floor: drag to move; zoom by wheel, fingers, buttons and keys.

const DEEPEST = 40;

function makeCamera(canvas, box, changed) {
  const [[x0, y0], [x1, y1]] = box;
  const pad = 0.02 * Math.max(x1 - x0, y1 - y0) + 0.3;
  const whole = { x: x0 - pad, y: -y1 - pad, width: x1 - x0 + 2 * pad, height: y1 - y0 + 2 * pad };
  const seen = { ...whole };
  const camera = { moved: false };

  /** Pixels per metre. */
  camera.scale = () => {
    const { width, height } = canvas.getBoundingClientRect();
    return Math.min(width / seen.width, height / seen.height);
  };
  camera.shape = () => whole.width / whole.height;
  const show = () => {
    canvas.setAttribute("viewBox", `${seen.x} ${seen.y} ${seen.width} ${seen.height}`);
    changed(whole.width / seen.width);
  };
  const inside = () => {
    // The middle of the picture stays on the floor.
    seen.x = Math.max(whole.x - seen.width / 2, Math.min(whole.x + whole.width - seen.width / 2, seen.x));
    seen.y = Math.max(whole.y - seen.height / 2, Math.min(whole.y + whole.height - seen.height / 2, seen.y));
  };
  camera.pointAt = (clientX, clientY) => {
    const matrix = canvas.getScreenCTM();
    const point = new DOMPoint(clientX, clientY).matrixTransform(matrix.inverse());
    return [point.x, point.y];
  };
  camera.zoom = (factor, around) => {
    const [x, y] = around || [seen.x + seen.width / 2, seen.y + seen.height / 2];
    const width = Math.max(whole.width / DEEPEST, Math.min(whole.width, seen.width / factor));
    const by = width / seen.width;
    Object.assign(seen, { x: x - (x - seen.x) * by, y: y - (y - seen.y) * by, width, height: seen.height * by });
    if (width === whole.width) Object.assign(seen, whole);
    inside();
    show();
  };
  camera.pan = (right, down) => {
    seen.x += right * seen.width;
    seen.y += down * seen.height;
    inside();
    show();
  };
  camera.fit = () => {
    Object.assign(seen, whole);
    show();
  };
  /** The visible part, and showing such a part again. */
  camera.seen = () => ({ ...seen });
  camera.look = (part) => {
    Object.assign(seen, part);
    inside();
    show();
  };
  /** Moves so that a point is in the middle, and what is around it can be read. */
  camera.fly = (x, y, width) => {
    const share = Math.min(whole.width, Math.max(width, whole.width / DEEPEST)) / whole.width;
    Object.assign(seen, { width: whole.width * share, height: whole.height * share });
    Object.assign(seen, { x: x - seen.width / 2, y: y - seen.height / 2 });
    inside();
    show();
  };
  /** Moves so that a point of the floor becomes visible. */
  camera.reach = (x, y) => {
    if (x < seen.x || x > seen.x + seen.width) seen.x = x - seen.width / 2;
    if (y < seen.y || y > seen.y + seen.height) seen.y = y - seen.height / 2;
    show();
  };

  canvas.addEventListener("wheel", (event) => {
    // The wheel scrolls the page as usual; it zooms only with Ctrl, or when the floor has the keyboard focus.
    if (!event.ctrlKey && document.activeElement !== canvas) return;
    event.preventDefault();
    camera.zoom(Math.exp(-event.deltaY * 0.0016), camera.pointAt(event.clientX, event.clientY));
  }, { passive: false });

  const fingers = new Map();
  canvas.addEventListener("pointerdown", (event) => {
    fingers.set(event.pointerId, [event.clientX, event.clientY]);
    camera.moved = false;
  });
  canvas.addEventListener("pointermove", (event) => {
    const before = fingers.get(event.pointerId);
    if (!before) return;
    const now = [event.clientX, event.clientY];
    const scale = camera.scale();
    if (fingers.size === 2) {
      const other = [...fingers.entries()].find(([id]) => id !== event.pointerId)[1];
      const factor = Math.hypot(now[0] - other[0], now[1] - other[1]) / (Math.hypot(before[0] - other[0], before[1] - other[1]) || 1);
      camera.zoom(factor, camera.pointAt((now[0] + other[0]) / 2, (now[1] + other[1]) / 2));
    } else if (camera.moved || Math.hypot(now[0] - before[0], now[1] - before[1]) > 4) {
      camera.moved = true;
      canvas.setPointerCapture(event.pointerId);
      seen.x -= (now[0] - before[0]) / scale;
      seen.y -= (now[1] - before[1]) / scale;
      inside();
      show();
    } else return;
    fingers.set(event.pointerId, now);
  });
  for (const end of ["pointerup", "pointercancel", "pointerleave"]) canvas.addEventListener(end, (event) => fingers.delete(event.pointerId));
  return camera;
}
