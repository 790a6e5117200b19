// Filters of the candidates: by limit, Pareto front, words of the name or spec, and family; the families are the legend of all plots.

function makeFilters(store) {
  const { data } = store;
  const dropped = new Map();
  for (const row of store.rows) if (row.dropped !== null) dropped.set(row.dropped, (dropped.get(row.dropped) || 0) + 1);
  const ranked = store.rows.filter((row) => row.rank !== null).length;
  const limits = [["in", `within every limit (${ranked})`]];
  if (dropped.size) {
    limits.push(["all", `all candidates (${store.rows.length})`], ["out", `dropped (${store.rows.length - ranked})`]);
    for (const [limit, count] of dropped) limits.push([limit, `dropped by: ${data.limits[limit] || limit} (${count})`]);
  }
  const search = make("input", {
    type: "search", id: "search", placeholder: "filter by name or spec", "aria-label": "show networks with these words",
    oninput: () => store.refilter({ text: search.value }),
  });
  const limit = makeSelect("show candidates", limits, store.filter.limit, (value) => store.refilter({ limit: value }));
  limit.id = "limit";
  const pareto = makeTick("Pareto front only", false, (ticked) => store.refilter({ pareto: ticked }));
  pareto.firstChild.id = "pareto";
  const reset = make("button", {
    type: "button", id: "reset",
    onclick: () => {
      search.value = "";
      pareto.firstChild.checked = false;
      limit.value = limits[0][0];
      store.refilter({ limit: limits[0][0], pareto: false, families: new Set(), text: "" });
    },
  }, "reset filters");
  const bar = make("div", { class: "tools" }, limit, search, pareto, reset);
  return make("div", { class: "filters", role: "search" }, bar, makeLegend(store));
}

/** One button per family, with its mark and the number of its candidates that pass the other filters. */
function makeLegend(store) {
  const { families, marks } = store.data;
  const buttons = new Map();
  const legend = make("div", { class: "legend", role: "group", "aria-label": "families" });
  for (const [family, look] of Object.entries(families)) {
    const count = make("small");
    const button = make("button", {
      type: "button", class: "chip", "data-family": family, "aria-pressed": "false",
      onclick: () => {
        const chosen = new Set(store.filter.families);
        if (!chosen.delete(family)) chosen.add(family);
        store.refilter({ families: chosen });
      },
    }, markIcon(marks, look), ` ${look[2] || family} `, count);
    buttons.set(family, { button, count });
    legend.append(button);
  }
  const renew = () => {
    const counts = new Map();
    for (const row of store.passing()) counts.set(row.family, (counts.get(row.family) || 0) + 1);
    const { families: chosen } = store.filter;
    for (const [family, { button, count }] of buttons) {
      count.textContent = counts.get(family) || 0;
      button.hidden = !counts.has(family) && !chosen.has(family);
      button.setAttribute("aria-pressed", String(chosen.has(family)));
      button.classList.toggle("faint", chosen.size > 0 && !chosen.has(family));
    }
  };
  store.on("rows", renew);
  renew();
  return legend;
}
