"""Draw a grid of switches before and after optimisation: grid_steps.svg."""

from topoloom import build, optimize, save
from topoloom.report.graph_picture import draw_steps

# 36 switches with 4 links each, none longer than 3 steps: first random, then with the fewest hops.
random = build("grid:rows=6,columns=6,degree=4,length=3,sweeps=30")
result = optimize(random, moves=5_000, jobs=1)

save(result.topology, "grid.json")
draw_steps([("random", random), ("optimised", result.topology)]).savefig("grid_steps.svg")
text = f"diameter {result.diameter} (bound {result.diameter_bound}), ASPL {result.aspl:.3f} (bound {result.aspl_bound:.3f})"
print(text)  # noqa: T201
