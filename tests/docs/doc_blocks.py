"""What the tests of the documents share: the code blocks of a Markdown file, and running commands as a reader would."""

import contextlib
import io
import logging
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
#: README and the texts for a package index first, then the guide for contributors, then every page of docs/.
_FIRST = ("README.md", "PACKAGE.md", "papers/README.md", "CONTRIBUTING.md")
PAGES = [*(ROOT / name for name in _FIRST), *sorted((ROOT / "docs").glob("*.md"))]
#: A console block runs when all its commands are of these; others (make, pip) are shown only.
_RUN = {"topoloom", "ls", "cat", "head"}


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
        """The file that the block is, when its first line names one in a comment: ``# need.toml``."""
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


def blocks(page: Path) -> list[Block]:
    """Every fenced block of a page, in order."""
    found = re.finditer(
        r"^```(\w*|\{[\w-]+\}[^\n]*)\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )
    return [Block(page, page.read_text(encoding="utf-8")[: m.start()].count("\n") + 1, m[1], m[2]) for m in found]


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
    plain = "".join(line.rstrip() + "\n" for line in got.splitlines())
    return re.fullmatch(pattern, plain) is not None


def run(command: str) -> tuple[int, str]:
    """The exit code of a command, and all that it says (stdout and stderr), in the current folder."""
    words = shlex.split(command)
    if words[0] != "topoloom" or words[1] == "design":
        # `design` starts processes of its own; it gets a clean interpreter.
        words[:1] = [sys.executable, "-m", "topoloom"] if words[0] == "topoloom" else words[:1]
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
