// The tooltip, which follows the pointer or the keyboard focus.

const TIP = make("div", { class: "tip", hidden: true, "aria-hidden": "true" });
document.body.append(TIP);

/** Shows lines, the first as a title, next to a point of the window. */
function showTip(lines, x, y) {
  TIP.replaceChildren(make("b", {}, lines[0]), ...lines.slice(1).map((line) => make("span", {}, line)));
  TIP.hidden = false;
  const { width, height } = TIP.getBoundingClientRect();
  const left = x + 14 + width > innerWidth ? x - 14 - width : x + 14;
  TIP.style.left = `${Math.max(4, left)}px`;
  TIP.style.top = `${Math.max(4, Math.min(y + 14, innerHeight - height - 4))}px`;
}

function hideTip() {
  TIP.hidden = true;
}
