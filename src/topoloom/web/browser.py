"""Opening the first address in the browser, with the token in no command line that others could list.

The browser is given a file that only this user can read, which leads on to the address; it goes after a minute.
"""

import shutil
import tempfile
import threading
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html import escape
from pathlib import Path

#: The key of a first address that a file leads to.
OPENED = "opened"
#: Seconds after which the file goes although nobody has used it.
_LASTS_S = 60.0
_PAGE = """<!doctype html>
<meta charset="utf-8"><meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url={address}">
<link rel="icon" href="data:,"><title>topoloom</title><a rel="noreferrer" href="{address}">topoloom</a>
"""


@contextmanager
def browsers(lasts_s: float = _LASTS_S) -> Iterator[Callable[[str], Path]]:
    """A function that has the browser follow an address; its files go after a while, and at the end.

    Parameters
    ----------
    lasts_s : float
        Seconds after which a file goes.

    Yields
    ------
    callable (str) -> Path
        Given an address with the token, it writes the file that leads there, and has the browser open it.
    """
    folders: list[Path] = []

    def follow(address: str) -> Path:
        # A browser in a snap sees no /tmp but its own, and of the home no hidden folders.
        home = Path.home() if Path("/snap").is_dir() else None
        folder = Path(tempfile.mkdtemp(prefix="topoloom-", dir=home))  # 0700
        folders.append(folder)
        page = folder / "open.html"
        page.touch(0o600)
        page.write_text(_PAGE.format(address=escape(f"{address}&{OPENED}=1")), encoding="utf-8")
        timer = threading.Timer(lasts_s, shutil.rmtree, (folder,), {"ignore_errors": True})
        timer.daemon = True
        timer.start()
        # Some browsers hold whoever opens them, and requests are to be answered meanwhile.
        threading.Thread(target=webbrowser.open, args=(page.as_uri(),), daemon=True).start()
        return page

    try:
        yield follow
    finally:
        for folder in folders:
            shutil.rmtree(folder, ignore_errors=True)
