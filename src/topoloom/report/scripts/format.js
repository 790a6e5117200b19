// Numbers as text.

const NUMBERS = new Map();

/** A number with this many decimals and separated thousands; a dash where there is none. */
function written(value, decimals) {
  if (value === null || value === undefined) return "\u2013";
  if (typeof value !== "number") return String(value);
  if (decimals === null || decimals === undefined) return shortly(value);
  if (!NUMBERS.has(decimals))
    NUMBERS.set(decimals, new Intl.NumberFormat("en-US", { minimumFractionDigits: decimals, maximumFractionDigits: decimals }));
  return NUMBERS.get(decimals).format(value);
}

/** A number with six significant digits, or all digits before the point. */
function shortly(value) {
  if (Math.abs(value) >= 1e6) return written(value, 0);
  return new Intl.NumberFormat("en-US", { maximumSignificantDigits: 6 }).format(value);
}

/** The difference from another value in per cent; empty where there is none. */
function difference(value, other) {
  if (typeof value !== "number" || typeof other !== "number" || !other || value === other) return "";
  const share = 100 * (value / other - 1);
  return `${share < 0 ? "\u2212" : "+"}${Math.abs(share).toFixed(1)} %`;
}

/** A count with its unit in the singular or plural. */
function counted(count, one, many = `${one}s`) {
  return `${written(count, 0)} ${count === 1 ? one : many}`;
}
