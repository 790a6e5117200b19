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
    where = (".", *(f":!{folder}" for folder in ignored))
    command = ("git", "--no-optional-locks", "status", "--porcelain=v2", "--branch", "--", *where)
    try:
        lines = subprocess.run(command, cwd=_PACKAGE, capture_output=True, text=True, check=True).stdout.splitlines()
    except (OSError, subprocess.CalledProcessError):
        return ""
    head = next((line.split()[2] for line in lines if line.startswith("# branch.oid ")), "(initial)")
    changed = any(not line.startswith("# ") for line in lines)
    return "" if head == "(initial)" else head[:10] + ("+" if changed else "")


def _commit_of_wheel() -> str:
    try:
        return (_PACKAGE / COMMIT_FILE).read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return ""
