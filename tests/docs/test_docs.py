"""The documents tell the truth: every command and every example in them runs and shows what they say."""

import doctest
import json
import os
import re
import runpy
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import doc_blocks
import pytest
from doc_blocks import PAGES, ROOT, Block, blocks, prose, sessions, shown

from topoloom.designer import requirement_keys
from topoloom.simulation.applications.tools import simgrid_available

PAGE = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)


@pytest.fixture
def desk(tmp_path, monkeypatch):
    """A reader's folder: a copy of examples/ and nothing else."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    return tmp_path


#: The pages whose sessions belong to the first tier; whole designs, comparisons and studies belong to the second anywhere.
_FIRST = {
    "README.md",
    "PACKAGE.md",
    "specs.md",
    "lay-out-a-network.md",
    "file-formats.md",
    "glossary.md",
    "balance-routing.md",
}
_LONG = {"design", "compare", "study", "reproduce"}


def _session(session: list[Block]) -> object:
    typed = {words[1] for block in session for command, _ in block.commands if len(words := command.split()) > 1}
    quick = session[0].page.name in _FIRST and not typed & _LONG
    return pytest.param(session, marks=[] if quick else pytest.mark.exhaustive, id=session[0].place)


@pytest.mark.parametrize("session", [_session(session) for page in PAGES for session in sessions(page)])
def test_what_a_page_shows_is_what_happens(session, desk):
    """Blocks that need each other are read in order: files are saved, commands typed, Python run; the outputs are as shown.

    ```console blocks of topoloom commands (and ls, cat, head) run; ```sh blocks do not: what takes long goes there.
    Blocks that begin with a file's name in a comment are that file; CONTRIBUTING's have a test of their own below.
    """
    page = session[0].page
    if page.name == "run-applications.md" and not simgrid_available():
        pytest.skip("SimGrid is not installed (Debian: libsimgrid-dev, g++): its page is not run")
    names: dict[str, object] = {}
    for block in session:
        if block.file:
            (desk / block.file).parent.mkdir(parents=True, exist_ok=True)
            (desk / block.file).write_text(block.text)
        elif page.name != "CONTRIBUTING.md" and block.runs:
            _type(block)
        elif block.language == "python":
            _execute(block, names)
        elif block.language == "json":
            json.loads(block.text)


def _type(block: Block) -> None:
    """Run the commands of a console block; a mistake that is shown must be answered as one."""
    for command, expected in block.commands:
        code, got = doc_blocks.run(command)
        wanted = {2} if re.search("^error: ", expected, re.MULTILINE) else {0}
        if command.startswith(("topoloom verify", "topoloom watch")):
            wanted |= {3}  # there are differences, or something to do
        assert code in wanted, f"{block.place}: {command} ended with {code}\n{got}"
        if expected.strip():
            assert shown(expected, got), f"{block.place}: {command} says\n{got}"


def _execute(block: Block, names: dict[str, object]) -> None:
    """Run a Python block: a session with >>> as a doctest, a script as it is; later blocks know its names."""
    if ">>> " not in block.text:
        exec(compile("\n" * block.line + block.text, block.page.name, "exec"), names)
        return
    said: list[str] = []
    test = doctest.DocTestParser().get_doctest(block.text, names, block.place, block.page.name, block.line)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    runner.run(test, out=said.append, clear_globs=False)
    names.update(test.globs)
    assert not runner.failures, "".join(said)


@PAGE
def test_links_between_pages_lead_somewhere(page):
    """Every relative link names a file that exists, and a heading that it has."""
    for target in re.findall(r"\]\(([^)\s]+)\)", prose(page)):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        assert file.exists(), f"{page.name}: {target}"
        if anchor:
            assert anchor in _anchors(file), f"{page.name}: {target}"


def _anchors(page):
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


@PAGE
def test_commands_that_are_only_shown_exist(page):
    """`make TARGET` is a target of the Makefile, `topoloom COMMAND` a command, and an example that is named is there."""
    from topoloom.cli.main import cli

    plugin = (ROOT / "examples/plugin/topoloom_wheel/command.py").read_text()
    known = {*cli.list_commands(None), *re.findall(r'COMMANDS\.add\(\s*"(\w+)"', plugin)}
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    typed = "\n".join(block.text for block in blocks(page) if block.language in {"console", "sh"})
    spoken = " ".join(re.findall(r"`((?:make|topoloom) [^`\n]+)`", page.read_text(encoding="utf-8")))
    assert (
        set(re.findall(r"^\$? ?make ([\w-]+)", typed, re.MULTILINE)) | set(re.findall(r"make (\w+)", spoken)) <= targets
    )
    assert set(re.findall(r"^\$? ?topoloom ([a-z][\w-]*)", typed, re.MULTILINE)) <= known
    assert set(re.findall(r"\btopoloom ([a-z][\w-]*)", spoken)) <= known
    for example in re.findall(r"\bexamples/[\w.-]+\w", page.read_text(encoding="utf-8")):
        assert (ROOT / example).exists(), f"{page.name}: {example}"


def test_the_catalogue_page_is_made_from_the_records():
    """docs/reference/families.md is what tools/families_page.py writes; run it after a change of a family."""
    made = runpy.run_path(str(ROOT / "tools" / "families_page.py"))["families_page"]()
    assert (ROOT / "docs" / "reference" / "families.md").read_text(encoding="utf-8") == made


def test_every_objective_and_floor_is_documented():
    """docs/reference/requirement-file.md names everything that can be minimised and every floor."""
    from typing import get_args

    from topoloom.placement.floors.floor import PRESETS

    text = (ROOT / "docs" / "reference" / "requirement-file.md").read_text(encoding="utf-8")
    for word in [*get_args(requirement_keys.Objective), *PRESETS]:
        assert f"`{word}`" in text or f"`{json.dumps(word)}`" in text, word


def test_the_floors_are_those_that_are_checked():
    """docs/explanation/architecture.md lists the layers of pyproject.toml, in the same order."""
    import tomllib

    layers = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"][0]["layers"]
    text = (ROOT / "docs" / "explanation" / "architecture.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`\w+`(?:, `\w+`)*) \| [a-zA-Z`]", text.split("## Where")[0], re.MULTILINE)
    assert [row.replace("`", "").replace(", ", " | ") for row in rows] == layers


@pytest.mark.exhaustive
def test_what_contributors_are_told_works(tmp_path):
    """The family, the format and the claim of CONTRIBUTING.md, each one new file, are found and work as it says."""
    page = ROOT / "CONTRIBUTING.md"
    told = blocks(page)
    rooms = {}
    for block in told:
        if block.file:
            path = tmp_path / block.file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text)
            _, source, package = block.file.rpartition("src/")
            if source:
                rooms[".".join(Path(package).parent.parts)] = str(path.parent)
    assert set(rooms) == {"topoloom.topologies.families", "topoloom.formats", "topoloom_papers.papers"}
    # As if the files lay in the package: every register looks through its package's folders.
    start = "import importlib\n" + "".join(
        f"importlib.import_module('{room}').__path__.append({folder!r})\n" for room, folder in rooms.items()
    )
    tests = [block.file for block in told if block.file and block.file.startswith("tests/")]
    assert tests
    ways = [f"import pytest; sys.exit(pytest.main(['-q', '-p', 'no:cacheprovider', *{tests}]))"]
    for block in told:
        for command, expected in block.commands if block.runs else []:
            words = shlex.split(command)[1:]
            ways.append(
                "from topoloom.cli.main import main\nimport doc_blocks\n"
                f"code, got = doc_blocks._run_here({words!r})\nprint(got, file=sys.stderr)\n"
                f"sys.exit(code or not doc_blocks.shown({expected!r}, got))"
            )
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "tests" / "docs"), "COLUMNS": "100"}
    running = [
        subprocess.Popen(
            [sys.executable, "-c", f"{start}import sys\n{way}"],
            cwd=tmp_path,
            env=environment,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        for way in ways
    ]
    for one in running:
        said, _ = one.communicate()
        assert one.returncode == 0, said
