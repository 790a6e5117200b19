"""A static site of a folder: the explorer's views of its networks as files that open from disk, without a server."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from topoloom.core.errors import InputError, check_path
from topoloom.core.folders import write_folder
from topoloom.core.staging import Content
from topoloom.core.work import Work
from topoloom.operations.context import RunContext
from topoloom.report.scripting import data_text
from topoloom.report.shortlist_files import SHORTLIST
from topoloom.studies.task import Task, run_task, task_of
from topoloom.web.assets import site_frame
from topoloom.web.forms import form_data
from topoloom.web.saying import as_command, as_python
from topoloom.web.spaces import Spaces

#: The name of the page in the folder of a site.
PAGE = "index.html"
#: The tasks that the views of a network, and of a machine, ask without any choice of the reader: operations and arguments.
_TASKS: Mapping[str, tuple[tuple[str, dict[str, Any]], ...]] = {
    "network": (
        *(("info", {}), ("cost", {}), ("facility", {}), ("quality", {}), ("draw", {}), ("stand", {})),
        *(("elevations", {}), ("losses", {"most": 8})),
    ),
    "machine": (("info", {}), ("cost", {}), ("machine-report", {}), ("stand", {}), ("elevations", {})),
}
#: Files that a view reads.
_READ = ("assessment.json", "phases.json")
#: Most bytes of a file that is copied into a site.
MOST_BYTES = 20 << 20


def write_site(
    folder: str | os.PathLike[str],
    output: str | os.PathLike[str],
    *,
    jobs: int | None = None,
    work: Work | None = None,
    progress: Callable[[str], None] = lambda text: None,
) -> list[Path]:
    """Write the views of the networks in a folder as a static site.

    Parameters
    ----------
    folder : path
        The folder of a network, a design or a machine, or one that contains such folders.
    output : path
        The folder of the site, created if missing; its ``index.html`` opens from disk. An earlier site in it is replaced.
    jobs : int, optional
        Threads; all cores if omitted.
    work : Work, optional
        Cancels the work.
    progress : callable (str)
        Receives what is computed.

    Returns
    -------
    list of Path
        The written files.

    Raises
    ------
    InputError
        The folder contains no network, or the site cannot be written.
    """
    check_path(folder, "write_site", "name the folder of a network, a design or a machine")
    spaces = Spaces([folder])
    target = Path(output).resolve()
    folders = [each for each in spaces.listed() if not _within(spaces.path(each["address"]), target)]
    sources = [{"address": each["address"], "of": _of(each, folders)} for each in folders if _of(each, folders)]
    if not sources:
        raise InputError(
            f"{folder}: contains no network; 'topoloom design -o' and 'topoloom layout -o' write folders of networks"
        )
    contents: dict[str, Content] = {}
    tasks: dict[str, dict[str, Any]] = {}
    files, read = _files(spaces, folders, contents)
    context = RunContext(jobs, work=Work() if work is None else work)
    for source in sources:
        address = source["address"]
        for operation, arguments in _TASKS[source["of"]]:
            progress(f"{address}: {operation}")
            shown = Task(operation, {"topology": address, **arguments})
            key = msgspec.json.encode([operation, shown.arguments], order="sorted").decode()
            number = len(contents)
            contents[f"data/{number}.js"] = _script(number, _record(operation, spaces.path(address), shown, context))
            tasks[key] = {"number": number, "command": as_command(shown), "python": as_python(shown)}
    index = {
        "title": Path(folder).resolve().name,
        "sources": sources,
        "folders": folders,
        "files": files,
        "contents": read,
        "tasks": tasks,
        "catalogue": form_data(()) | {"read_only": True},
    }
    contents |= _frame(index)
    return write_folder(output, contents, stale=["data/*.js", "files/*", "files/*/*", "files/*/*/*", "files/*/*/*/*"])


def _of(folder: dict[str, Any], folders: list[dict[str, Any]]) -> str:
    """What a folder shows: a network or a machine; empty for others, and for a design, whose shortlist has its networks."""
    kind = folder["kind"]
    if kind == "design" and any(each["address"] == f"{folder['address']}/{SHORTLIST}/1" for each in folders):
        return ""
    return {"network": "network", "design": "network", "machine": "machine"}.get(kind, "")


def _within(path: Path, folder: Path) -> bool:
    return path == folder or folder in path.parents


def _files(
    spaces: Spaces, folders: list[dict[str, Any]], contents: dict[str, Content]
) -> tuple[list[str], dict[str, int]]:
    """The addresses of the files that are copied, and the numbers of those that a view reads; both are added to `contents`."""
    copied, read = [], {}
    for each in folders:
        for name in each["files"]:
            address = f"{each['address']}/{name}"
            path = spaces.path(address)
            if path.stat().st_size > MOST_BYTES:
                continue
            contents[f"files/{address}"] = path
            copied.append(address)
            if name in _READ:
                number = len(contents)
                contents[f"data/{number}.js"] = _script(number, msgspec.json.decode(path.read_bytes()))
                read[address] = number
    return copied, read


def _record(operation: str, path: Path, shown: Task, context: RunContext) -> dict[str, Any]:
    """The record of a task as a page reads it; its error where it fails."""
    record = {"task": {"operation": operation, "arguments": shown.arguments}, "result": None, "row": None, "error": ""}
    try:
        result, row = run_task(task_of(operation, {**shown.arguments, "topology": str(path)}), context)
    except InputError as error:
        address = shown.arguments["topology"]
        return record | {"state": "failed", "error": str(error).replace(str(path), address)}
    return record | {"state": "done", "result": result, "row": row}


def _script(number: int, content: Any) -> str:
    return f"TOPOLOOM_SITE.put({number}, {data_text(content)});\n"


def _frame(index: dict[str, Any]) -> dict[str, Content]:
    """The page, its scripts and its style sheet."""
    return dict(site_frame(f"window.TOPOLOOM_INDEX = {data_text(index)};\n"))
