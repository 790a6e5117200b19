"""Compare the link failures that three networks of about 500 hosts tolerate, with curves: survival.svg."""

from topoloom import build, hops, resilience
from topoloom.failures.surviving_network import surviving_network
from topoloom.figures.survival import survival_curves
from topoloom.report.pictures import write_picture

# Three networks for about 500 hosts: a Slim Fly, a fat tree, a 3-D torus.
networks = [build(spec) for spec in ("slimfly:q=7,hosts=6", "fat-tree:k=12", "torus:dims=8x8x8,hosts=1")]
curves = [resilience(network, samples=500) for network in networks]
write_picture(survival_curves(curves), "survival.svg", "Survival")
for curve in curves:
    print(f"{curve.name}: {curve.exact:.1%} of {curve.units} links may fail ({curve.survives})")  # noqa: T201

# The Slim Fly after the failure of a tenth of its links, in the first of the random orders.
surviving = surviving_network(networks[0], share=0.1)
print(f"{surviving.name}: diameter {hops(surviving).diameter}, was {hops(networks[0]).diameter}")  # noqa: T201
