"""Opening the first address in the browser, with the token in no command line that others could list.

The browser is given a file that only this user can read, which leads on to the address; it goes after a minute.
"""

import atexit
import shutil
import tempfile
import threading
import webbrowser
from html import escape
from pathlib import Path

from topoloom.web.guard import OPENED

#: Seconds after which the file goes although nobody has used it.
_LASTS_S = 60.0
_PAGE = """<!doctype html>
<meta charset="utf-8"><meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url={address}">
<title>topoloom</title><a rel="noreferrer" href="{address}">topoloom</a>
"""


def open_in_browser(address: str, lasts_s: float = _LASTS_S) -> Path:
    """Have the browser follow an address.

    Parameters
    ----------
    address : str
        With the token.
    lasts_s : float
        Seconds after which the file goes; it goes with this process, too.

    Returns
    -------
    Path
        The file that leads there.
    """
    # A browser in a snap sees no /tmp but its own, and of the home no hidden folders.
    home = Path.home() if Path("/snap").is_dir() else None
    folder = Path(tempfile.mkdtemp(prefix="topoloom-", dir=home))  # 0700

    def remove() -> None:
        shutil.rmtree(folder, ignore_errors=True)

    atexit.register(remove)
    timer = threading.Timer(lasts_s, remove)
    timer.daemon = True
    timer.start()
    page = folder / "open.html"
    page.touch(0o600)
    page.write_text(_PAGE.format(address=escape(f"{address}&{OPENED}=1")), encoding="utf-8")
    # Some browsers hold whoever opens them, and requests are to be answered meanwhile.
    threading.Thread(target=webbrowser.open, args=(page.as_uri(),), daemon=True).start()
    return page
