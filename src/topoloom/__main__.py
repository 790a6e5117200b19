"""`python -m topoloom`, and the command `topoloom`: Ctrl-C is answered in one line from the first moment on."""

import _signal  # type: ignore[import-not-found]  # `signal` takes ten milliseconds, in which Ctrl-C would be a traceback
import os
import sys


def _leave(_number: int, _frame: object) -> None:
    os.write(2, b"error: interrupted\n")
    os._exit(130)


# A stream that the caller closed leaves its number to the next file that is opened, into which libraries would then print.
for _number in (0, 1, 2):
    try:
        os.fstat(_number)
    except OSError:
        os.open(os.devnull, os.O_RDWR)
for _number in (_signal.SIGINT, _signal.SIGTERM, _signal.SIGHUP):
    if _signal.getsignal(_number) in (_signal.default_int_handler, _signal.SIG_DFL):
        _signal.signal(_number, _leave)
# `python -m` puts the current folder first, where somebody's `random.py` may lie: off the path before anything is imported.
try:
    _here = os.getcwd()
except OSError:  # it has been removed
    _here = ""
if __name__ == "__main__" and not sys.flags.safe_path and sys.path[0] in ("", _here):
    del sys.path[0]

from topoloom.core.surroundings import secure  # noqa: E402 (what must come first stands above)

secure()


def main() -> None:
    """Run the command line."""
    from topoloom.cli.main import main as run

    run()


if __name__ == "__main__":
    main()
