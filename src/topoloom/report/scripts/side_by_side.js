// Designs side by side, from the structure of report/side_by_side.py: the best of a row is marked; differences from the first
// column are in per cent; intervals and methods are shown.

function drawSideBySide(designs) {
  const table = make("table", { class: "side-by-side" });
  const head = make("tr", {}, make("td", { class: "text" }));
  designs.columns.forEach((column, at) => {
    const spec = (designs.specs || [])[at];
    const small = spec ? [make("br"), make("small", { class: "mono" }, ...breakable(spec))] : [];
    head.append(make("th", { scope: "col", class: "text" }, ...[].concat(column), ...small));
  });
  table.append(make("thead", {}, head));
  for (const group of designs.groups) {
    const body = make("tbody", {});
    if (group.title) body.append(make("tr", { class: "group" }, make("th", { class: "text", colspan: designs.columns.length + 1 }, group.title)));
    for (const row of group.rows) body.append(lineOfDesigns(row));
    table.append(body);
  }
  return make("div", { class: "wide", tabindex: "0", role: "region", "aria-label": "designs side by side" }, table);
}

function lineOfDesigns(row) {
  const number = (one) => (one && typeof one.value === "number" ? one.value : null);
  const numbers = [...new Set(row.values.map(number).filter((value) => value !== null))];
  const best = numbers.length < 2 || !row.better ? null : row.better === "low" ? Math.min(...numbers) : Math.max(...numbers);
  const longest = Math.max(...numbers.map(Math.abs), 0);
  const label = make("th", { scope: "row", class: "text" }, row.label, ...(row.unit ? [make("small", {}, ` [${row.unit}]`)] : []));
  if (row.how) label.append(make("small", { class: "how" }, row.how));
  const line = make("tr", {}, label);
  row.values.forEach((one, at) => {
    const value = number(one);
    const good = value !== null && value === best;
    const cell = make("td", { class: good ? "text good" : "text" }, make("b", {}, one ? written(one.value, row.decimals) : "\u2013"));
    if (one && one.low !== undefined && one.low !== null && one.high !== undefined)
      cell.append(" ", make("small", {}, `${written(one.low, row.decimals)} to ${written(one.high, row.decimals)}`));
    const more = at ? difference(value, number(row.values[0])) : "";
    if (more) cell.append(" ", make("small", {}, more));
    if (value !== null && longest) {
      const share = `${(100 * Math.abs(value)) / longest}%`;
      cell.append(make("span", { class: "bar" }, make("span", { style: { width: share } })));
    }
    if (one && one.how) {
      cell.title = one.how;
      cell.classList.add("explained");
    }
    line.append(cell);
  });
  return line;
}
