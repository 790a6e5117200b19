// The report of a design: candidates to explore, the winner's floor, tables and curves.

const DATA = JSON.parse(document.getElementById("data").textContent);

/** Puts interactive parts in place of the static part, which is hidden. */
function replace(name, ...parts) {
  const place = document.querySelector(`[data-part="${name}"]`);
  if (!place) return;
  place.before(...parts);
  place.classList.add("replaced");
}

if (DATA.rows.length) {
  const store = makeStore(DATA);
  const has = (key) => store.rows.some((row) => typeof row[key] === "number");
  const second = has("bisection_per_host") ? ["power_per_host_w", "bisection_per_host"] : ["power_per_host_w", "worst_latency_ns"];
  const plots = make("div", { class: "plots" }, makeScatter(store, "plot-1", "cost_per_host_usd", "mean_latency_ns"), makeScatter(store, "plot-2", ...second));
  replace("candidates", makeFilters(store), plots, makeTable(store), ...makeSelection(store));
  replace("tradeoffs");
}
if (DATA.floor) {
  replace("floor-words", makeFloor(DATA.floor));
  const sheet = document.getElementById("sheet");
  if (sheet) {
    sheet.open = false;
    // Paper gets the sheet, which needs no pointing, in place of the viewer.
    let opened = false;
    addEventListener("beforeprint", () => {
      opened = sheet.open;
      sheet.open = true;
    });
    addEventListener("afterprint", () => { sheet.open = opened; });
  }
}
if (DATA.shortlist) replace("shortlist", drawSideBySide(DATA.shortlist));
(DATA.curves || []).forEach((curves, at) => {
  const fixed = document.querySelector(`[data-curves="${at}"]`);
  if (!fixed) return;
  fixed.before(makeCurves(DATA.marks, curves));
  fixed.classList.add("replaced");
});
document.documentElement.classList.add("works");
