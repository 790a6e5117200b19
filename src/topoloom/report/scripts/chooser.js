// The choice of the table's columns.

function makeChooser(store) {
  const list = make("div", { class: "choices" });
  for (const column of store.data.columns) {
    const tick = makeTick(titled(column), store.chosen.has(column.key), (ticked) => {
      if (ticked) store.chosen.add(column.key);
      else store.chosen.delete(column.key);
      store.notify("columns");
    });
    tick.firstChild.setAttribute("data-column", column.key);
    list.append(tick);
  }
  return make("details", { class: "chooser", id: "chooser" }, make("summary", {}, "columns"), list);
}
