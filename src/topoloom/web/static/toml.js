// A requirement as TOML text, key by key: everything else in the text, comments too, stays as it is.
// A key names a value by its tables: "switch.product"; "host.1.count" is of the second [[host]]. A list of names is a key, too.

const pathOf = (key) => (Array.isArray(key) ? key.map(String) : key ? key.split(".") : []);
const isWithin = (path, table) => table.every((name, at) => path[at] === name);
const isPath = (path, other) => path.length === other.length && isWithin(path, other);

/** Tables deeper than this are not looked into: nobody writes them. */
const DEEPEST_TOML = 12;
let scannedToml = { text: null };

/**
 * Where the tables (`heads`) and the values (`entries`) of a text are; a text that is still typed is read as far as it makes sense.
 * An entry has its path, its value (undefined if it is no plain one), its place [from, to), and the place of its key, `start`.
 */
function scanToml(text) {
  if (scannedToml.text === text) return scannedToml;
  const heads = [{ path: [], start: 0 }], entries = [], counts = new Map();
  let at = 0;
  const take = (pattern) => { pattern.lastIndex = at; const match = pattern.exec(text); if (match) at = pattern.lastIndex; return match; };
  const blank = () => take(/(?:[\s]|#[^\n]*)*/y);
  const quoted = (source) => { try { return JSON.parse(source); } catch { return source.slice(1, -1); } };
  const names = () => {
    const all = [];
    for (let match; (match = take(/[ \t]*("(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[\w-]+)[ \t]*/y));) {
      all.push(match[1][0] === '"' ? quoted(match[1]) : match[1].replace(/^'|'$/g, ""));
      if (!take(/\./y)) break;
    }
    return all.length ? all : null;
  };
  /** The members of a list or an inline table: `one` reads each. */
  const members = (end, one) => {
    at += 1;
    for (blank(); at < text.length && text[at] !== end; blank()) {
      const before = at;
      if (one() === false) return;
      blank();
      if (text[at] === ",") at += 1;
      else if (at === before) return;
    }
    at += 1;
  };
  const value = (path) => {
    const opened = text[at];
    if (take(/"""[^]*?"""|'''[^]*?'''/y)) return undefined;
    let match = take(/"(?:[^"\\\n]|\\.)*"|'[^'\n]*'/y);
    if (match) return opened === '"' ? quoted(match[0]) : match[0].slice(1, -1);
    if (opened === "[" && path.length < DEEPEST_TOML) {
      const list = [];
      members("]", () => { list.push(value([...path, String(list.length)])); });
      return list;
    }
    if (opened === "{" && path.length < DEEPEST_TOML) {
      members("}", () => entry(path, true));
      return undefined;
    }
    match = take(/[^,\]}#\n]*/y);
    const plain = match[0].trim();
    at -= match[0].length - plain.length;
    if (plain === "true" || plain === "false") return plain === "true";
    const number = Number(plain.replaceAll("_", ""));
    return plain && Number.isFinite(number) ? number : undefined;
  };
  const entry = (table, inline) => {
    const start = at, key = names();
    if (!key || !take(/=[ \t]*/y)) return false;
    const path = [...table, ...key], from = at, found = { path, start, from, inline, dotted: key.length > 1 };
    entries.push(found);
    found.value = value(path);
    found.to = at;
    return true;
  };
  while (at < text.length) {
    blank();
    const start = at, head = take(/\[\[?/y);
    if (head) {
      const path = [];
      for (const name of names() || []) {
        path.push(name);
        if (counts.has(path.join("."))) path.push(String(counts.get(path.join(".")) - 1));
      }
      if (head[0] === "[[" && path.length) {
        if (counts.has(path.join("."))) path.push("0");
        const list = /^\d+$/.test(path.at(-1)) ? path.slice(0, -1) : path, count = counts.get(list.join(".")) || 0;
        counts.set(list.join("."), count + 1);
        path.splice(list.length, 1, String(count));
      }
      heads.push({ path, start });
    } else entry(heads.at(-1).path, false);
    take(/[^\n]*\n?/y);
  }
  return (scannedToml = { text, heads, entries });
}

const entryOf = (toml, key) => { const path = pathOf(key); return scanToml(toml).entries.find((one) => isPath(one.path, path)); };

/** The plain value of a key: a text, a number, a truth value or a list; undefined where the text has none. */
const tomlValue = (toml, key) => (entryOf(toml, key) || {}).value;

/** The plain values of a table, written in whatever form. */
function tomlTable(toml, key) {
  const path = pathOf(key), inside = scanToml(toml).entries.filter((one) => one.path.length === path.length + 1 && isWithin(one.path, path));
  return Object.fromEntries(inside.map((one) => [one.path.at(-1), one.value]));
}

/** How many tables [[name]] there are. */
const tomlCount = (toml, name) => scanToml(toml).heads.filter(({ path }) => path.length === 2 && path[0] === name && /^\d+$/.test(path[1])).length;

/** Where the comment block directly above a table begins; a comment at the top of the file is the file's. */
function tomlAbove(toml, start) {
  const above = /(?:^|\n)((?:[ \t]*#[^\n]*\n)+)$/.exec(toml.slice(0, start));
  return above && above.index + (above[0][0] === "\n") > 0 ? start - above[1].length : start;
}

/** The place [from, to) of the `at`-th table of a text, without the comments above the next one. */
function tomlSection(toml, at) {
  const { heads } = scanToml(toml), next = heads[at + 1];
  return [at ? tomlAbove(toml, heads[at].start) : 0, next ? tomlAbove(toml, next.start) : toml.length];
}

const spliced = (text, from, to, words) => text.slice(0, from) + words + text.slice(to);
const tomlName = (name) => (/^[\w-]+$/.test(name) ? name : JSON.stringify(name));

function tomlOf(value) {
  if (Array.isArray(value)) return `[${value.map(tomlOf).join(", ")}]`;
  if (value !== null && typeof value === "object") return `{ ${Object.entries(value).map(([name, one]) => `${tomlName(name)} = ${tomlOf(one)}`).join(", ")} }`;
  return typeof value === "string" ? JSON.stringify(value) : String(value);
}

/** Lines at the end of the `at`-th table, before its last empty lines. */
function withLines(toml, at, lines) {
  const [from, to] = tomlSection(toml, at), body = toml.slice(from, to).trimEnd();
  return `${toml.slice(0, from)}${body}${body ? "\n" : ""}${lines}\n${toml.slice(from + body.length, to).replace(/^\n/, "")}${toml.slice(to)}`;
}

/** TOML with one key set, or without it where the value is null. A comment behind the value stays. */
function withKey(toml, key, value) {
  const path = pathOf(key), { heads, entries } = scanToml(toml), entry = entryOf(toml, path);
  if (entry && value !== null) return spliced(toml, entry.from, entry.to, tomlOf(value));
  if (entry) return withoutEntry(toml, entry);
  if (value === null) return toml;
  const table = path.slice(0, -1), words = `${tomlName(path.at(-1))} = ${tomlOf(value)}`;
  const inline = entries.find((one) => isPath(one.path, table) && toml[one.from] === "{");
  if (inline) {
    const inner = toml.slice(inline.from + 1, inline.to - 1).trim().replace(/,$/, "");
    return spliced(toml, inline.from, inline.to, `{ ${inner}${inner ? ", " : ""}${words} }`);
  }
  const at = heads.findIndex((head) => isPath(head.path, table));
  if (at >= 0) return withLines(toml, at, words);
  const dotted = entries.findLast((one) => one.dotted && isPath(one.path.slice(0, -1), table));
  if (dotted) return spliced(toml, dotted.to, dotted.to, `\n${/^.*\./.exec(toml.slice(dotted.start, dotted.from))[0]}${words}`);
  // A table of a [[table]] is written in its lines: a head of its own would end them.
  if (/^\d+$/.test(table.at(-2))) return withKey(toml, table, { [path.at(-1)]: value });
  return `${toml.trimEnd()}\n\n[${table.map(tomlName).join(".")}]\n${words}\n`;
}

function withoutEntry(toml, entry) {
  if (!entry.inline) {
    const from = toml.lastIndexOf("\n", entry.start) + 1, end = toml.indexOf("\n", entry.to);
    return spliced(toml, from, end < 0 ? toml.length : end + 1, "");
  }
  const comma = /^\s*,\s*/.exec(toml.slice(entry.to)), before = /,\s*$/.exec(toml.slice(0, entry.start));
  return comma ? spliced(toml, entry.start, entry.to + comma[0].length, "") : spliced(toml, before ? before.index : entry.start, entry.to, "");
}

/** TOML without a table and the tables within it; "host.1" is the second [[host]], "host" all of them. */
function withoutTable(toml, key) {
  const path = pathOf(key), { heads, entries } = scanToml(toml);
  const sections = heads.flatMap((head, at) => (head.path.length && isWithin(head.path, path) ? [tomlSection(toml, at)] : []));
  if (sections.length) return sections.reduceRight((text, [from, to]) => spliced(text, from, to, ""), toml);
  return entries.filter((one) => isPath(one.path, path) || (one.dotted && isWithin(one.path, path))).reduceRight(withoutEntry, toml);
}

/** TOML with another [[name]], after those that are there. */
function withTable(toml, name, keys) {
  const { heads } = scanToml(toml), at = heads.findLastIndex(({ path }) => path[0] === name), lines = Object.entries(keys).map(([key, value]) => `${tomlName(key)} = ${tomlOf(value)}`).join("\n");
  const to = at < 0 ? toml.length : tomlSection(toml, at)[1], before = toml.slice(0, to).trimEnd(), after = toml.slice(to).trimStart();
  return `${before}${before ? "\n\n" : ""}[[${name}]]\n${lines}\n${after ? `\n${after}` : ""}`;
}

/** TOML with several keys set: { "switch.radix": 36 }. */
const withKeys = (toml, values) => Object.entries(values).reduce((text, [key, value]) => withKey(text, key, value), toml);

/** The keys of nested tables, with points. */
const flatKeys = (table, within = "") => Object.fromEntries(Object.entries(table).flatMap(([name, value]) => (value !== null && typeof value === "object" && !Array.isArray(value) ? Object.entries(flatKeys(value, `${within}${name}.`)) : [[`${within}${name}`, value]])));

/** The key at a line, counted from 1: "floor.file"; its table where the line has none. */
function keyAtLine(toml, number) {
  const { heads, entries } = scanToml(toml), start = toml.split("\n").slice(0, number - 1).reduce((sum, line) => sum + line.length + 1, 0), end = toml.indexOf("\n", start) < 0 ? toml.length : toml.indexOf("\n", start);
  const entry = entries.find((one) => !one.inline && one.start <= end && one.to >= start);
  return (entry || heads.findLast((head) => head.start <= end) || heads[0]).path.join(".");
}

/** Whether a text is a machine file, as the command line decides it. */
const isMachine = (toml) => /^[ \t]*\[\[[ \t]*(network|host)[ \t]*\]\]/m.test(toml);
