"""The commit of the program that runs: that of its checkout, or the one that its wheel was built from."""

import subprocess
from functools import cache
from pathlib import Path

#: The package, and the file in a wheel or a source distribution that holds the commit.
_PACKAGE = Path(__file__).parents[1]
COMMIT_FILE = "_commit.txt"


@cache
def commit(*ignored: str) -> str:
    """The commit of topoloom as of the first call.

    Parameters
    ----------
    *ignored : str
        Folders of the package whose uncommitted changes do not count.

    Returns
    -------
    str
        Ten hexadecimal digits, with a ``+`` after them if the package has uncommitted changes; empty for a copy of the sources
        without git.
    """
    # Not every repository around the package is its own: an environment may lie in that of its user.
    if not (_PACKAGE.parents[1] / ".git").exists():
        return _commit_of_wheel()
    try:
        changed = _git("status", "--porcelain", "--", ".", *(f":!{folder}" for folder in ignored))
        return _git("rev-parse", "--short=10", "HEAD") + ("+" if changed else "")
    except (OSError, subprocess.CalledProcessError):
        return ""


def _git(*arguments: str) -> str:
    command = ("git", "--no-optional-locks", *arguments)
    return subprocess.run(command, cwd=_PACKAGE, capture_output=True, text=True, check=True).stdout.strip()


def _commit_of_wheel() -> str:
    try:
        return (_PACKAGE / COMMIT_FILE).read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return ""
