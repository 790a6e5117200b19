// Racks that are carried over the floor, by the pointer or by keys: they and their bundles follow, and are dropped into a slot.

/**
 * Lets the racks of a floor be carried. `slots`: all slots of the floor, { name, x, y }; `mode` returns "look", "move" or "block".
 * `hooks`: over(from, to) while a rack is above a slot, drop(from, to), cancel(), block(slot).
 */
function carryRacks(figure, floor, slots, mode, hooks) {
  const { canvas, camera, scene, redraw, pinned, pin } = figure.room;
  const [wide, deep] = floor.cell, { racks } = floor;
  const rackIn = new Map(racks.name.map((name, at) => [name, at]));
  const places = [...slots.name.map((name, at) => ({ name, x: slots.x[at], y: slots.y[at] })), ...floor.blocked.map(([name, x, y]) => ({ name, x, y, blocked: true }))];
  const target = draw("g", { class: "target" });
  canvas.append(target);
  let carried = null; // { at, home, slot, keys }

  const slotAt = (x, y) => places.find((slot) => Math.abs(slot.x - x) <= wide / 2 && Math.abs(slot.y - y) <= deep / 2);
  const mark = (slot) => target.replaceChildren(...(slot ? [draw("rect", { ...slotCorner(floor, slot.x, slot.y), width: 0.94 * wide, height: 0.94 * deep })] : []));
  const put = (at, { x, y }) => { racks.x[at] = x; racks.y[at] = y; };

  const lift = (at, keys) => {
    const home = places.find(({ name }) => name === racks.name[at]);
    if (!home) return;
    carried = { at, home, slot: home, keys };
    canvas.classList.add("carrying");
    scene.boxes[at].parentNode.append(scene.boxes[at]); // above the others
    mark(home);
  };
  const hover = (slot) => {
    if (!carried || slot === carried.slot) return;
    carried.slot = slot;
    mark(slot);
    if (slot && !slot.blocked) hooks.over(racks.name[carried.at], slot.name);
  };
  const end = (dropped) => {
    const { at, home, slot } = carried;
    carried = null;
    mark(null);
    canvas.classList.remove("carrying");
    const allowed = dropped && slot && !slot.blocked && slot !== home, other = allowed ? rackIn.get(slot.name) : undefined;
    put(at, allowed ? slot : home);
    if (other !== undefined) put(other, home);
    redraw(other === undefined ? [at] : [at, other]);
    if (allowed) hooks.drop(racks.name[at], slot.name);
    else hooks.cancel(dropped && slot && slot.blocked ? `slot ${slot.name} is blocked` : "");
  };

  const pointOf = (event) => { const [x, y] = camera.pointAt(event.clientX, event.clientY); return { x, y: -y }; };
  const only = (event) => { event.stopImmediatePropagation(); event.preventDefault(); };
  let pressed = null;
  canvas.addEventListener("pointerdown", (event) => {
    if (mode() === "look" || event.button) return;
    // The rack below the pointer, also where a bundle is drawn over it.
    const { x, y } = pointOf(event), slot = slotAt(x, y), at = slot && rackIn.get(slot.name);
    if (mode() === "move" && at !== undefined) {
      only(event);
      canvas.focus({ preventScroll: true });
      canvas.setPointerCapture(event.pointerId);
      lift(at, false);
    } else if (mode() === "block") pressed = slot;
  }, true);
  canvas.addEventListener("pointermove", (event) => {
    if (!carried || carried.keys) return;
    only(event);
    hideTip();
    const point = pointOf(event);
    put(carried.at, point);
    redraw([carried.at]);
    hover(slotAt(point.x, point.y));
  }, true);
  canvas.addEventListener("pointerup", (event) => {
    if (carried && !carried.keys) {
      only(event);
      const { at, slot, home } = carried;
      end(true);
      if (slot === home) pin({ what: "rack", at });
    } else if (mode() === "block" && pressed && !camera.moved) hooks.block(pressed.name);
    pressed = null;
  }, true);
  canvas.addEventListener("pointercancel", () => { if (carried) end(false); }, true);
  canvas.addEventListener("click", (event) => { if (mode() !== "look" && mode() !== "block") only(event); }, true);

  /** The nearest slot in a direction. */
  const nextSlot = (from, right, up) => {
    let best = from, least = Infinity;
    for (const slot of places) {
      const along = (slot.x - from.x) * right + (slot.y - from.y) * up;
      const aside = Math.abs((slot.x - from.x) * up) + Math.abs((slot.y - from.y) * right);
      if (along > 1e-6 && along + 3 * aside < least) [best, least] = [slot, along + 3 * aside];
    }
    return best;
  };
  canvas.addEventListener("keydown", (event) => {
    const way = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key], now = pinned();
    if (!carried) {
      if (event.key !== "m" || event.ctrlKey || event.metaKey || !now || now.what !== "rack") return;
      only(event);
      lift(now.at, true);
      announce(`rack ${racks.name[now.at]} is carried: arrow keys choose a slot, Enter drops it, Escape cancels`);
    } else if (way) {
      only(event);
      const slot = nextSlot(carried.slot || carried.home, ...way), other = rackIn.get(slot.name);
      put(carried.at, slot);
      redraw([carried.at]);
      hover(slot);
      camera.reach(slot.x, -slot.y);
      announce(slot.blocked ? `slot ${slot.name}, blocked` : other === undefined || other === carried.at ? `slot ${slot.name}, free` : `slot ${slot.name}, changes places with its rack`);
    } else if (event.key === "Enter" || event.key === "Escape") {
      only(event);
      end(event.key === "Enter");
    }
  }, true);
}
