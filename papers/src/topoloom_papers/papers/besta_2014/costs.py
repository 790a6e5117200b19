"""Claims of Besta 2014, VI: racks, the cost and power models, and what Slim Fly saves against other networks (Figure 11)."""

import numpy as np

from topoloom.cost.bill import price
from topoloom.cost.parts_files import load_parts
from topoloom.cost.table_iv import column, in_one_rack
from topoloom.placement.floors.floor import preset
from topoloom.placement.layout.place import place
from topoloom.topologies.spec import build
from topoloom_papers.curves import Curves, Series
from topoloom_papers.long_runs import long_run
from topoloom_papers.papers.besta_2014.table_iv import exact_of
from topoloom_papers.registry import claim
from topoloom_papers.verdicts import Outcome, Step, judge, listed, stated

_RATE_GBPS = 40.0
_PARTS = "slimfly-2014"


@claim(
    "besta-2014/vi-a/racks",
    "q = 19: 19 racks of 38 routers and 570 endpoints, 38 channels between any two racks",
    "19, 38, 570, 38",
    "topoloom layout slimfly:q=19,hosts=15",
)
def _racks() -> Outcome:
    layout = place(build("slimfly:q=19,hosts=15"), preset(_PARTS), map="rows")
    racks, routers = np.unique(layout.rack, return_counts=True)
    hosts = np.bincount(layout.rack, weights=layout.topology.endpoints_at)[racks]
    across = np.sort(layout.rack[layout.topology.links[layout.between]], axis=1)
    _, channels = np.unique(across, axis=0, return_counts=True)
    ours = {
        "racks": float(racks.size),
        "routers": float(routers.max()),
        "endpoints": float(hosts.max()),
        "channels": float(channels.max()),
        "least channels": float(channels.min()),
        "pairs": float(channels.size),
    }
    return judge(
        {"racks": 19, "routers": 38, "endpoints": 570, "channels": 38, "least channels": 38, "pairs": 19 * 18 / 2},
        ours,
        assumption="every pair of racks is linked, 171 of them, as II.B.1 has it; all racks are alike",
    )


@claim(
    "besta-2014/vi-a/other-racks",
    "q = 19: another layout has 39 racks with 19 routers and 285 endpoints each",
    "39, 19, 285",
    "topoloom info slimfly:q=19,hosts=15",
)
def _other_racks() -> Outcome:
    topology = build("slimfly:q=19,hosts=15")
    return judge(
        {"racks": 39, "routers": 19, "endpoints": 285},
        {"racks": topology.switches / 19, "routers": 19, "endpoints": 15 * 19},
        right={"racks": 38},
        reason="2q = 38 subgroups of q routers",
    )


@claim(
    "besta-2014/vi-a/fewer-cables",
    "a rack of Slim Fly has about 50 % fewer cables inside than a group of a Dragonfly with as many routers",
    "50 %",
    "topoloom layout slimfly:q=19,hosts=15",
)
def _fewer_cables() -> Outcome:
    layout = place(build("slimfly:q=19,hosts=15"), preset(_PARTS), map="rows")
    inside = int((~layout.between).sum()) / 19
    return judge(
        {"%": "50"},
        {"%": 100 * (1 - inside / (38 * 37 / 2)), "cables in a rack": inside},
        right={"%": "70"},
        digits=4,
        reason="each router has 11 of 37 others; of the 18 others of its own subgroup it has 10, which are 44 % fewer",
    )


@claim(
    "besta-2014/vi-a/fewer-routers",
    "a balanced Slim Fly has about 25 % fewer routers and racks than a balanced Dragonfly of the same size",
    "25 %",
    "topoloom info slimfly:q=19,hosts=15; topoloom info dragonfly:h=7",
)
def _fewer_routers() -> Outcome:
    fly = build("slimfly:q=19,hosts=15").switches
    balanced, radix = build("dragonfly:h=7").switches, build("dragonfly:a=22,h=2,p=11,g=45").switches
    fewer = {
        "balanced, a = 2p = 2h, k = 27, 9,702 hosts": 100 * (1 - fly / balanced),
        "k = 43 as Slim Fly, which is not balanced, 10,890 hosts": 100 * (1 - fly / radix),
        "as many hosts per switch as 25 % and 33 % of the same k": 100 * (1 - 0.25 / 0.33),
    }
    nearest = min(fewer, key=lambda name: abs(fewer[name] - 25))
    told = f"% fewer routers than a Dragonfly that is {listed(fewer.items(), '{:.1f}')}"
    return judge(
        {"% fewer": "25"},
        {"% fewer": fewer[nearest]},
        step=Step(2.5, "half of five, for 'about 25'"),
        readings=len(fewer),
        digits=4,
        assumption=f"{told}; racks hold as many routers as whoever places them wants: 19 of 38 here, 99 groups of 14 there",
    )


@claim(
    "besta-2014/vi-b-4/routers",
    "k = 43, N about 10,000: a Dragonfly of 990 routers, a Slim Fly of 722",
    "990, 722",
    "topoloom info slimfly:q=19,hosts=15; topoloom info dragonfly:a=22,h=2,p=11,g=45",
)
def _in_the_print() -> Outcome:
    specs = {"DF": "dragonfly:a=22,h=2,p=11,g=45", "SF": "slimfly:q=19,hosts=15"}
    return judge(
        {"DF": 990, "SF": 722},
        {name: build(spec).switches for name, spec in specs.items()},
        assumption="10,890 and 10,830 hosts; the Slim Fly has k = 44 (errata of Besta 2014, 3)",
    )


@claim(
    "besta-2014/i/fewer",
    "Slim Fly uses fewer cables and routers than comparable Dragonflies",
    "fewer",
    "topoloom cost slimfly:q=19,hosts=15 --as-published; topoloom cost dragonfly:h=7 --as-published",
)
def _fewer() -> Outcome:
    sizes = {key: build(column(key).spec) for key in ("sf", *_COLUMNS["DF"])}
    fly = sizes.pop("sf")
    hosts = fly.hosts
    beside = {key: (one.switches, len(one.links), one.hosts) for key, one in sizes.items()}
    statements = {}
    for key, (switches, links, others) in beside.items():
        statements[f"fewer routers a host than {key}"] = fly.switches / hosts < switches / others
        statements[f"fewer cables a host than {key}"] = len(fly.links) / hosts < links / others
    return stated(
        statements,
        f"routers, cables between them, hosts: sf {fly.switches}, {len(fly.links)}, {hosts}; "
        + "; ".join(f"{key} {', '.join(str(one) for one in each)}" for key, each in beside.items()),
        "the Dragonflies of Table IV, a host's share, as their sizes are not the same",
        wrong=True,
    )


@claim(
    "besta-2014/vi-b/fewer-global-cables",
    "Dragonfly has fewer global cables than Slim Fly",
    "fewer",
    "topoloom cost slimfly:q=19,hosts=15 --as-published; topoloom cost dragonfly:a=22,h=2,p=11,g=45 --as-published",
)
def _global_cables() -> Outcome:
    fibre = {name: exact_of(key)[2].get("fibre", 0) for name, key in (("DF", "df-43-small"), ("SF", "sf"))}
    return stated({"DF has fewer": fibre["DF"] < fibre["SF"]}, f"fibre cables: DF {fibre['DF']:,}, SF {fibre['SF']:,}")


# Figure 11 a and b: the models.


@claim(
    "besta-2014/fig-11a",
    "cables of 40 Gb/s: electric 0.4079 x + 0.5771, fibre 0.0919 x + 7.2745 USD a Gb/s, x in metres",
    "0.4079, 0.5771, 0.0919, 7.2745",
    "topoloom cost slimfly:q=19,hosts=15",
)
def _cables() -> Outcome:
    parts, metres = load_parts(_PARTS), np.array([0.0, 10.0, 20.0, 30.0])
    usd = {name: parts.cable_usd(at, metres, _RATE_GBPS) / _RATE_GBPS for at, name in enumerate(("electric", "fibre"))}
    slope = {name: float(each[1] - each[0]) / 10 for name, each in usd.items()}
    start = {name: float(each[0]) for name, each in usd.items()}
    crossing = (start["fibre"] - start["electric"]) / (slope["electric"] - slope["fibre"])
    published = {"electric": ("0.4079", "0.5771"), "fibre": ("0.0919", "7.2745")}
    series = tuple(Series(name, tuple(zip(metres.tolist(), each.tolist(), strict=True))) for name, each in usd.items())
    return judge(
        {
            f"{name}, {part}": each[at]
            for name, each in published.items()
            for at, part in enumerate(("a metre", "at 0 m"))
        },
        {f"{name}, {part}": each[name] for name in usd for part, each in (("a metre", slope), ("at 0 m", start))},
        assumption=f"the catalogue {_PARTS}; fibre is the cheaper beyond {crossing:.2f} m",
        figure=Curves("besta-2014-figure-11a", "Cables, 40 Gb/s", "length [m]", "USD a Gb/s", series),
    )


@claim(
    "besta-2014/fig-11b", "routers: f(k) = 350.4 k - 892.3 USD", "350.4, 892.3", "topoloom cost slimfly:q=19,hosts=15"
)
def _routers() -> Outcome:
    parts, ports = load_parts(_PARTS), (12, 24, 36, 48, 64, 96, 108)
    usd = [float(parts.switch_usd(k)) for k in ports]
    slope = (usd[1] - usd[0]) / (ports[1] - ports[0])
    return judge(
        {"a port": "350.4", "less": "892.3"},
        {"a port": slope, "less": slope * ports[0] - usd[0]},
        assumption="the print has lost the minus sign (errata of Besta 2014, 12)",
        figure=Curves(
            "besta-2014-figure-11b",
            "Routers",
            "ports",
            "USD",
            (Series("routers", tuple((float(k), one) for k, one in zip(ports, usd, strict=True))),),
        ),
    )


# Figure 11 c and d: all networks by size.

#: Balanced networks up to 40,000 hosts (Besta 2014, III).
_BY_SIZE = {
    "T3D": [f"torus:dims={s}x{s}x{s},hosts=1" for s in (14, 22, 28, 34)],
    "T5D": [f"torus:dims={dims},hosts=1" for dims in ("4x4x4x4x4", "6x6x6x6x6", "8x8x8x8x8")],
    "HC": [f"hypercube:n={n},hosts=1" for n in (11, 13, 14, 15)],
    "LH-HC": [f"longhop:n={n},extra=5,hosts=1" for n in (11, 13, 14, 15)],
    "FT-3": [f"fat-tree:k={k}" for k in (20, 34, 42, 52)],
    "FBF-3": [f"flattened-butterfly:dims={c}x{c}x{c},hosts={c}" for c in (7, 10, 12, 14)],
    "DF": [f"dragonfly:h={h}" for h in (5, 7, 8, 10)],
    "DLN": [
        f"dln:n={n},x=2,random={shortcuts},hosts={p}"
        for n, shortcuts, p in ((410, 19, 5), (1386, 19, 7), (2250, 23, 8), (4020, 31, 10))
    ],
    "SF": [f"slimfly:q={q},hosts=full" for q in (11, 19, 25, 27, 29)],
}


def _bill(spec: str) -> tuple[float, float, float]:
    """Hosts, USD and W of a network, counted exactly."""
    layout = place(build(spec), preset(_PARTS), map="rows")
    bill = price(in_one_rack(layout) if spec.startswith("torus") else layout, _PARTS, _RATE_GBPS)
    hosts = float(build(spec).endpoints_at.sum())
    return hosts, round(hosts * bill.cost_per_host_usd, 1), round(hosts * bill.power_per_host_w, 1)


def _by_size() -> dict[str, list[tuple[float, float, float]]]:
    """Hosts, USD and W of each network."""
    return {
        name: [
            long_run(
                f"topoloom cost {spec} --rate {_RATE_GBPS:g}",
                tuple[float, float, float],
                lambda spec=spec: _bill(spec),  # type: ignore[misc]
            )
            for spec in specs
        ]
        for name, specs in _BY_SIZE.items()
    }


def _figure(part: str, title: str, y: str, at: int) -> Curves:
    series = tuple(Series(name, tuple((one[0], one[at]) for one in points)) for name, points in _by_size().items())
    return Curves(f"besta-2014-figure-11{part}", title, "hosts", y, series)


def _a_host(at: int) -> dict[str, list[float]]:
    return {name: [one[at] / one[0] for one in points] for name, points in _by_size().items()}


_LOW_RADIX, _HIGH_RADIX = ("T3D", "T5D", "HC", "LH-HC"), ("FT-3", "DLN", "FBF-3", "DF")


@claim(
    "besta-2014/fig-11c",
    "total cost up to 40,000 hosts: Slim Fly costs least, low-radix networks significantly more, LH-HC more than HC",
    "least",
    "topoloom cost slimfly:q=25,hosts=full",
)
def _total_cost() -> Outcome:
    usd = _a_host(1)
    most = max(usd["SF"])
    return stated(
        {f"every {name} costs more a host than every Slim Fly": min(usd[name]) > most for name in _HIGH_RADIX}
        | {f"{name} costs a quarter more or above": min(usd[name]) > 1.25 * most for name in _LOW_RADIX}
        | {"LH-HC costs more than HC": all(a > b for a, b in zip(usd["LH-HC"], usd["HC"], strict=True))},
        "USD per host: " + "; ".join(f"{name} {min(each):,.0f} to {max(each):,.0f}" for name, each in usd.items()),
        "counted exactly, on the floor of VI.A; tori folded, with short electric cables only (VI.B.3 a)",
        figure=_figure("c", "Total cost", "USD", 1),
    )


@claim(
    "besta-2014/fig-11d",
    "total power up to 40,000 hosts: lowest for Slim Fly",
    "lowest",
    "topoloom cost slimfly:q=25,hosts=full",
)
def _total_power() -> Outcome:
    watts = _a_host(2)
    most = max(watts["SF"])
    return stated(
        {
            f"every {name} draws more a host than every Slim Fly": min(each) > most
            for name, each in watts.items()
            if name != "SF"
        },
        "W per host: " + "; ".join(f"{name} {min(each):.2f} to {max(each):.2f}" for name, each in watts.items()),
        "2.8 W a port in use",
        figure=_figure("d", "Total power", "W", 2),
    )


# VI.B.4, VI.C: what Slim Fly saves, by Table IV.


def _below(measure: str, key: str) -> float:
    """How far Slim Fly lies below a column of Table IV, in percent, both counted exactly: cost or power per host."""
    fly, other = exact_of("sf"), exact_of(key)
    return 100 * (1 - (fly[0] / other[0] if measure == "cost" else fly[1] / other[1]))


def _more_for_as_much(below: float) -> float:
    """The same as % more hosts a USD, or a W: what 'more effective' says if taken at its word."""
    return 100 * (1 / (1 - below / 100) - 1)


#: Columns of Table IV beside Slim Fly: of comparable size, of the same radix, and the Dragonfly that is both.
_COLUMNS = {
    "DF": ("df-27", "df-43", "df-43-small"),
    "FBF-3": ("fbf3-33", "fbf3-43"),
    "DLN": ("dln-28", "dln-43"),
    "FT-3": ("ft3-35", "ft3-43"),
}


@claim(
    "besta-2014/vi/headline",
    "in all cases Slim Fly is 25 % more cost-effective than the Dragonfly: k = 27, k = 43, and k = 43 of the same size",
    "25 %",
    "topoloom cost slimfly:q=19,hosts=15 --as-published; topoloom cost dragonfly:h=7 --as-published",
)
def _headline() -> Outcome:
    below = {key: _below("cost", key) for key in _COLUMNS["DF"]}
    more = {key: _more_for_as_much(value) for key, value in below.items()}
    nearest = min((below, more), key=lambda found: max(abs(value - 25) for value in found.values()))
    told = (
        f"counted exactly; % below: {listed(below.items(), '{:.1f}')}; % more hosts a USD: {listed(more.items(), '{:.1f}')};"
        " the print's own 1 - 1033/1342 is 23 %"
    )
    return judge(dict.fromkeys(nearest, "25"), nearest, readings=2, digits=3, assumption=told, reason=told)


@claim(
    "besta-2014/vi-b-4/savings",
    "in all cases Slim Fly costs almost 30, 40 and 50 % less than FBF-3, DLN and FT-3, of comparable size and of the same k",
    "30, 40, 50 %",
    "topoloom cost slimfly:q=19,hosts=15 --as-published; topoloom cost flattened-butterfly:dims=10x10x10,hosts=10 "
    "--as-published",
)
def _savings() -> Outcome:
    printed = {"FBF-3": "30", "DLN": "40", "FT-3": "50"}
    found = {key: (printed[name], _below("cost", key)) for name in printed for key in _COLUMNS[name]}
    return judge(
        {key: value for key, (value, _) in found.items()},
        {key: value for key, (_, value) in found.items()},
        digits=3,
        reason="% below, counted exactly where what the print leaves open (how random links are placed, the fat tree's size) is"
        " settled as in Table IV's claims; the print's own costs give 32.7, 34.0 and 55.4 at comparable size",
    )


@claim(
    "besta-2014/vi-c/energy",
    "Slim Fly is over 25 % more energy-efficient than DF, FBF-3 and DLN",
    "over 25 %",
    "topoloom cost slimfly:q=19,hosts=15 --as-published; topoloom cost dragonfly:h=7 --as-published",
)
def _energy() -> Outcome:
    found = {name: _below("power", key) for name, key in (("DF", "df-27"), ("FBF-3", "fbf3-33"), ("DLN", "dln-28"))}
    more = {name: _more_for_as_much(value) for name, value in found.items()}
    return stated(
        {f"over 25 % more hosts a W than {name}": value > 25 for name, value in more.items()},
        f"% more hosts a W: {listed(more.items(), '{:.1f}')}; % fewer W per host: {listed(found.items(), '{:.1f}')}",
        "more efficient is more hosts a W; as fewer W per host it would not hold; ports counted exactly: 44 for Slim Fly, 37 "
        "for"
        " FBF-3 (errata of Besta 2014, 3 and 10); by the print 25.7, 25.7, 28.4 % fewer W",
        readings=2,
    )


@claim(
    "besta-2014/conclusion/benefit",
    "25-30 % lower cost and energy consumption than Flattened Butterfly and Dragonfly (VIII), 25 % than Dragonfly (IX)",
    "25-30 %",
    "topoloom reproduce besta-2014/vi",
)
def _benefit() -> Outcome:
    found = {
        f"{name} {measure}": _below(measure, key)
        for name, key in (("DF", "df-27"), ("FBF-3", "fbf3-33"))
        for measure in ("cost", "power")
    }
    return stated(
        {f"{name} is 25 to 30 %": 25 <= round(value) <= 30 for name, value in found.items()},
        f"% below: {listed(found.items(), '{:.1f}')}",
        "counted exactly",
        wrong=True,
    )


@claim(
    "besta-2014/vi-b-4/tori",
    "the tori compared are 1-4 % apart in size from Slim Fly",
    "1-4 %",
    "topoloom info torus:dims=22x22x22,hosts=1; topoloom info torus:dims=8x6x6x6x6,hosts=1",
)
def _tori() -> Outcome:
    ours = build("slimfly:q=19,hosts=15").hosts
    sizes = {"T3D": build("torus:dims=22x22x22,hosts=1").hosts, "T5D": build("torus:dims=8x6x6x6x6,hosts=1").hosts}
    return judge(
        {"T3D": "1", "T5D": "4"},
        {name: 100 * (1 - size / ours) for name, size in sizes.items()},
        step=Step(0.7, "a per cent as it is printed, cut off or rounded"),
        digits=3,
    )
