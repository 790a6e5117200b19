// The table of candidates: sorted by a click on a column's name, rows can be pointed at and selected, as in every view.

const FIRST_ROWS = 40;

function makeTable(store) {
  const { data } = store;
  const head = make("tr"), body = make("tbody");
  const table = make("table", { id: "candidates-table", class: "candidates" }, make("thead", {}, head), body);
  const count = make("span", { class: "quiet", id: "count" });
  let most = FIRST_ROWS;
  const more = make("button", { type: "button", id: "more", onclick: () => { most = Infinity; renew(); } }, "show all rows");
  const lines = new Map();
  const empty = make("p", { class: "quiet", hidden: true }, "No candidate passes these filters.");

  const columns = () => [
    { key: "rank", label: "rank" },
    { key: "name", label: "network", kind: "spec" },
    ...(store.filter.limit === "in" ? [] : [{ key: "dropped", label: "dropped by", kind: "text" }, { key: "reason", label: "why", kind: "text" }]),
    ...data.columns.filter((column) => store.chosen.has(column.key)),
    ...(store.filter.limit === "out" ? [] : [{ key: "map", label: "placement", kind: "text" }]),
  ];

  const renewHead = () => {
    const focused = document.activeElement && document.activeElement.getAttribute("data-sort");
    head.replaceChildren(make("th", { scope: "col" }, make("span", { class: "unseen" }, "selected")));
    for (const column of columns()) {
      const { key, down } = store.sort;
      const sorted = key === column.key;
      const button = make("button", { type: "button", class: "sort", "data-sort": column.key, onclick: () => store.sortBy(column.key) },
        column.label, ...(column.unit ? [make("small", {}, ` [${column.unit}]`)] : []), make("i", { "aria-hidden": "true" }, sorted ? (down ? "\u25bc" : "\u25b2") : ""));
      head.append(make("th", { scope: "col", class: column.kind ? "text" : null, "aria-sort": sorted ? (down ? "descending" : "ascending") : "none" }, button));
      if (focused === column.key) button.focus();
    }
  };

  const cellOf = (row, column) => {
    if (column.key === "rank") return make("td", {}, row.pareto ? make("b", { class: "front", title: "Pareto front" }, "\u25cf ") : "", written(row.rank, 0));
    if (column.key === "name") return make("td", { class: "spec" }, make("div", {}, markIcon(data.marks, data.families[row.family]), make("span", {}, ...named(row, store.addressOf(row)))));
    if (column.key === "dropped") return make("td", { class: "text" }, row.dropped === null ? "" : data.limits[row.dropped] || row.dropped);
    if (column.kind === "text") return make("td", { class: "text" }, row[column.key] || "");
    return make("td", {}, written(row[column.key], column.decimals));
  };

  const lineOf = (row) => {
    const tick = make("input", { type: "checkbox", "aria-label": `select ${row.spec}`, checked: store.selected.includes(row.id) });
    tick.addEventListener("change", () => store.toggle(row.id));
    const line = make("tr", { "data-row": row.id, class: store.selected.includes(row.id) ? "selected" : null }, make("td", {}, tick), ...columns().map((column) => cellOf(row, column)));
    line.addEventListener("pointerenter", () => store.point(row.id));
    line.addEventListener("pointerleave", () => store.point(null));
    line.addEventListener("focusin", () => store.point(row.id));
    line.addEventListener("click", (event) => {
      if (event.target !== tick && !event.target.closest("a") && !getSelection().toString()) store.toggle(row.id);
    });
    return line;
  };

  const renew = () => {
    renewHead();
    const rows = store.shown();
    const visible = rows.slice(0, most);
    lines.clear();
    body.replaceChildren(...visible.map((row) => {
      const line = lineOf(row);
      lines.set(row.id, line);
      return line;
    }));
    count.textContent = `${counted(visible.length, "row")} of ${written(rows.length, 0)}`;
    empty.hidden = rows.length > 0;
    more.hidden = visible.length === rows.length;
    markHover();
  };

  let pointed = null;
  const markHover = () => {
    if (pointed) pointed.classList.remove("pointed");
    pointed = lines.get(store.hover) || null;
    if (pointed) pointed.classList.add("pointed");
  };
  const markSelected = () => {
    for (const [id, line] of lines) {
      const isSelected = store.selected.includes(id);
      line.classList.toggle("selected", isSelected);
      line.querySelector("input").checked = isSelected;
    }
  };
  store.on("rows", renew);
  store.on("columns", renew);
  store.on("hover", markHover);
  store.on("selected", markSelected);
  renew();
  const tools = make("div", { class: "tools" }, count, more, makeChooser(store));
  return make("div", {}, tools, make("div", { class: "wide tall", tabindex: "0", role: "region", "aria-label": "table of candidates" }, table), empty);
}
