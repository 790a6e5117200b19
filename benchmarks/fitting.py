"""The engine with the highest uniform throughput, by family: .venv/bin/python benchmarks/fitting.py

The rule of `topoloom.routing.fitting`, fixed before the results were known: of the deadlock-free engines made for the family,
it takes the one with the highest uniform throughput at every size. That engine must exceed `orders` by 2 % at one size and be
below it at none; of equal engines the one with fewer virtual channels is taken. Other families use `orders`.
"""

from topoloom.core.errors import InputError
from topoloom.routing.route import route
from topoloom.throughput.traffic import uniform_remote
from topoloom.throughput.traffic.loads import table_loads
from topoloom.topologies.spec import build

NETWORKS = {
    "fat-tree": ("fat-tree:k=8", "fat-tree:k=16", "fat-tree:k=32,hosts=1024", "fat-tree:k=16,hosts=512,taper=2:1"),
    "k-ary-n-tree": ("kary-tree:k=4,n=3", "kary-tree:k=8,n=3"),
    "pgft": ("pgft:m=8x4,w=1x4,p=1x2",),
    "dragonfly": ("dragonfly:h=2", "dragonfly:h=3", "dragonfly:h=4"),
    "megafly": ("megafly:leaves=4,spines=4,p=4,h=4", "megafly:leaves=6,spines=6,p=6,h=6"),
    "torus": ("torus:dims=8x8,hosts=2", "torus:dims=6x6x6,hosts=2", "torus:dims=5x7,hosts=2"),
    "mesh": ("mesh:dims=8x8,hosts=2", "mesh:dims=12x12,hosts=1"),
    "hypercube": ("hypercube:n=6,hosts=2", "hypercube:n=8,hosts=2"),
    "hyperx": ("hyperx:dims=8x8,hosts=4", "hyperx:dims=4x4x4,hosts=4"),
    "flattened-butterfly": ("flattened-butterfly:dims=8x8,hosts=8",),
    "slimfly": ("slimfly:q=5,hosts=4", "slimfly:q=9,hosts=7"),
    "oft": ("oft:q=4", "oft:q=7", "oft:q=11"),
    "mlfm": ("mlfm:h=4", "mlfm:h=8", "mlfm:h=10,layers=4"),
    "random-folded-clos": (
        "random-folded-clos:k=16,leaves=20,levels=2",
        "random-folded-clos:k=32,leaves=64,levels=2",
        "random-folded-clos:k=8,leaves=30,levels=3",
        "random-folded-clos:k=12,leaves=100,levels=3",
    ),
    "dsn-f": ("dsn-f:n=64,hosts=2", "dsn-f:n=256,hosts=2"),
}
ENGINES = ("orders", "ancestors", "fat-tree", "dor", "dragonfly", "dsn-f")


def main() -> None:
    """Print one row per network: uniform throughput and virtual channels of each engine that can route it."""
    print(f"{'network':42}" + "".join(f"{name:>18}" for name in ENGINES))
    for specs in NETWORKS.values():
        for spec in specs:
            cells = []
            network = build(spec)
            for name in ENGINES:
                try:
                    routed = route(network, name)
                except InputError:
                    cells.append("-")
                    continue
                throughput = table_loads(routed, uniform_remote(network)).throughput
                cells.append(f"{throughput:.3f} ({routed.verification.virtual_channels_used} virtual channels)")
            print(f"{spec:42}" + "".join(f"{cell:>18}" for cell in cells), flush=True)


if __name__ == "__main__":
    main()
