"""`topoloom serve`: the explorer, in the browser."""

import os
import sys
from pathlib import Path

import click

from topoloom.cli.output import say
from topoloom.cli.signals import ends_by_signals
from topoloom.cli.types import Number, Whole
from topoloom.core.errors import InputError

#: Hosts that only this machine reaches.
_LOOPBACK = ("127.0.0.1", "::1", "localhost")


@click.command(
    help="""Open the explorer in the browser: design, draw, simulate and look at what is in each FOLDER.

    It answers this machine alone, unless --host says otherwise, and whoever has the token in the address that it prints.
    Over ssh: ssh -L 8765:localhost:8765 MACHINE, and the same address. Everything that a page shows is a task with a record,
    which stays when the server ends or is killed."""
)
@click.argument("folders", metavar="[FOLDER]...", nargs=-1)
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to answer at.")
@click.option("--port", type=Whole(0, 65535), default=8765, show_default=True, help="0: any that is free.")
@click.option(
    "--name", "names", multiple=True, help="Another name by which browsers know this machine; may be repeated."
)
@click.option("--store", type=click.Path(file_okay=False), help="Folder of records; in the user's cache when left out.")
@click.option(
    "--executor", default="processes", show_default=True, help="Who runs what takes long, as in topoloom study."
)
@click.option("--jobs", type=Whole(1, 100_000), help="Tasks side by side; every core when left out.")
@click.option(
    "--time-limit", type=Number(above=0, unit="seconds"), default=3600.0, show_default="3600", help="Seconds of a task."
)
@click.option("--read-only", is_flag=True, help="Show what is done; begin nothing, write nothing.")
@click.option("--token", envvar="TOPOLOOM_TOKEN", help="The token in place of a new one; better in TOPOLOOM_TOKEN.")
@click.option("--no-browser", is_flag=True, help="Open no browser.")
def command(
    folders: tuple[str, ...],
    host: str,
    port: int,
    names: tuple[str, ...],
    store: str | None,
    executor: str,
    jobs: int | None,
    time_limit: float,
    read_only: bool,
    token: str | None,
    no_browser: bool,
) -> None:
    from topoloom.web.browser import browsers
    from topoloom.web.server import serve

    if token is not None and not (
        8 <= len(token) <= 200 and token.isascii() and token.replace("-", "").replace("_", "").isalnum()
    ):
        raise InputError("--token: 8 to 200 letters, digits, - and _")
    os.environ.pop("TOPOLOOM_TOKEN", None)  # it is not for the browser, nor for workers and what they run
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser()) / "topoloom" / "explorer"

    def ready(address: str) -> None:
        say(f"topoloom is at {address}")
        if host not in _LOOPBACK:
            say("it answers other machines, without encryption: in a network that is not yours use ssh -L", err=True)
        say("Ctrl-C ends it; what is finished stays", err=True)
        if not no_browser and _has_screen():
            follow(address)

    ends_by_signals()
    with browsers() as follow:
        serve(
            folders,
            store=home if store is None else store,
            host=host,
            port=port,
            names=names,
            executor=executor,
            jobs=jobs,
            limit_s=time_limit,
            read_only=read_only,
            token=token,
            ready=ready,
        )


def _has_screen() -> bool:
    return sys.platform in ("darwin", "win32") or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
