"""The parts catalogues that come with topoloom: a TOML file each, by name in `PARTS`."""

from importlib.resources import files

from topoloom.cost.parts_files import register_parts

for _file in sorted(files(__name__).iterdir(), key=lambda file: file.name):
    if _file.name.endswith(".toml"):
        register_parts(_file)
