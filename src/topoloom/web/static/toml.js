// A requirement as TOML text, key by key: everything else in the text, comments too, stays as it is.

const TABLE_HEAD = /^\s*\[\[?\s*([^\]]+?)\s*\]/;
/** A plain value and the comment after it. */
const PLAIN = /^(\s*"?[\w-]+"?\s*=\s*)("(?:[^"\\]|\\.)*"|'[^']*'|[^#"'[{]*?)(\s*(?:#.*)?)$/;

/** The lines [from, to) of a table, without its head; null where there is none. The table "" is the keys above all others. */
function linesOfTable(lines, table) {
  const from = table ? lines.findIndex((line) => (TABLE_HEAD.exec(line) || [])[1] === table) + 1 : 0;
  if (table && !from) return null;
  let to = from;
  while (to < lines.length && !TABLE_HEAD.test(lines[to])) to += 1;
  return [from, to];
}

function lineOfKey(lines, key) {
  const parts = key.split("."), name = parts.pop(), range = linesOfTable(lines, parts.join("."));
  if (!range) return -1;
  const begins = new RegExp(`^\\s*"?${name}"?\\s*=`);
  return lines.findIndex((line, at) => at >= range[0] && at < range[1] && begins.test(line));
}

/** The plain value of a key: a text, a number or a truth value; undefined where the text has none. */
function tomlValue(toml, key) {
  const lines = toml.split("\n"), at = lineOfKey(lines, key), match = at < 0 ? null : PLAIN.exec(lines[at]);
  if (!match) return undefined;
  const text = match[2].trim();
  if (text.startsWith("'")) return text.slice(1, -1);
  if (text.startsWith('"')) { try { return JSON.parse(text); } catch { return text.slice(1, -1); } }
  if (text === "true" || text === "false") return text === "true";
  const number = Number(text.replaceAll("_", ""));
  return text && Number.isFinite(number) ? number : undefined;
}

const tomlOf = (value) => (typeof value === "string" ? JSON.stringify(value) : String(value));

/** TOML with one key set, or without it where the value is null. A comment behind the value stays. */
function withKey(toml, key, value) {
  const parts = key.split("."), name = parts.pop(), table = parts.join("."), lines = toml.split("\n"), at = lineOfKey(lines, key);
  if (at >= 0) {
    if (value === null) lines.splice(at, 1);
    else {
      const match = PLAIN.exec(lines[at]);
      lines[at] = match ? `${match[1]}${tomlOf(value)}${match[3]}` : `${name} = ${tomlOf(value)}`;
    }
    return lines.join("\n");
  }
  if (value === null) return toml;
  const range = linesOfTable(lines, table), line = `${name} = ${tomlOf(value)}`;
  if (!range) return `${toml.trimEnd()}\n\n[${table}]\n${line}\n`;
  let to = range[1];
  while (to > range[0] && !lines[to - 1].trim()) to -= 1;
  lines.splice(to, 0, line);
  return lines.join("\n");
}

/** TOML without a table. */
function withoutTable(toml, table) {
  const lines = toml.split("\n"), range = linesOfTable(lines, table);
  if (!range) return toml;
  lines.splice(range[0] - 1, range[1] - range[0] + 1);
  return lines.join("\n");
}

/** TOML with several keys set: { "switch.radix": 36 }. */
const withKeys = (toml, values) => Object.entries(values).reduce((text, [key, value]) => withKey(text, key, value), toml);

/** The keys of nested tables, with points. */
const flatKeys = (table, within = "") => Object.fromEntries(Object.entries(table).flatMap(([name, value]) => (value !== null && typeof value === "object" && !Array.isArray(value) ? Object.entries(flatKeys(value, `${within}${name}.`)) : [[`${within}${name}`, value]])));

/** The key at a line, counted from 1: "floor.file"; "" where there is none. */
function keyAtLine(toml, number) {
  const lines = toml.split("\n").slice(0, number);
  const head = lines.map((line) => (TABLE_HEAD.exec(line) || [])[1]).filter(Boolean).pop() || "", name = (/^\s*"?([\w-]+)"?\s*=/.exec(lines[number - 1] || "") || [])[1];
  return [head, name].filter(Boolean).join(".");
}

/** Whether a text is a machine file, as the command line decides it. */
const isMachine = (toml) => /^[ \t]*\[\[[ \t]*(network|host)[ \t]*\]\]/m.test(toml);
