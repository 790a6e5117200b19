"""Draws a grid of switches before and after optimising: grid_steps.svg."""

from topoloom import build, optimize, save
from topoloom.report.graph_picture import draw_steps

# 36 switches with 4 links each, none longer than 3 steps; drawn at random, then with the fewest hops.
random = build("grid:rows=6,columns=6,degree=4,length=3,sweeps=30")
found = optimize(random, moves=5_000, jobs=1)

save(found.topology, "grid.json")
draw_steps([("random", random), ("optimised", found.topology)]).savefig("grid_steps.svg")
told = f"diameter {found.diameter} (bound {found.diameter_bound}), ASPL {found.aspl:.3f} (bound {found.aspl_bound:.3f})"
print(told)  # noqa: T201
