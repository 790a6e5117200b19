"""`topoloom serve`: the explorer, in the browser."""

import os
import sys
from typing import Annotated, ClassVar

import msgspec

from topoloom.cli.declared import declared
from topoloom.cli.output import say
from topoloom.cli.signals import ends_by_signals
from topoloom.core.errors import InputError
from topoloom.core.folders import users_cache
from topoloom.core.settings import Settings, setting
from topoloom.operations.shared import EXECUTOR, Executor, ExecutorOptions, TaskJobs

#: Hosts that only this machine reaches.
_LOOPBACK = ("127.0.0.1", "::1", "localhost")
#: The variable that may hold the token.
_TOKEN = "TOPOLOOM_TOKEN"


class Serve(Settings, frozen=True, kw_only=True):
    """Open the explorer in the browser: design, draw, simulate, and view the contents of each FOLDER.

    The server answers only this machine, unless --host names another address, and only browsers that have the token of the
    printed address. Over ssh: ssh -L 8765:localhost:8765 MACHINE, and the same address. Everything that a page shows is a task
    with a record, which stays when the server ends or is killed.
    """

    group: ClassVar[str] = "serve"

    folders: Annotated[
        tuple[str, ...], setting("folders whose contents may be opened", positional=True, metavar="[FOLDER]...")
    ] = ()
    host: Annotated[str, setting("the address to answer at")] = "127.0.0.1"
    port: Annotated[int, setting("the port to answer at; 0: any that is free", least=0, most=65535)] = 8765
    names: Annotated[
        tuple[str, ...],
        setting("another name by which browsers know this machine; may be repeated", option="--name", metavar="NAME"),
    ] = ()
    store: Annotated[str, setting("folder of records; in the user's cache if omitted", metavar="DIRECTORY")] | None = (
        None
    )
    executor: Executor = EXECUTOR
    executor_options: ExecutorOptions = msgspec.field(default_factory=dict)
    jobs: TaskJobs | None = None
    limit_s: Annotated[
        float,
        setting(
            "time limit per task; a task that takes longer counts as failed", unit="s", above=0, option="--time-limit"
        ),
    ] = 3600.0
    read_only: Annotated[bool, setting("show existing results; start and write nothing")] = False
    token: Annotated[str, setting(f"the token; safer in the variable {_TOKEN}; a new one if omitted")] | None = None
    browser: Annotated[bool, setting("open the browser, if there is a screen")] = True


@declared(Serve)
def command(settings: Serve) -> None:
    from topoloom.web.browser import browsers
    from topoloom.web.server import serve

    from_environment = os.environ.pop(_TOKEN, None)  # hidden from the browser, from workers and from their programs
    token = (from_environment or None) if settings.token is None else settings.token
    if token is not None and not (
        8 <= len(token) <= 200 and token.isascii() and token.replace("-", "").replace("_", "").isalnum()
    ):
        raise InputError("--token: give 8 to 200 letters, digits, - and _")
    home = users_cache() / "explorer"

    def ready(address: str) -> None:
        say(f"topoloom is at {address}")
        if settings.host not in _LOOPBACK:
            say("it answers other machines, without encryption; in a network that is not yours use ssh -L", err=True)
        say("Ctrl-C ends it; finished results stay", err=True)
        if settings.browser and _has_screen():
            follow(address)

    ends_by_signals()
    with browsers() as follow:
        serve(
            settings.folders,
            store=home if settings.store is None else settings.store,
            host=settings.host,
            port=settings.port,
            names=settings.names,
            executor=settings.executor,
            executor_options=dict(settings.executor_options),
            jobs=settings.jobs,
            limit_s=settings.limit_s,
            read_only=settings.read_only,
            token=token,
            ready=ready,
        )


def _has_screen() -> bool:
    return sys.platform in ("darwin", "win32") or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
