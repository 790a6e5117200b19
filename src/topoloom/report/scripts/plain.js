// A page of curves and tables: the curves to point at, the tables to sort.

const DATA = JSON.parse(document.getElementById("data").textContent);
(DATA.curves || []).forEach((curves, at) => {
  const still = document.querySelector(`[data-curves="${at}"]`);
  if (!still) return;
  still.before(makeCurves(DATA.marks, curves));
  still.classList.add("replaced");
});
for (const table of document.querySelectorAll("table")) makeSortable(table);
document.documentElement.classList.add("works");
