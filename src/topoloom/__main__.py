"""`python -m topoloom`, and the command `topoloom`: Ctrl-C is answered in one line from the first moment on."""

import _signal  # type: ignore[import-not-found]  # `signal` takes ten milliseconds, in which Ctrl-C would be a traceback
import os


def _leave(_number: int, _frame: object) -> None:
    os.write(2, b"error: interrupted\n")
    os._exit(130)


if _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
    _signal.signal(_signal.SIGINT, _leave)


def main() -> None:
    """Run the command line."""
    from topoloom.cli.main import main as run

    run()


if __name__ == "__main__":
    main()
