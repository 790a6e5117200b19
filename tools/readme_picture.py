"""Copy README's first picture from the result of `make demo`: .venv/bin/python tools/readme_picture.py [FOLDER]

`make picture` runs it. It copies cost-latency.svg of the design (default: demo/) to docs/pictures/, and reports an error if the
paragraph below the picture has other numbers than the design. tests/docs/test_readme_picture.py checks both.
"""

import json
import re
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
PICTURE = ROOT / "docs" / "pictures" / "cost-latency.svg"


def main() -> None:
    """Copy the picture, and report the numbers that README lacks."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "demo")
    shutil.copyfile(folder / PICTURE.name, PICTURE)
    missing = [words for words in numbers(folder) if words not in caption()]
    if missing:
        sys.exit(f"error: README.md, below the picture: write {', '.join(missing)}")


def numbers(folder: Path) -> list[str]:
    """The numbers of a design, as README writes them."""
    design = json.loads((folder / "design.json").read_text())
    best = design["ranked"][0]
    return [
        f"{len(design['ranked']):,} designs",
        f"{design['requirement']['hosts']:,} hosts",
        f"{best['switches']:,} switches",
        f"{best['cost_per_host_usd']:,.1f} USD",
        f"{best['power_per_host_w']:.2f} W",
    ]


def caption() -> str:
    """README's paragraph below the picture, in one line."""
    below = (ROOT / "README.md").read_text(encoding="utf-8").partition(f"({PICTURE.relative_to(ROOT)})")[2]
    return re.sub(r"\s+", " ", below.strip().partition("\n\n")[0])


if __name__ == "__main__":
    main()
