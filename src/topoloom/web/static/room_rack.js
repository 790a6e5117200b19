// A rack from the front, unit by unit, and the ports of a device with their cables.

const UNIT_PX = 14;

/** The elevation record with what a view looks up: the devices of each rack, the cables of each device. */
function indexed(record) {
  const { devices, cables } = record, ofRack = record.racks.map(() => []), ofDevice = devices.name.map(() => []);
  devices.rack.forEach((rack, number) => ofRack[rack].push(number));
  for (let cable = 0; cable < cables.a.length; cable++) {
    ofDevice[cables.a[cable]].push(cable);
    if (cables.b[cable] !== cables.a[cable]) ofDevice[cables.b[cable]].push(cable);
  }
  return { ...record, ofRack, ofDevice, rackAt: new Map(record.racks.map((name, at) => [name, at])), deviceAt: new Map(devices.name.map((name, at) => [name, at])) };
}

const unitText = (unit) => (unit === null ? "" : `U${shortly(unit)}`);

/** The place of a device: its rack and its units. */
function placeOf(room, number) {
  const { rack, unit } = room.devices;
  return `${room.racks[rack[number]]}${unit[number] === null ? "" : ` ${unitText(unit[number])}`}`;
}

/** What a device is: its kind, height, power and ports in use. */
function wordsOf(room, number) {
  const { kind, product, units, watts } = room.devices, words = [room.kinds[kind[number]]];
  if (room.products[product[number]]) words.push(room.products[product[number]]);
  if (units[number]) words.push(`${shortly(units[number])} U`);
  words.push(watts[number] === null ? "power unknown" : `${written(watts[number], 0)} W`);
  if (room.ofDevice[number].length) words.push(counted(room.ofDevice[number].length, "port in use", "ports in use"));
  return words;
}

/** The front of a rack. `chosen`: the number of a device; `choose(number)`. */
function RackFront({ room, rack, chosen, choose }) {
  const box = useRef(), inside = room.ofRack[rack] || [];
  useEffect(() => { const at = box.current && box.current.querySelector("[aria-pressed=true]"); if (at) at.scrollIntoView({ block: "nearest" }); }, [rack, chosen]);
  const standing = inside.filter((number) => room.devices.unit[number] !== null).sort((a, b) => room.devices.unit[b] - room.devices.unit[a] || a - b);
  const aside = inside.filter((number) => room.devices.unit[number] === null);
  const units = Math.max(room.units, ...standing.map((number) => Math.ceil(room.devices.unit[number] - 1 + room.devices.units[number])));
  const move = (event) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key], all = [...box.current.querySelectorAll("button")];
    if (!by) return;
    event.preventDefault();
    const next = all[all.indexOf(document.activeElement) + by];
    if (next) next.focus();
  };
  const sides = (number) => {
    const { unit, units: height } = room.devices, columns = height[number] >= 1 || !height[number] ? 1 : Math.max(1, Math.round(1 / height[number]));
    const base = columns > 1 ? Math.floor(unit[number]) : unit[number], column = columns > 1 ? Math.round((unit[number] - base) / height[number]) : 0;
    const tall = columns > 1 ? 1 : height[number];
    return { top: `${(units - base + 1 - tall) * UNIT_PX}px`, height: `${tall * UNIT_PX - 1}px`, left: `${(100 * column) / columns}%`, width: `${100 / columns}%` };
  };
  const first = standing.includes(chosen) || aside.includes(chosen) ? chosen : standing[0] ?? aside[0];
  const device = (number, style) => html`<button type="button" key=${number} class="device ${room.kinds[room.devices.kind[number]]}" style=${style} tabindex=${number === first ? 0 : -1} aria-pressed=${number === chosen ? "true" : "false"}
    title=${[room.devices.name[number], unitText(room.devices.unit[number]), ...wordsOf(room, number)].filter(Boolean).join(", ")} onClick=${() => choose(number)}>${room.devices.name[number]}${style ? html` <small aria-hidden="true">${room.products[room.devices.product[number]]}</small>` : null}</button>`;
  if (!inside.length) return html`<p class="quiet">Nothing stands in this rack.</p>`;
  return html`<div class="front" ref=${box} role="group" aria-label=${`rack ${room.racks[rack]} from the front; arrow keys go from device to device`} onKeyDown=${move}>
    ${standing.length ? html`<div class="frame" style=${{ height: `${units * UNIT_PX}px` }}><ol aria-hidden="true" class="units">${Array.from({ length: units }, (_, at) => html`<li style=${{ height: `${UNIT_PX}px` }}>${units - at}</li>`)}</ol>
      <div class="inside">${standing.map((number) => device(number, sides(number)))}</div></div>` : null}
    ${aside.length ? html`<p class="quiet">${standing.length ? "In no unit:" : "The placement states no units:"}</p><div class="aside">${aside.slice(0, 400).map((number) => device(number, null))}</div>${aside.length > 400 ? html`<p class="quiet">and ${written(aside.length - 400, 0)} more; search finds them</p>` : null}` : null}</div>`;
}

const naturally = new Intl.Collator("en", { numeric: true }).compare;

/** Where the cables of a rack lead: one row per other rack. `choose` another rack. */
function RackCables({ room, rack, choose }) {
  const { devices, cables } = room, rows = new Map();
  for (const device of room.ofRack[rack])
    for (const cable of room.ofDevice[device]) {
      const to = devices.rack[cables.a[cable] === device ? cables.b[cable] : cables.a[cable]];
      if (to === rack) continue;
      const row = rows.get(to) || { to, count: 0, metres: 0, longest: 0, sold: new Set() }, length_m = cables.length_m[cable];
      rows.set(to, Object.assign(row, { count: row.count + 1, metres: row.metres + length_m, longest: Math.max(row.longest, length_m) }));
      if (room.sold[cables.product[cable]]) row.sold.add(room.sold[cables.product[cable]]);
    }
  if (!rows.size) return html`<p class="quiet">No cable leaves rack ${room.racks[rack]}.</p>`;
  const listed = [...rows.values()].sort((one, other) => other.count - one.count || one.to - other.to), all = (key) => listed.reduce((sum, row) => sum + row[key], 0);
  return html`<section id="rack-cables" aria-label=${`cables of rack ${room.racks[rack]}`}><h3>Cables of rack ${room.racks[rack]} <small>${counted(all("count"), "cable")} to ${counted(listed.length, "rack")}, ${written(all("metres"), 0)} m</small></h3>
    <div class="wide tall" tabindex="0" role="region" aria-label="cables to other racks"><table><thead><tr><th class="text" scope="col">to rack</th><th scope="col">cables</th><th scope="col">m in total</th><th scope="col">longest, m</th><th class="text" scope="col">products</th></tr></thead>
    <tbody>${listed.map(({ to, count, metres, longest, sold }) => html`<tr key=${to}><td class="text"><button type="button" class="link" onClick=${() => choose(room.racks[to])}>${room.racks[to]}</button></td><td>${written(count, 0)}</td><td>${written(metres, 0)}</td><td>${shortly(longest)}</td><td class="text">${[...sold].join(", ")}</td></tr>`)}</tbody></table></div></section>`;
}

/** The ports of a device with their cables. `find` chooses another device. */
function DevicePorts({ room, source, of, number, marked, find }) {
  const { devices, cables } = room, { network } = devices;
  const rows = room.ofDevice[number].map((cable) => (cables.a[cable] === number ? { cable, port: cables.a_port[cable], far: cables.b[cable], farPort: cables.b_port[cable] } : { cable, port: cables.b_port[cable], far: cables.a[cable], farPort: cables.a_port[cable] }));
  rows.sort((one, other) => naturally(one.port, other.port));
  const at = devices.number[number], place = of === "machine" && network[number] >= 0 ? `${source}/networks/${room.networks[network[number]]}` : source;
  return html`<section id="device" aria-label=${`device ${devices.name[number]}`}><h3>${devices.name[number]} <small>${placeOf(room, number)}</small></h3>
    <p>${wordsOf(room, number).join(", ")}${at >= 0 && VIEWS.structure ? html`; <a href=${href("/network", { source: place, view: "structure", selected: at })}>in the structure of the network</a>` : null}</p>
    ${rows.length ? html`<div class="wide tall" tabindex="0" role="region" aria-label="ports and cables"><table id="ports-table"><thead><tr>${["port", "cable", "to", "in rack", "its port", "m", "product"].map((title) => html`<th scope="col" class=${title === "m" ? null : "text"}>${title}</th>`)}</tr></thead>
      <tbody>${rows.map(({ cable, port, far, farPort }) => html`<tr key=${cable} class=${cables.number[cable] && cables.number[cable] === marked ? "best" : null}><td class="text">${port}</td><td class="text mono">${cables.number[cable] || "not listed"}</td><td class="text"><button type="button" class="link" onClick=${() => find(far)}>${devices.name[far]}</button></td><td class="text">${placeOf(room, far)}</td><td class="text">${farPort}</td><td>${shortly(cables.length_m[cable])}</td><td class="text">${room.sold[cables.product[cable]]}</td></tr>`)}</tbody></table></div>`
      : html`<p class="quiet">No cable of the lists is plugged into it.</p>`}</section>`;
}
