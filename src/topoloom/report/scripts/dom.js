// Elements of HTML and SVG. Texts from the data are set as text, never as markup.

const SVG = "http://www.w3.org/2000/svg";

/** An element with attributes and children; `on...` attributes are listeners, texts become text nodes. */
function make(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/** The same in SVG. */
function draw(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "style") Object.assign(element.style, value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

/** A select with options [value, text]; `changed` receives the new value. */
function makeSelect(label, options, chosen, changed) {
  const select = make("select", { "aria-label": label, onchange: () => changed(select.value) });
  for (const [value, text] of options) select.append(make("option", { value, selected: value === chosen }, text));
  return select;
}

/** A box to tick, with its label. */
function makeTick(text, ticked, changed) {
  const box = make("input", { type: "checkbox", checked: ticked, onchange: () => changed(box.checked) });
  return make("label", { class: "tick" }, box, " ", text);
}

/** Announces a text to screen readers. */
function announce(text) {
  let live = document.getElementById("live");
  if (!live) {
    live = make("div", { id: "live", "aria-live": "polite", class: "unseen" });
    document.body.append(live);
  }
  live.textContent = text;
}

/** Calls `redraw` with the width of a box: at first, and whenever it changes. */
function whenResized(box, redraw) {
  let width = 0;
  new ResizeObserver(() => {
    const now = Math.round(box.clientWidth);
    if (now && now !== width) {
      width = now;
      redraw(width);
    }
  }).observe(box);
}

/** The name of a row's network, with its spec in small print. */
function named(row, address = null) {
  return [address ? make("a", { href: address }, row.name) : make("b", {}, row.name), " ", make("small", { class: "mono" }, ...breakable(row.spec))];
}

/** A spec in which lines may break after each comma, colon and plus. */
function breakable(spec) {
  return spec.split(/(?<=[,:+])/).flatMap((piece, at) => (at ? [make("wbr"), piece] : [piece]));
}
