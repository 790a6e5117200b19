// What is where: racks, devices, cables, kinds of devices and products of cables by parts of their names.

const MOST_FOUND = 40;

/** How well a name fits: 0 the same, 1 begins with it, 2 contains it; -1 not at all. */
function fits(name, wanted) {
  const text = name.toLowerCase();
  if (text === wanted) return 0;
  if (text.startsWith(wanted)) return 1;
  return text.includes(wanted) ? 2 : -1;
}

/** The matches of a text, the best first: { what, name, where, rack, device, cable, racks }. */
function matchesOf(room, text) {
  // "switch 27" and "switch:27" mean the device 27 as "27" does.
  const wanted = text.trim().toLowerCase().replace(/^(switch|host|rack|cable)[\s:]+(?=\S)/, ""), lists = [[], [], []];
  if (!wanted) return [];
  const add = (name, entry) => {
    const rank = fits(name, wanted);
    if (rank >= 0 && lists[rank].length < 4 * MOST_FOUND) lists[rank].push({ name, ...entry() });
  };
  const racksOf = (numbers) => [...new Set(numbers)].map((rack) => room.racks[rack]);
  const listed = (racks) => `${racks.slice(0, 6).join(", ")}${racks.length > 6 ? ` and ${racks.length - 6} more` : ""}`;
  room.racks.forEach((name, rack) => add(name, () => ({ what: "rack", where: `rack, ${counted(room.ofRack[rack].length, "device")}`, racks: [name] })));
  const { devices, cables } = room;
  room.products.forEach((name, product) => name && add(name, () => {
    const numbers = devices.product.flatMap((each, number) => (each === product ? [number] : [])), racks = racksOf(numbers.map((number) => devices.rack[number]));
    return { what: "kind", where: `${counted(numbers.length, "device")} in ${counted(racks.length, "rack")}: ${listed(racks)}`, racks };
  }));
  room.sold.forEach((name, product) => name && add(name, () => {
    const numbers = cables.product.flatMap((each, cable) => (each === product ? [cable] : []));
    const racks = racksOf(numbers.flatMap((cable) => [devices.rack[cables.a[cable]], devices.rack[cables.b[cable]]]));
    const metres = numbers.reduce((sum, cable) => sum + cables.length_m[cable], 0);
    return { what: "product", where: `${counted(numbers.length, "cable")}, ${written(metres, 0)} m, between ${counted(racks.length, "rack")}: ${listed(racks)}`, racks };
  }));
  devices.name.forEach((name, device) => add(name, () => ({ what: room.kinds[devices.kind[device]], where: `${placeOf(room, device)}${room.products[devices.product[device]] ? `, ${room.products[devices.product[device]]}` : ""}`, racks: [room.racks[devices.rack[device]]], device })));
  cables.number.forEach((name, cable) => name && add(name, () => {
    const a = cables.a[cable], b = cables.b[cable];
    return { what: "cable", where: `${devices.name[a]} port ${cables.a_port[cable]} (${placeOf(room, a)}) to ${devices.name[b]} port ${cables.b_port[cable]} (${placeOf(room, b)}), ${room.sold[cables.product[cable]]}`, racks: racksOf([devices.rack[a], devices.rack[b]]), device: a, cable: name };
  }));
  return lists.flat();
}

/** The search field with its matches. `show(match)` points at one. */
function Find({ room, text, changed, show }) {
  const matches = useMemo(() => (room ? matchesOf(room, text) : []), [room, text]), box = useRef(), early = useRef(false);
  // Enter that was pressed while the room was being read counts when it is there.
  useEffect(() => { if (room && early.current) { early.current = false; if (matches.length) show(matches[0]); } }, [room]);
  const keys = (event) => {
    if (event.key === "Enter" && matches.length) show(matches[0]);
    else if (event.key === "Enter" && !room) early.current = true;
    else if (event.key === "Escape") changed("");
    else if (event.key === "ArrowDown" && box.current) box.current.querySelector("button").focus();
    else return;
    event.preventDefault();
  };
  const along = (event) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key], all = box.current ? [...box.current.querySelectorAll("button")] : [];
    if (!by) return;
    event.preventDefault();
    (all[all.indexOf(document.activeElement) + by] || document.getElementById("find")).focus();
  };
  return html`<div class="find" role="search"><label>What is where <input type="search" id="find" value=${text} placeholder=${room ? "rack, switch, host, cable, product" : "is being read"} autocomplete="off" spellcheck="false" onInput=${(event) => changed(event.target.value)} onKeyDown=${keys} /></label>
    ${text.trim() && room ? html`<p class="quiet" role="status">${matches.length ? `${counted(matches.length, "match", "matches")}; Enter shows the first` : `Nothing in this room is called ${text.trim()}.`}</p>` : null}
    ${matches.length ? html`<ul ref=${box} id="matches" onKeyDown=${along}>${matches.slice(0, MOST_FOUND).map((match) => html`<li key=${`${match.what} ${match.name}`}><button type="button" class="link" onClick=${() => show(match)}>${match.name}</button> <small>${match.what === "rack" ? "" : `${match.what}, `}${match.where}</small></li>`)}</ul>` : null}
    ${matches.length > MOST_FOUND ? html`<p class="quiet">and ${written(matches.length - MOST_FOUND, 0)} more; write more of the name</p>` : null}</div>`;
}
