// The data of a drawing (the record "drawing"): its columns, its tree of blocks, and the bundles between what is visible.

const COLUMN_TYPES = { u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, f32: Float32Array };

/** The numbers of a column: base64 of little-endian values; with a step, pairs (first, count) of runs. */
function unpacked({ type, step, base64 }) {
  const text = atob(base64), bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i += 1) bytes[i] = text.charCodeAt(i);
  const raw = new COLUMN_TYPES[type](bytes.buffer);
  if (step === null || step === undefined) return raw;
  let count = 0;
  for (let i = 1; i < raw.length; i += 2) count += raw[i];
  const values = new Uint32Array(count);
  for (let i = 0, at = 0; i < raw.length; i += 2) for (let run = 0; run < raw[i + 1]; run += 1, at += 1) values[at] = raw[i] + step * run;
  return values;
}

/** Offsets of the parts of a list, by their sizes. */
function offsetsOf(sizes, count) {
  const offsets = new Uint32Array(count + 1);
  for (let i = 0; i < count; i += 1) offsets[i + 1] = offsets[i] + sizes[i];
  return offsets;
}

/** A drawing as typed arrays, with the questions that a viewer asks. A node is a block, or a switch after all blocks. */
function makeStructureModel(drawing) {
  const { blocks, switch: switches, host, link } = drawing, n = drawing.switches, m = drawing.links, count = blocks.name.length;
  const parent = unpacked(blocks.parent), left = unpacked(blocks.left), top = unpacked(blocks.top), width = unpacked(blocks.width), height = unpacked(blocks.height);
  const opens = unpacked(blocks.opens), side = unpacked(blocks.side), block = unpacked(switches.block), x = unpacked(switches.x), y = unpacked(switches.y), role = unpacked(switches.role);
  const at = unpacked(host.at), hostOf = unpacked(host.host), firstHost = offsetsOf(at, n);
  const higher = unpacked(link.to), lower = new Uint32Array(m), ups = unpacked(link.first);
  for (let s = 0, i = 0; s < n; s += 1) for (let k = 0; k < ups[s]; k += 1, i += 1) lower[i] = s;
  const children = Array.from({ length: count }, () => []), inner = new Uint32Array(count), hosts = new Uint32Array(count), members = Array.from({ length: count }, () => []);
  for (let b = 1; b < count; b += 1) children[parent[b]].push(b);
  for (let s = 0; s < n; s += 1) {
    members[block[s]].push(s);
    inner[block[s]] += 1;
    hosts[block[s]] += at[s];
  }
  for (let b = count - 1; b > 0; b -= 1) {
    inner[parent[b]] += inner[b];
    hosts[parent[b]] += hosts[b];
  }
  const isBlock = (node) => node < count;
  /** All switches of a block, with those of the blocks in it. */
  const switchesIn = (b) => [...members[b], ...children[b].flatMap(switchesIn)];
  const switchName = (s) => (switches.names ? switches.names[s] : `${switches.roles[role[s]]} ${s}`);
  const hostName = (h) => (host.names ? host.names[h] : `H${h}`);
  const nameOf = (node) => (isBlock(node) ? blocks.name[node] : switchName(node - count));
  const boxOf = (node) => {
    if (isBlock(node)) return [left[node], top[node], width[node], height[node]];
    const s = node - count, edge = side[block[s]];
    return [x[s] - edge / 2, y[s] - edge / 2, edge, edge];
  };
  const aboveOf = (node) => (isBlock(node) ? parent[node] : block[node - count]);
  const pathTo = (node) => {
    const path = [node];
    while (path[0] !== 0) path.unshift(aboveOf(path[0]));
    return path;
  };

  // Links at each switch in the order of its ports: to lower switches, then to higher ones.
  let adjacency = null;
  const linksAt = (s) => {
    if (!adjacency) {
      const degree = new Uint32Array(n);
      for (let i = 0; i < m; i += 1) { degree[lower[i]] += 1; degree[higher[i]] += 1; }
      const offsets = offsetsOf(degree, n), next = offsets.slice(), links = new Uint32Array(2 * m);
      for (let i = 0; i < m; i += 1) { links[next[higher[i]]] = i; next[higher[i]] += 1; }
      for (let i = 0; i < m; i += 1) { links[next[lower[i]]] = i; next[lower[i]] += 1; }
      adjacency = { offsets, links };
    }
    return adjacency.links.subarray(adjacency.offsets[s], adjacency.offsets[s + 1]);
  };
  /** The links between two switches. */
  const linksBetween = (a, b) => (a < n && b < n ? [...linksAt(a)].filter((i) => (lower[i] === a ? higher[i] : lower[i]) === b) : []);
  const nameColumns = link.port_name ? [unpacked(link.port_name), unpacked(link.to_port_name)] : null, hostPortNames = host.port_name ? unpacked(host.port_name) : null;
  const portColumn = link.port ? [unpacked(link.port), unpacked(link.to_port)] : null, hostPort = host.port ? unpacked(host.port) : null;
  const cableColumn = link.cable ? unpacked(link.cable) : null, load = link.load ? unpacked(link.load) : null;
  /** The ports of a switch: { port, host } or { port, link, peer, peerPort }, by their numbers. */
  const portsOf = (s) => {
    const ports = [];
    for (let e = firstHost[s]; e < firstHost[s + 1]; e += 1) ports.push({ port: hostPort ? hostPort[e] : e - firstHost[s] + 1, host: hostOf[e], name: hostPortNames ? switches.ports[hostPortNames[e]] : "" });
    linksAt(s).forEach((i, place) => ports.push({ port: portColumn ? portColumn[lower[i] === s ? 0 : 1][i] : at[s] + place + 1, link: i, peer: lower[i] === s ? higher[i] : lower[i], name: portName(s, i) }));
    return ports.sort((a, b) => a.port - b.port);
  };
  const portAt = (s, i) => (portColumn ? portColumn[lower[i] === s ? 0 : 1][i] : at[s] + linksAt(s).indexOf(i) + 1);
  /** The name of the port of a link at a switch; empty where ports have numbers only. */
  const portName = (s, i) => (nameColumns ? switches.ports[nameColumns[lower[i] === s ? 0 : 1][i]] : "");
  const portText = (s, i) => portName(s, i) || String(portAt(s, i));
  const cableOf = (i) => (cableColumn ? link.cables[cableColumn[i]] : null);
  /** What is known of a link, as lines of text. */
  const linkLines = (i) => {
    const cable = cableOf(i) || {}, [a, b] = [lower[i], higher[i]];
    return [`${switchName(a)} port ${portText(a, i)} \u2013 ${switchName(b)} port ${portText(b, i)}`,
      ...[cable.product, cable.length_m !== null && cable.length_m !== undefined ? `${shortly(cable.length_m)} m` : null, cable.rate_gbps ? `${shortly(cable.rate_gbps)} Gb/s` : null, load ? `load ${shortly(load[i])} paths` : null].filter(Boolean)];
  };
  const racks = switches.rack ? unpacked(switches.rack) : null;
  const rackOf = (s) => (racks ? switches.racks[racks[s]] : "");

  /** The outermost closed block around each switch, or the switch: for a list `opened` with 1 for each open block. */
  function visibleNodes(opened) {
    const shown = new Int32Array(count).fill(-1), node = new Uint32Array(n);
    for (let b = 0; b < count; b += 1) {
      const outer = b ? shown[parent[b]] : -1;
      shown[b] = outer >= 0 ? outer : opened[b] ? -1 : b;
    }
    for (let s = 0; s < n; s += 1) node[s] = shown[block[s]] >= 0 ? shown[block[s]] : count + s;
    return node;
  }

  /** Links counted between visible nodes: every link once, in a bundle or inside a node. */
  function bundled(opened) {
    const node = visibleNodes(opened), place = new Int32Array(count + n).fill(-1), nodes = [];
    for (let s = 0; s < n; s += 1) if (place[node[s]] < 0) { place[node[s]] = nodes.length; nodes.push(node[s]); }
    const v = nodes.length, inside = new Uint32Array(v), of = new Int32Array(m).fill(-1), of_switch = new Uint32Array(n);
    for (let s = 0; s < n; s += 1) of_switch[s] = place[node[s]];
    let capacity = 1024;
    while (capacity < 2 * Math.min(m, (v * (v - 1)) / 2 + 1)) capacity *= 2;
    const slot = new Int32Array(capacity).fill(-1), first = [], second = [], sizes = [];
    for (let i = 0; i < m; i += 1) {
      const one = of_switch[lower[i]], other = of_switch[higher[i]];
      if (one === other) { inside[one] += 1; continue; }
      const a = one < other ? one : other, b = one < other ? other : one;
      let hash = (Math.imul(a, 0x9e3779b1) ^ Math.imul(b, 0x85ebca6b)) >>> 0;
      hash = (hash ^ (hash >>> 15)) & (capacity - 1);
      while (slot[hash] >= 0 && (first[slot[hash]] !== a || second[slot[hash]] !== b)) hash = (hash + 1) & (capacity - 1);
      if (slot[hash] < 0) { slot[hash] = sizes.length; first.push(a); second.push(b); sizes.push(0); }
      sizes[slot[hash]] += 1;
      of[i] = slot[hash];
    }
    const order = sizes.map((_, i) => i).sort((a, b) => sizes[a] - sizes[b]);
    return { nodes, shown: node, inside, place, of, first: first.map((i) => nodes[i]), second: second.map((i) => nodes[i]), sizes, order };
  }

  /** Nodes whose name, or the name of whose host, contains a text: the exact ones first. */
  function search(text, most = 8) {
    const wanted = text.trim().toLowerCase(), hits = [];
    if (!wanted) return hits;
    const look = (name, node, what, more = {}) => {
      const lowered = name.toLowerCase(), from = lowered.indexOf(wanted);
      if (from >= 0) hits.push({ name, node, what, rank: lowered === wanted ? 0 : from === 0 ? 1 : 2, ...more });
    };
    for (let b = 1; b < count; b += 1) look(blocks.name[b], b, blocks.kind[b]);
    for (let s = 0; s < n; s += 1) { look(switchName(s), count + s, "switch"); if (!switches.names) look(`S${s}`, count + s, "switch"); }
    for (let s = 0; s < n; s += 1) for (let e = firstHost[s]; e < firstHost[s + 1]; e += 1) look(hostName(hostOf[e]), count + s, `host at ${switchName(s)}`, { host: hostOf[e] });
    return hits.sort((a, b) => a.rank - b.rank || a.name.length - b.name.length).slice(0, most);
  }

  return { drawing, count, n, m, parent, children, members, opens, side, block, x, y, role, roles: switches.roles, kinds: blocks.kind, inner, hosts, at, lower, higher, load, isBlock, nameOf, switchName, hostName, boxOf, aboveOf, pathTo, switchesIn, linksAt, linksBetween, portsOf, portAt, cableOf, linkLines, rackOf, bundled, search };
}
