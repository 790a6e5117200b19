"""What the tests of the documents share: the code blocks of a Markdown file, and running commands as a reader would."""

import ast
import contextlib
import doctest
import io
import itertools
import logging
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
#: README and the texts for a package index first, then the guide for contributors, then the pages of docs/ by kind.
_FIRST = ("README.md", "PACKAGE.md", "papers/README.md", "CONTRIBUTING.md")
_KINDS = ("tutorials", "how-to", "reference", "explanation")
PAGES = [
    *(ROOT / name for name in _FIRST),
    ROOT / "docs" / "index.md",
    *(page for kind in _KINDS for page in sorted((ROOT / "docs" / kind).glob("*.md"))),
]
#: A console block runs when all its commands are of these; others (make, pip) are shown only.
_RUN = {"topoloom", "python", "ls", "cat", "head"}


@dataclass(frozen=True)
class Block:
    """One fenced block: its language, its text, and where it stands."""

    page: Path
    line: int
    language: str
    text: str

    @property
    def place(self) -> str:
        """File and line, for messages."""
        return f"{self.page.name}:{self.line}"

    @property
    def file(self) -> str | None:
        """The file that the block is, when its first line names one in a comment: ``# requirement.toml``."""
        named = re.match(r"# ([\w./-]+\.(?:py|toml))\n", self.text)
        return named[1] if named else None

    @property
    def commands(self) -> list[tuple[str, str]]:
        """The commands of a console block, each with the output that is shown below it ('' when none is)."""
        parts = re.split(r"^\$ (.*)\n", self.text, flags=re.MULTILINE)
        return list(zip(parts[1::2], parts[2::2], strict=True))

    @property
    def runs(self) -> bool:
        """Whether it is a console block of nothing but commands that the tests run."""
        words = {command.split()[0] for command, _ in self.commands}
        return self.language == "console" and bool(words) and words <= _RUN

    @property
    def makes(self) -> set[str]:
        """The files and folders, outermost parts only, and the Python names that later blocks may use."""
        if self.file:
            return {_outermost(self.file)}
        if self.language == "python":
            return self._names(ast.Store) | self._paths()
        return {
            _outermost(word)
            for command, _ in self.commands
            for word in re.findall(
                r"(?:-o|--output|--goal|--plot|--heat|--packets|--tables|--damaged|>) (\S+)", command
            )
        }

    @property
    def uses(self) -> set[str]:
        """What of that it needs, or makes over."""
        if self.language == "python" and not self.file:
            return self._names(ast.Load) | self._paths()
        if self.file:
            return {_outermost(word) for word in [self.file, *re.findall(r'"([^"\n]+)"', self.text)]}
        return {_outermost(word) for command, _ in self.commands for word in re.split(r"[\s,=+]+", command)}

    def _tree(self) -> ast.AST:
        """Its Python; of a session with >>>, what is typed."""
        typed = [example.source for example in doctest.DocTestParser().get_examples(self.text)]
        return ast.parse("".join(typed) or self.text)

    def _names(self, kind: type) -> set[str]:
        tree = self._tree()
        taken = {
            alias.asname or alias.name.partition(".")[0]
            for node in ast.walk(tree)
            if isinstance(node, ast.Import | ast.ImportFrom)
            for alias in node.names
        }
        named = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, kind)}
        return named | taken if kind is ast.Store else named

    def _paths(self) -> set[str]:
        """The first parts of what may be paths among its texts."""
        texts = (node.value for node in ast.walk(self._tree()) if isinstance(node, ast.Constant))
        return {_outermost(text) for text in texts if isinstance(text, str)} - {"examples"}


def _outermost(path: str) -> str:
    return path.strip("'\"").partition("/")[0]


def blocks(page: Path) -> list[Block]:
    """Every fenced block of a page, in order."""
    found = re.finditer(
        r"^```(\w*|\{[\w-]+\}[^\n]*)\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )
    return [Block(page, page.read_text(encoding="utf-8")[: m.start()].count("\n") + 1, m[1], m[2]) for m in found]


def sessions(page: Path) -> list[list[Block]]:
    """The blocks of a page that have to run in one folder and one Python, in order; sessions do not depend on each other.

    A block belongs to an earlier one when it names a file or folder that the earlier one makes, or a Python name. A tutorial is
    one session.
    """
    ended: list[list[Block]] = []
    taken = [block for block in blocks(page) if block.file or block.runs or block.language in {"python", "json"}]
    if page.parent.name == "tutorials":
        return [taken]
    for block in taken:
        uses = block.uses
        needed = [session for session in ended if any(earlier.makes & uses for earlier in session)]
        ended = [session for session in ended if session not in needed]
        ended.append(sorted([*itertools.chain(*needed), block], key=lambda one: one.line))
    return sorted(ended, key=lambda session: session[0].line)


def prose(page: Path) -> str:
    """A page without its fenced blocks and inline code."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"`[^`\n]+`", "", text)


def shown(expected: str, got: str) -> bool:
    """Whether output is what a page shows; ``...`` stands for any lines, and inside a line for any text."""
    pattern = ""
    for line in expected.rstrip("\n").splitlines():
        text = line.rstrip()
        pattern += r"(?:.*\n)*?" if text == "..." else re.escape(text).replace(r"\.\.\.", ".*") + r"\n"
    lines = (line.rstrip() for line in got.splitlines())
    plain = "".join(f"{line}\n" for line in lines if not line.startswith("topoloom: compiling kernels"))
    return re.fullmatch(pattern, plain) is not None


def run(command: str) -> tuple[int, str]:
    """The exit code of a command, and all that it says (stdout and stderr), in the current folder."""
    words = shlex.split(command)
    if words[0] != "topoloom" or words[1] == "design":
        # `design` starts processes of its own; it gets a clean interpreter.
        python = {"topoloom": [sys.executable, "-m", "topoloom"], "python": [sys.executable]}
        words[:1] = python.get(words[0], words[:1])
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        return done.returncode, done.stdout
    return _run_here(words[1:])


def _run_here(words: list[str]) -> tuple[int, str]:
    """A topoloom command inside this process, which has the kernels compiled and loaded already."""
    from topoloom.cli.main import main

    told = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    root = logging.getLogger()
    handlers, root.handlers = root.handlers, []  # main makes one that writes to the stderr of now
    try:
        with contextlib.redirect_stdout(told), contextlib.redirect_stderr(told):
            main(words)
    except SystemExit as end:
        return int(end.code or 0), told.buffer.getvalue().decode()
    finally:
        root.handlers = handlers
    return 0, told.buffer.getvalue().decode()
