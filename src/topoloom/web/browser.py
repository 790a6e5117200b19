"""Opening the first address in the browser without showing the token in a command line, which other users could list.

The browser opens a file, readable only by this user, that redirects to the address. The file is removed after a minute.
"""

import shutil
import tempfile
import threading
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html import escape
from pathlib import Path

#: The query key that marks a first address opened by such a file.
OPENED = "opened"
#: Seconds after which an unused file is removed.
_LASTS_S = 60.0
_PAGE = """<!doctype html>
<meta charset="utf-8"><meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url={address}">
<link rel="icon" href="data:,"><title>topoloom</title><a rel="noreferrer" href="{address}">topoloom</a>
"""


@contextmanager
def browsers(lasts_s: float = _LASTS_S) -> Iterator[Callable[[str], Path]]:
    """Yield a function that opens an address in the browser by a private file; each file is removed after `lasts_s` seconds.

    Parameters
    ----------
    lasts_s : float
        Seconds after which a file is removed.

    Yields
    ------
    callable (str) -> Path
        For an address with the token: writes the file that leads to it, opens the file in the browser, and returns its path.
    """
    folders: list[Path] = []

    def follow(address: str) -> Path:
        # A browser installed as a snap sees only its own /tmp, and no hidden folders of the home.
        home = Path.home() if Path("/snap").is_dir() else None
        folder = Path(tempfile.mkdtemp(prefix="topoloom-", dir=home))  # 0700
        folders.append(folder)
        page = folder / "open.html"
        page.touch(0o600)
        page.write_text(_PAGE.format(address=escape(f"{address}&{OPENED}=1")), encoding="utf-8")
        timer = threading.Timer(lasts_s, shutil.rmtree, (folder,), {"ignore_errors": True})
        timer.daemon = True
        timer.start()
        # Some browsers block the caller, and requests must be answered in the meantime.
        threading.Thread(target=webbrowser.open, args=(page.as_uri(),), daemon=True).start()
        return page

    try:
        yield follow
    finally:
        for folder in folders:
            shutil.rmtree(folder, ignore_errors=True)
