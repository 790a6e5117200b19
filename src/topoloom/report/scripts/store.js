// What is shown, sorted, pointed at and selected: every view reads it here, and is told when it changes.

const MOST_SELECTED = 4;

/** The rows of the data as objects; `id` is a row's number. */
function rowsOf(data) {
  return data.rows.map((cells, id) => {
    const row = { id };
    data.fields.forEach((field, at) => (row[field] = cells[at]));
    return row;
  });
}

function makeStore(data) {
  const rows = rowsOf(data);
  const told = { rows: [], hover: [], selected: [], columns: [] };
  const store = {
    data,
    rows,
    columns: new Map(data.columns.map((column) => [column.key, column])),
    filter: { limit: rows.some((row) => row.rank !== null) ? "in" : "all", pareto: false, families: new Set(), text: "" },
    sort: { key: "rank", down: false },
    chosen: new Set(data.columns.filter((column) => column.shown).map((column) => column.key)),
    hover: null,
    selected: [],
    /** `what` is rows, hover, selected or columns. */
    on: (what, listener) => told[what].push(listener),
    tell: (what) => told[what].forEach((listener) => listener()),
  };

  /** Rows that pass all filters but that of the families. */
  store.passing = () => {
    const { limit, pareto, text } = store.filter;
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    return rows.filter(
      (row) =>
        (limit === "all" || (limit === "in" ? row.rank !== null : limit === "out" ? row.rank === null : row.dropped === limit)) &&
        (!pareto || row.pareto) &&
        words.every((word) => row.spec.toLowerCase().includes(word)),
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
    store.tell("hover");
  };

  store.toggle = (id) => {
    const there = store.selected.includes(id);
    if (!there && store.selected.length === MOST_SELECTED) {
      announce(`${MOST_SELECTED} designs are selected already; the first of them goes`);
      store.selected = store.selected.slice(1);
    }
    store.selected = there ? store.selected.filter((one) => one !== id) : [...store.selected, id];
    announce(`${rows[id].spec} ${there ? "is no longer" : "is"} selected; ${store.selected.length} in all`);
    store.tell("selected");
  };

  store.clear = () => {
    store.selected = [];
    store.tell("selected");
  };

  store.refilter = (change) => {
    Object.assign(store.filter, change);
    store.tell("rows");
  };

  store.sortBy = (key) => {
    const { better } = store.columns.get(key) || {};
    store.sort = store.sort.key === key ? { key, down: !store.sort.down } : { key, down: better === "high" || key === "pareto" };
    store.tell("rows");
  };

  return store;
}

/** A column's label with its unit. */
function titled(column) {
  return column.unit ? `${column.label} [${column.unit}]` : column.label;
}

/** A row in a few lines, for hints. */
function inLines(store, row, keys) {
  const lines = [row.spec, row.rank === null ? `dropped: ${store.data.limits[row.dropped] || row.dropped}` : `rank ${row.rank}${row.pareto ? ", Pareto front" : ""}`];
  if (row.reason) lines.push(row.reason);
  for (const key of keys) {
    const column = store.columns.get(key);
    if (row[key] !== null) lines.push(`${column.label} ${written(row[key], column.decimals)} ${column.unit}`);
  }
  return lines;
}
