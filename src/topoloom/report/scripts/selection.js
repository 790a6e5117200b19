// The selected candidates: a strip that stays visible, and, for two or more, a table side by side.

function makeSelection(store) {
  const { data } = store;
  // The strip sticks to the window's lower edge, so that nothing moves under the pointer at the first selection.
  const strip = make("div", { class: "strip", id: "strip", hidden: true }), table = make("div", { id: "selection", class: "selection", hidden: true });
  const compare = () => table.scrollIntoView({ block: "center" });

  const structure = (rows) => ({
    columns: rows.map((row, at) => [make("b", { class: "turn" }, String(at + 1)), " ", markIcon(data.marks, data.families[row.family]), " ", make("span", {}, ...named(row))]),
    groups: [
      {
        title: "",
        rows: [
          { label: "rank", values: rows.map((row) => ({ value: row.rank === null ? "dropped" : String(row.rank) })) },
          ...(rows.some((row) => row.dropped !== null)
            ? [{ label: "why dropped", values: rows.map((row) => (row.dropped === null ? null : { value: [data.limits[row.dropped] || row.dropped, row.reason].filter(Boolean).join(": ") })) }]
            : []),
          { label: "Pareto front", values: rows.map((row) => ({ value: row.pareto ? "yes" : "no" })) },
          ...data.columns
            .filter((column) => rows.some((row) => row[column.key] !== null))
            .map((column) => ({ ...column, values: rows.map((row) => (row[column.key] === null ? null : { value: row[column.key] })) })),
        ],
      },
    ],
  });

  const renew = () => {
    const rows = store.selected.map((id) => store.rows[id]);
    strip.hidden = !rows.length;
    table.hidden = rows.length < 2;
    strip.replaceChildren(
      make("b", {}, `selected, ${rows.length} of ${MOST_SELECTED}:`),
      ...rows.map((row, at) => {
        const away = make("button", { type: "button", class: "chip on", "aria-label": `no longer select ${row.spec}`, onclick: () => store.toggle(row.id) },
          make("b", { class: "turn" }, String(at + 1)), " ", markIcon(data.marks, data.families[row.family]), " ", make("span", {}, ...named(row)), " \u00d7");
        away.addEventListener("pointerenter", () => store.point(row.id));
        away.addEventListener("pointerleave", () => store.point(null));
        return away;
      }),
      rows.length > 1 ? make("button", { type: "button", id: "compare", onclick: compare }, "compare") : make("span", { class: "quiet" }, "select another to compare them"),
      make("button", { type: "button", id: "clear", onclick: store.clear }, "select none"),
    );
    table.replaceChildren(...(rows.length < 2 ? [] : [make("h3", {}, "Side by side"), drawSideBySide(structure(rows))]));
  };
  store.on("selected", renew);
  return [strip, table];
}
