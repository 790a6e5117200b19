// The selected candidates: a line of them that stays in sight, and side by side from two on.

function makeSelection(store) {
  const { data } = store;
  const strip = make("div", { class: "strip" }), table = make("div");
  const box = make("div", { id: "selection", class: "selection", hidden: true }, strip, table);

  const structure = (rows) => ({
    columns: rows.map((row, at) => [make("b", { class: "turn" }, String(at + 1)), " ", markIcon(data.marks, data.families[row.family]), " ", make("span", { class: "mono" }, row.spec)]),
    groups: [
      {
        title: "",
        rows: [
          { label: "rank", values: rows.map((row) => ({ value: row.rank === null ? "dropped" : row.rank })), better: "", decimals: 0 },
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
    box.hidden = !rows.length;
    strip.replaceChildren(
      make("b", {}, `selected, ${rows.length} of at most ${MOST_SELECTED}:`),
      ...rows.map((row, at) => {
        const away = make("button", { type: "button", class: "chip on", "aria-label": `no longer select ${row.spec}`, onclick: () => store.toggle(row.id) },
          make("b", { class: "turn" }, String(at + 1)), " ", markIcon(data.marks, data.families[row.family]), " ", row.spec, " \u00d7");
        away.addEventListener("pointerenter", () => store.point(row.id));
        away.addEventListener("pointerleave", () => store.point(null));
        return away;
      }),
      make("button", { type: "button", id: "clear", onclick: store.clear }, "none"),
    );
    if (rows.length < 2) table.replaceChildren(make("p", { class: "quiet" }, rows.length ? "Select another, in a plot or in the table, to see them side by side." : ""));
    else table.replaceChildren(drawSideBySide(structure(rows)));
  };
  store.on("selected", renew);
  return box;
}
