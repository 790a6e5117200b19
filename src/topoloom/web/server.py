"""`serve`: the explorer on a port of this machine, until it is stopped."""

import asyncio
import json
import logging
import os
import socket
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, suppress
from pathlib import Path

from topoloom.core.errors import InputError, check_all
from topoloom.core.files import BELOW, READ_ONLY
from topoloom.core.surroundings import variables_set
from topoloom.web.jobs import Jobs
from topoloom.web.spaces import Spaces

#: What is bounded of connections: seconds that an idle one stays, bytes of a message and of headers; see also `door`.
_IDLE_S, _MESSAGE, _HEADERS = 30, 4096, 32 * 1024
#: Connections that the system keeps until they are looked at; with those of `door` they are fewer than the files of a process.
_WAITING, _FILES = 256, 1024


def serve(
    folders: Sequence[str | os.PathLike[str]] = (),
    *,
    store: str | os.PathLike[str],
    host: str = "127.0.0.1",
    port: int = 8765,
    names: Sequence[str] = (),
    executor: str = "processes",
    jobs: int | None = None,
    limit_s: float = 3600.0,
    read_only: bool = False,
    token: str | None = None,
    ready: Callable[[str], None] = print,
) -> None:
    """Answer browsers until the process is told to end.

    Parameters
    ----------
    folders : sequence of path
        What lies below them may be opened.
    store : path
        The folder of records; made if it is not there.
    host, port : str, int
        Where it answers; port 0 is any that is free.
    names : sequence of str
        Further names by which browsers know this machine.
    executor, jobs, limit_s
        Who runs what takes long, how many tasks side by side, and seconds of a task.
    read_only : bool
        Show what is done, begin nothing and write nothing.
    token : str, optional
        A new one when omitted.
    ready : callable (str)
        Told the address, token included, when requests are answered.

    Raises
    ------
    InputError
        A folder that is none, an executor that is none, a port that is taken, a store that another server has; the extra
        `web` is not installed.
    """
    check_all(folders, (str, os.PathLike), "serve", "name folders")
    try:
        import uvicorn

        from topoloom.web.app import make_app, new_token
        from topoloom.web.door import Door, Doors
    except ImportError as error:
        raise InputError(f"the explorer needs {error.name}: pip install 'topoloom[web]'") from None
    spaces = Spaces(folders)
    token = token or new_token()
    with (
        Jobs(Path(store), executor=executor, jobs=jobs, limit_s=limit_s, read_only=read_only) as queue,
        _listening(host, port) as listening,
        _bounded([*spaces.roots.values(), Path(store)], read_only),
    ):
        found = listening.getsockname()[1]
        shown = f"[{host}]" if ":" in host else host
        known = dict.fromkeys([shown, "127.0.0.1", "localhost", "[::1]", *names])
        app = make_app(queue, spaces, token=token, hosts=[f"{name}:{found}" for name in known], read_only=read_only)

        class OwnDoor(Door):
            """A connection of this server."""

            doors = Doors()

        config = uvicorn.Config(
            app,
            http=OwnDoor,
            log_level="warning",
            access_log=False,
            server_header=False,
            proxy_headers=False,
            ws="websockets-sansio",
            ws_max_size=_MESSAGE,
            backlog=_WAITING,
            timeout_keep_alive=_IDLE_S,
            timeout_graceful_shutdown=2,
            h11_max_incomplete_event_size=_HEADERS,
        )
        _allow_files()
        log = logging.getLogger("uvicorn.error")
        log.setLevel(logging.ERROR)
        log.addFilter(_no_goodbyes)
        here = "localhost" if host in ("0.0.0.0", "::") else shown

        class Server(uvicorn.Server):
            """Tells when it answers."""

            async def startup(self, sockets: list[socket.socket] | None = None) -> None:
                """As its parent's, and a word when it is done."""
                await super().startup(sockets)
                ready(f"http://{here}:{found}/?token={token}")

        # Ctrl-C and SIGTERM are how it ends.
        with suppress(KeyboardInterrupt):
            Server(config).run(sockets=[listening])


def _bounded(folders: Sequence[Path], read_only: bool) -> AbstractContextManager[None]:
    """This process and its workers open no files of users elsewhere, whatever a task says; if `read_only`, they finish none."""
    bounds = {BELOW: json.dumps([os.path.realpath(folder) for folder in folders])}
    return variables_set(bounds | ({READ_ONLY: "1"} if read_only else {}))


def _allow_files() -> None:
    """As many open files as connections need, where the system lets us have them."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        if soft != resource.RLIM_INFINITY and soft < _FILES:
            resource.setrlimit(resource.RLIMIT_NOFILE, (_FILES if hard < 0 else min(_FILES, hard), hard))


def _no_goodbyes(record: logging.LogRecord) -> bool:
    """Whether a line of the log is no complaint that a request was ended because the server ends."""
    return not (record.exc_info and isinstance(record.exc_info[1], asyncio.CancelledError))


def _listening(host: str, port: int) -> socket.socket:
    """A socket that listens.

    Raises
    ------
    InputError
        The port is taken, or the host is none of this machine's.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Named as TCP, or asyncio would not switch Nagle's algorithm off: each answer would take 40 ms.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
    except (OSError, OverflowError) as error:
        listening.close()
        told = os.strerror(error.errno) if isinstance(error, OSError) and error.errno else str(error)
        raise InputError(
            f"`host` {host}, `port` {port}: {told}; take another port, or 0 for any that is free"
        ) from None
    return listening
