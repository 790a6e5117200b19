"""The parts catalogue `wheel-prices`: a TOML file of this package."""

from importlib.resources import files

from topoloom.cost.parts_files import register_parts

register_parts(files(__package__) / "prices.toml")
