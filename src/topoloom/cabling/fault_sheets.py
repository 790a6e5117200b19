"""Sheets of a cabling that is running: what is to repair and to plug still, one page per rack, to print and tick."""

from importlib.resources import files
from pathlib import Path

from topoloom.core.folders import write_folder
from topoloom.core.pages.templating import framed, rendered
from topoloom.fabric.progress import Open, Progress

SHEET_NAMES = "todo-*.html"
#: The sheet of what stands in no rack that the plan names.
_ELSEWHERE = "elsewhere"


def write_sheets(progress: Progress, folder: str | Path) -> list[str]:
    """Write ``index.html`` and a sheet for each rack with something to do; the names of the files.

    Parameters
    ----------
    progress : Progress
    folder : path
        Made when it is not there; sheets of an earlier day go.

    Raises
    ------
    InputError
        The folder cannot be written to.
    """
    texts = fault_sheets(progress)
    write_folder(folder, texts, stale=(SHEET_NAMES,))
    return list(texts)


def fault_sheets(progress: Progress) -> dict[str, str]:
    """The sheets by file name; nothing in them is fetched from elsewhere."""
    style = (files("topoloom.cabling") / "sheets.css").read_text(encoding="utf-8")
    by_rack: dict[str, list[Open]] = {}
    for one in progress.open:
        for rack in one.racks or (_ELSEWHERE,):
            by_rack.setdefault(rack, []).append(one)
    names = {rack: _file_name(number, rack) for number, rack in enumerate(sorted(by_rack), 1)}
    racks = [
        (rack, names[rack], _count(mine, faults=True), _count(mine, faults=False))
        for rack, mine in sorted(by_rack.items())
    ]
    title = f"Cabling of {progress.plan}"
    last = progress.seen[-1]
    index = rendered(
        "progress_index.html", title=title, progress=progress, share=f"{_share(progress):.1%}", last=last, racks=racks
    )
    found = {"index.html": framed(title, style, index)}
    for rack, mine in sorted(by_rack.items()):
        sheet = rendered(
            "progress_rack.html",
            rack=rack,
            plan=progress.plan,
            source=last.source,
            faults=[one for one in mine if one.kind != "missing"],
            missing=[one for one in mine if one.kind == "missing"],
        )
        found[names[rack]] = framed(f"Rack {rack}: to do", style, sheet)
    return found


def _share(progress: Progress) -> float:
    return progress.seen[-1].right_cables / progress.planned_cables if progress.planned_cables else 1.0


def _count(todo: list[Open], *, faults: bool) -> int:
    return sum((one.kind != "missing") == faults for one in todo)


def _file_name(number: int, rack: str) -> str:
    plain = "".join(letter if letter.isascii() and (letter.isalnum() or letter == "-") else "_" for letter in rack[:40])
    return f"todo-{number:03d}-{plain}.html"
