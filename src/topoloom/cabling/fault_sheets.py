"""Sheets for cabling in progress: remaining repairs and cables, one page per rack, to print and tick off."""

from importlib.resources import files
from pathlib import Path

from topoloom.core.folders import write_folder
from topoloom.core.pages.templating import framed, rendered
from topoloom.fabric.progress import Open, Progress

SHEET_NAMES = "todo-*.html"
#: The name of the sheet for ends in racks that the plan does not name.
_ELSEWHERE = "elsewhere"


def write_sheets(progress: Progress, folder: str | Path) -> list[str]:
    """Write ``index.html`` and a sheet for each rack with open tasks; returns the names of the files.

    Parameters
    ----------
    progress : Progress
    folder : path
        Created if missing; earlier sheets are removed.

    Raises
    ------
    InputError
        The folder cannot be written to.
    """
    texts = fault_sheets(progress)
    write_folder(folder, texts, stale=(SHEET_NAMES,))
    return list(texts)


def fault_sheets(progress: Progress) -> dict[str, str]:
    """The sheets by file name; they refer to no other files."""
    style = (files("topoloom.cabling") / "sheets.css").read_text(encoding="utf-8")
    by_rack: dict[str, list[Open]] = {}
    for task in progress.open:
        for rack in task.racks or (_ELSEWHERE,):
            by_rack.setdefault(rack, []).append(task)
    names = {rack: _file_name(number, rack) for number, rack in enumerate(sorted(by_rack), 1)}
    racks = [
        (rack, names[rack], _count(tasks, faults=True), _count(tasks, faults=False))
        for rack, tasks in sorted(by_rack.items())
    ]
    title = f"Cabling of {progress.plan}"
    last = progress.seen[-1]
    index = rendered(
        "progress_index.html", title=title, progress=progress, share=f"{_share(progress):.1%}", last=last, racks=racks
    )
    sheets = {"index.html": framed(title, style, index)}
    for rack, tasks in sorted(by_rack.items()):
        sheet = rendered(
            "progress_rack.html",
            rack=rack,
            plan=progress.plan,
            source=last.source,
            faults=[task for task in tasks if task.kind != "missing"],
            missing=[task for task in tasks if task.kind == "missing"],
        )
        sheets[names[rack]] = framed(f"Rack {rack}: to do", style, sheet)
    return sheets


def _share(progress: Progress) -> float:
    return progress.seen[-1].right_cables / progress.planned_cables if progress.planned_cables else 1.0


def _count(todo: list[Open], *, faults: bool) -> int:
    return sum((task.kind != "missing") == faults for task in todo)


def _file_name(number: int, rack: str) -> str:
    plain = "".join(letter if letter.isascii() and (letter.isalnum() or letter == "-") else "_" for letter in rack[:40])
    return f"todo-{number:03d}-{plain}.html"
