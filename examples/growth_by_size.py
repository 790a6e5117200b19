"""Four networks with four links per switch at several sizes: hops, cuts, cables and cost.

The cost is computed with and without spare ports for growth.
"""

from dataclasses import replace

from topoloom import build, cuts, hops, place, price
from topoloom.placement.floors.floor import preset

# Rows and columns of the torus; the others have as many switches. Each switch has four hosts.
SIZES = ((8, 8), (16, 8), (16, 16))
FLOOR = replace(preset("koibuchi-2013"), switches_per_rack=16)
# Switches that share a rack: whole supernodes of DSN-F, blocks of the torus, and consecutive switches of the others.
NETWORKS = (
    ("DSN-F", "dsn-f:n={n},hosts=4", "groups"),
    ("DSN", "dsn:n={n},hosts=4", "sequential"),
    ("2-D torus", "torus:dims={rows}x{columns},hosts=4", "metis"),
    ("RR-4", "ring-shortcuts:n={n},degree=4,hosts=4", "sequential"),
)
# Spare ports for growth, as a share of the ports in use.
SPARE = (0.25, 0.5, 1.0)

print("                                 links cut   cables    USD   and with spare ports")  # noqa: T201
print("switches network  diameter  ASPL  in 2  in 4     [m] /host      25 %   50 %  100 %")  # noqa: T201
for rows, columns in SIZES:
    n = rows * columns
    for name, spec, cluster in NETWORKS:
        network = build(spec.format(n=n, rows=rows, columns=columns))
        stats = hops(network)
        cut = [cuts(network, parts).links for parts in (2, 4)]
        layout = place(network, FLOOR, cluster, map="anneal")
        usd = price(layout, "slimfly-2014").cost_per_host_usd
        more = [price(layout, "slimfly-2014", spare_ports=share).cost_per_host_usd / usd - 1 for share in SPARE]
        grown = "".join(f"{100 * share:+5.0f} %" for share in more)
        print(  # noqa: T201
            f"{n:8} {name:9} {stats.diameter:7} {stats.aspl:5.2f} {cut[0]:5} {cut[1]:5} {layout.mean_length_m:7.2f} {usd:6.0f}"
            f"  {grown}"
        )
