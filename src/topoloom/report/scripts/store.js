// The state of the page: what is shown, sorted, pointed at and selected. Every view reads it here, and is notified of changes.

const MOST_SELECTED = 4;

/** The rows of the data as objects; `id` is a row's number. */
function rowsOf(data) {
  return data.rows.map((cells, id) => {
    const row = { id };
    data.fields.forEach((field, at) => (row[field] = cells[at]));
    return row;
  });
}

/** `addressOf` gives the page of a row's network; null: it has none. */
function makeStore(data, addressOf = () => null) {
  const rows = rowsOf(data);
  const listeners = { rows: [], hover: [], selected: [], columns: [] };
  const store = {
    data,
    addressOf,
    rows,
    columns: new Map(data.columns.map((column) => [column.key, column])),
    filter: { limit: rows.some((row) => row.rank !== null) ? "in" : "all", pareto: false, families: new Set(), text: "" },
    sort: { key: "rank", down: false },
    chosen: new Set(data.columns.filter((column) => column.shown).map((column) => column.key)),
    hover: null,
    selected: [],
    /** `what` is one of rows, hover, selected or columns. */
    on: (what, listener) => listeners[what].push(listener),
    notify: (what) => listeners[what].forEach((listener) => listener()),
  };

  /** Rows that pass all filters but that of the families. */
  store.passing = () => {
    const { limit, pareto, text } = store.filter;
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    return rows.filter(
      (row) =>
        (limit === "all" || (limit === "in" ? row.rank !== null : limit === "out" ? row.rank === null : row.dropped === limit)) &&
        (!pareto || row.pareto) &&
        words.every((word) => `${row.name} ${row.spec}`.toLowerCase().includes(word)),
    );
  };

  store.shown = () => {
    const { families } = store.filter;
    const passing = store.passing().filter((row) => !families.size || families.has(row.family));
    const { key, down } = store.sort;
    const sign = down ? -1 : 1;
    const compare = (a, b) => {
      const [left, right] = [a[key], b[key]];
      if (left === right) return a.id - b.id;
      if (left === null || left === undefined) return 1;
      if (right === null || right === undefined) return -1;
      return sign * (typeof left === "string" ? left.localeCompare(right) : left - right);
    };
    return passing.sort(compare);
  };

  store.point = (id) => {
    if (store.hover === id) return;
    store.hover = id;
    store.notify("hover");
  };

  store.toggle = (id) => {
    const wasSelected = store.selected.includes(id);
    if (!wasSelected && store.selected.length === MOST_SELECTED) {
      announce(`${MOST_SELECTED} designs are selected already; the first is removed`);
      store.selected = store.selected.slice(1);
    }
    store.selected = wasSelected ? store.selected.filter((one) => one !== id) : [...store.selected, id];
    announce(`${rows[id].name}, ${rows[id].spec}, ${wasSelected ? "is no longer" : "is"} selected; ${store.selected.length} in all`);
    store.notify("selected");
  };

  store.clear = () => {
    store.selected = [];
    store.notify("selected");
  };

  store.refilter = (change) => {
    Object.assign(store.filter, change);
    store.notify("rows");
  };

  store.sortBy = (key) => {
    const { better } = store.columns.get(key) || {};
    store.sort = store.sort.key === key ? { key, down: !store.sort.down } : { key, down: better === "high" || key === "pareto" };
    store.notify("rows");
  };

  return store;
}

/** A column's label with its unit. */
function titled(column) {
  return column.unit ? `${column.label} [${column.unit}]` : column.label;
}

/** A row as a few lines, for tooltips. */
function inLines(store, row, keys) {
  const lines = [`${row.name} (${row.spec})`, row.rank === null ? `dropped: ${store.data.limits[row.dropped] || row.dropped}` : `rank ${row.rank}${row.pareto ? ", Pareto front" : ""}`];
  if (row.reason) lines.push(row.reason);
  for (const key of keys) {
    const column = store.columns.get(key);
    if (row[key] !== null) lines.push(`${column.label} ${written(row[key], column.decimals)} ${column.unit}`);
  }
  return lines;
}
