// A page of curves and tables: makes the curves interactive and the tables sortable.

const DATA = JSON.parse(document.getElementById("data").textContent);
(DATA.curves || []).forEach((curves, at) => {
  const fixed = document.querySelector(`[data-curves="${at}"]`);
  if (!fixed) return;
  fixed.before(makeCurves(DATA.marks, curves));
  fixed.classList.add("replaced");
});
for (const table of document.querySelectorAll("table")) makeSortable(table);
document.documentElement.classList.add("works");
