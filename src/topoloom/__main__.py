"""`python -m topoloom`, and the command `topoloom`: Ctrl-C is answered in one line from the first moment on."""

import os
import signal


def main() -> None:
    """Run the command line."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _leave)
    from topoloom.cli.main import main as run

    run()


def _leave(_number: int, _frame: object) -> None:
    os.write(2, b"error: interrupted\n")
    os._exit(130)


if __name__ == "__main__":
    main()
