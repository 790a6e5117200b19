"""Write the pictures of the tutorials: .venv/bin/python tools/tutorial_pictures.py [architect|researcher|administrator ...]

Runs the commands of each page in an empty folder, as the tests do, and takes a picture of the result. HTML is rendered by
Chromium (Debian: chromium).
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests" / "docs"))

import doc_blocks  # noqa: E402

_PICTURES = ROOT / "docs" / "pictures"
#: The result file of each tutorial, and the size of its picture in pixels if the file is a page.
_RESULTS = {
    "architect": ("cluster/report.html", (1180, 1370)),
    "researcher": ("mean-hops.svg", None),
    "administrator": ("sheets/todo-003-A05.html", (760, 290)),
}


def main() -> None:
    """Write the pictures of the named tutorials, or of all."""
    os.environ["COLUMNS"] = "100"
    for name in sys.argv[1:] or _RESULTS:
        result, size = _RESULTS[name]
        with TemporaryDirectory() as folder:
            shutil.copytree(ROOT / "examples", Path(folder) / "examples")
            os.chdir(folder)
            _run(ROOT / "docs" / "tutorials" / f"{name}.md")
            picture = _PICTURES / f"tutorial-{name}{'.png' if size else '.svg'}"
            if size:
                _photograph(Path(result).resolve(), picture, size)
            else:
                shutil.copyfile(result, picture)
            os.chdir(ROOT)
        print(f"wrote {picture}")


def _run(page: Path) -> None:
    for block in doc_blocks.blocks(page):
        if block.file:
            Path(block.file).write_text(block.text, encoding="utf-8")
        elif block.runs:
            for command, _ in block.commands:
                code, text = doc_blocks.run(command)
                if code not in {0, 3}:  # 3: verify and watch have findings
                    sys.exit(f"{block.place}: {command} ended with {code}\n{text}")


def _photograph(page: Path, picture: Path, size: tuple[int, int]) -> None:
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        sys.exit("chromium is not installed; Debian: apt-get install chromium")
    with TemporaryDirectory() as profile:
        options = (
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--hide-scrollbars",
            "--disable-background-networking",
        )
        window = f"--window-size={size[0]},{size[1]}"
        places = (f"--user-data-dir={profile}", f"--screenshot={picture}", page.as_uri())
        subprocess.run([chromium, *options, window, *places], check=True, capture_output=True, timeout=120)


if __name__ == "__main__":
    main()
