// Static tables: a click on a column's name sorts them.

/** The number at the start of a cell, or its text. */
function valueOf(cell) {
  const text = cell ? cell.textContent.trim() : "";
  const number = parseFloat(text.replace(/,/g, "").replace("\u2212", "-"));
  return Number.isNaN(number) ? text : number;
}

function makeSortable(table) {
  const heads = [...table.querySelectorAll("thead th")];
  const body = table.tBodies[0];
  if (!body || table.tBodies.length > 1 || body.rows.length < 3) return;
  heads.forEach((head, at) => {
    if (!head.textContent.trim()) return;
    const button = make("button", { type: "button", class: "sort" }, head.textContent.trim(), make("i", { "aria-hidden": "true" }));
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      for (const other of heads) {
        other.setAttribute("aria-sort", "none");
        const arrow = other.querySelector("i");
        if (arrow) arrow.textContent = "";
      }
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      button.querySelector("i").textContent = down ? "\u25bc" : "\u25b2";
      const rows = [...body.rows].map((row) => [valueOf(row.cells[at]), row]);
      rows.sort(([a], [b]) => (down ? -1 : 1) * (typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), "en", { numeric: true })));
      body.append(...rows.map(([, row]) => row));
    });
    head.setAttribute("aria-sort", "none");
    head.replaceChildren(button);
  });
}
