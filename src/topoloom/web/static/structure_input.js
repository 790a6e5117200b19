// Pointer, wheel, touch and keyboard on a drawing.

function wireStructure(canvas, { view, size, state, model, zoom, moved, go, choose, light, itemAt, linesOf, redraw, pointed, toScreen, sceneOf, inBlock, removed }) {
  const pointers = new Map();
  let dragged = 0, pinch = 0, looking = false;
  const place = (event) => { const { left, top } = canvas.getBoundingClientRect(); return [event.clientX - left, event.clientY - top]; };
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    zoom(Math.exp(-Math.max(-300, Math.min(300, event.deltaY * (event.deltaMode ? 20 : 1))) * 0.0022), ...place(event));
  }, { passive: false });
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, [event.clientX, event.clientY]);
    if (pointers.size === 1) dragged = 0;
    pinch = 0;
  });
  canvas.addEventListener("pointermove", (event) => {
    const last = pointers.get(event.pointerId);
    if (!last) { look(event); return; }
    const now = [event.clientX, event.clientY];
    pointers.set(event.pointerId, now);
    if (pointers.size === 2) {
      const [[ax, ay], [bx, by]] = [...pointers.values()], apart = Math.hypot(ax - bx, ay - by), { left, top } = canvas.getBoundingClientRect();
      if (pinch) zoom(apart / pinch, (ax + bx) / 2 - left, (ay + by) / 2 - top);
      pinch = apart;
      dragged = 99;
      return;
    }
    dragged += Math.hypot(now[0] - last[0], now[1] - last[1]);
    if (dragged < 4) return;
    hideTip();
    view.x -= (now[0] - last[0]) / view.k;
    view.y -= (now[1] - last[1]) / view.k;
    moved();
  });
  const lifted = (event) => {
    const had = pointers.delete(event.pointerId);
    if (had && event.type === "pointerup" && dragged < 4 && sceneOf()) choose(itemAt(...place(event)), event.shiftKey);
  };
  canvas.addEventListener("pointerup", lifted);
  canvas.addEventListener("pointercancel", lifted);
  canvas.addEventListener("pointerleave", () => { hideTip(); if (state.lit) { light(-1); redraw(); } });
  canvas.addEventListener("dblclick", (event) => {
    const item = sceneOf() && itemAt(...place(event));
    if (item && item.block !== undefined) go(item.block);
    else if (item && item.switch !== undefined) go(model.count + item.switch);
  });

  /** The tooltip of what is under the pointer, and its neighbours highlighted; at most once per frame. */
  function look(event) {
    if (looking || !sceneOf()) return;
    looking = true;
    requestAnimationFrame(() => {
      looking = false;
      const item = itemAt(...place(event)), node = item ? (item.block !== undefined ? item.block : item.switch !== undefined ? model.count + item.switch : -1) : -1;
      if (item) showTip(linesOf(item), event.clientX, event.clientY);
      else hideTip();
      canvas.style.cursor = item ? "pointer" : "grab";
      pointed(item);
      if (node !== state.pivot || (node < 0 && state.lit)) { light(node); redraw(); }
    });
  }

  const itemOf = (node) => (model.isBlock(node) ? { block: node } : { switch: node - model.count });
  /** The visible node nearest to the present one in a direction. */
  function step(dx, dy) {
    const { nodes } = sceneOf().bundles, middle = (node) => { const [x, y, w, h] = model.boxOf(node); return [x + w / 2, y + h / 2]; };
    const [cx, cy] = state.now >= 0 && nodes.includes(state.now) ? middle(state.now) : [view.x - (dx * size.width) / view.k, view.y - (dy * size.height) / view.k];
    let best = -1, least = Infinity;
    for (const node of nodes) {
      const [x, y] = middle(node), ahead = (x - cx) * dx + (y - cy) * dy, aside = Math.abs((x - cx) * dy) + Math.abs((y - cy) * dx);
      if (node === state.now || ahead <= 1e-6 || aside > 2 * ahead) continue;
      if (ahead + 2 * aside < least) { least = ahead + 2 * aside; best = node; }
    }
    if (best < 0) { announce("no further node in this direction"); return; }
    state.now = best;
    const [px, py] = toScreen(...middle(best));
    if (px < 0 || py < 0 || px > size.width || py > size.height) { [view.x, view.y] = middle(best); moved(); }
    const bundles = sceneOf().bundles, near = bundles.sizes.reduce((sum, links, i) => sum + (bundles.first[i] === best || bundles.second[i] === best ? links : 0), 0);
    announce(`${linesOf(itemOf(best)).join(", ")}, ${counted(near, "link")} to others`);
    light(best);
    redraw();
  }
  function enter() {
    if (state.now < 0) return;
    if (model.isBlock(state.now)) { const node = state.now; state.now = -1; go(node); } else { choose(itemOf(state.now)); go(state.now, { quietly: true }); }
  }
  function leave() {
    light(-1);
    hideTip();
    const [item] = state.chosen, at = item && item.switch !== undefined ? model.block[item.switch] : inBlock() ? model.parent[inBlock()] : 0;
    if (state.chosen.length) choose(null);
    go(at);
  }
  /** Selects the block around the selection, the present node, or the view. */
  function around() {
    const [item] = state.chosen, node = item && item.switch !== undefined ? model.count + item.switch : item && item.block !== undefined ? item.block : state.now;
    const block = node > 0 ? model.aboveOf(node) : inBlock();
    if (block) choose({ block });
    else announce("no block is around this");
  }
  canvas.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !sceneOf()) return;
    const act = { ArrowLeft: () => step(-1, 0), ArrowRight: () => step(1, 0), ArrowUp: () => step(0, -1), ArrowDown: () => step(0, 1), "+": () => zoom(1.4), "=": () => zoom(1.4), "-": () => zoom(1 / 1.4), 0: () => go(0), Enter: enter, Escape: leave,
      b: around, " ": () => state.now >= 0 && choose(itemOf(state.now), event.shiftKey), x: () => { if (!removed) return; if (!state.chosen.length && state.now >= 0) choose(itemOf(state.now)); removed(); } }[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
}
