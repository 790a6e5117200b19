"""The operation `serve`: the explorer on a port of this machine, until it is stopped."""

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
from topoloom.web.needs import DESIGNS
from topoloom.web.spaces import Spaces
from topoloom.web.uploads import NAME as UPLOADS
from topoloom.web.uploads import Uploads

#: Limits of connections: seconds that an idle one stays open, bytes of a message and of headers; see also `door`.
_IDLE_S, _MESSAGE, _HEADERS = 30, 4096, 32 * 1024
#: Connections that the system queues; with those of `door` they are fewer than the open files of a process.
_WAITING, _FILES = 256, 1024


def serve(
    folders: Sequence[str | os.PathLike[str]] = (),
    *,
    store: str | os.PathLike[str],
    host: str = "127.0.0.1",
    port: int = 8765,
    names: Sequence[str] = (),
    executor: str = "processes",
    executor_options: dict[str, str] | None = None,
    jobs: int | None = None,
    limit_s: float = 3600.0,
    read_only: bool = False,
    token: str | None = None,
    ready: Callable[[str], None] = print,
) -> None:
    """Answer browsers until the process is stopped.

    Parameters
    ----------
    folders : sequence of path
        Folders whose content may be opened.
    store : path
        The folder of records; created if it does not exist.
    host, port : str, int
        The address of the server; port 0 selects any free port.
    names : sequence of str
        Further host names by which browsers reach this machine.
    executor, executor_options, jobs, limit_s
        The executor of long tasks and its options, tasks in parallel, and the time limit of a task in seconds.
    read_only : bool
        Show existing results; start and write nothing.
    token : str, optional
        A new one when omitted.
    ready : callable (str)
        Receives the address, with the token, when the server is ready.

    Raises
    ------
    InputError
        A folder or an executor does not exist, the port is in use, another server uses the store, or the extra `web` is
        not installed.
    """
    check_all(folders, (str, os.PathLike), "serve", "name folders")
    try:
        import uvicorn

        from topoloom.web.app import make_app, new_token
        from topoloom.web.door import Door, Doors
    except ImportError as error:
        raise InputError(f"the explorer needs {error.name}: pip install 'topoloom[web]'") from None
    uploads = Uploads(Path(store))
    spaces = Spaces(folders, {UPLOADS: uploads.folder, DESIGNS: Path(store) / DESIGNS})
    token = token or new_token()
    with (
        Jobs(
            Path(store),
            executor=executor,
            jobs=jobs,
            options=dict(executor_options or {}),
            limit_s=limit_s,
            read_only=read_only,
        ) as queue,
        _listening(host, port) as listening,
        _bounded([*spaces.roots.values(), Path(store)], read_only),
    ):
        bound_port = listening.getsockname()[1]
        shown = f"[{host}]" if ":" in host else host
        host_names = dict.fromkeys([shown, "127.0.0.1", "localhost", "[::1]", *names])
        app = make_app(
            queue,
            spaces,
            uploads,
            token=token,
            hosts=[f"{name}:{bound_port}" for name in host_names],
            read_only=read_only,
        )

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
            """Reports when it is ready."""

            async def startup(self, sockets: list[socket.socket] | None = None) -> None:
                """Start as the parent does, then call `ready`."""
                await super().startup(sockets)
                ready(f"http://{here}:{bound_port}/?token={token}")

        # Ctrl-C and SIGTERM are the regular ways to stop.
        with suppress(KeyboardInterrupt):
            Server(config).run(sockets=[listening])


def _bounded(folders: Sequence[Path], read_only: bool) -> AbstractContextManager[None]:
    """Restrict this process and its workers to files below these folders; with `read_only`, they also write none."""
    bounds = {BELOW: json.dumps([os.path.realpath(folder) for folder in folders])}
    return variables_set(bounds | ({READ_ONLY: "1"} if read_only else {}))


def _allow_files() -> None:
    """Raise the limit of open files to what connections need, where the system allows it."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        if soft != resource.RLIM_INFINITY and soft < _FILES:
            resource.setrlimit(resource.RLIMIT_NOFILE, (_FILES if hard < 0 else min(_FILES, hard), hard))


def _no_goodbyes(record: logging.LogRecord) -> bool:
    """Whether to keep a log line: drop errors about requests that ended because the server stops."""
    return not (record.exc_info and isinstance(record.exc_info[1], asyncio.CancelledError))


def _listening(host: str, port: int) -> socket.socket:
    """A listening socket.

    Raises
    ------
    InputError
        The port is in use, or the host is not an address of this machine.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Created for TCP explicitly, so that asyncio disables Nagle's algorithm: otherwise each answer would take 40 ms.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
    except (OSError, OverflowError) as error:
        listening.close()
        reason = os.strerror(error.errno) if isinstance(error, OSError) and error.errno else str(error)
        raise InputError(f"`host` {host}, `port` {port}: {reason}; give another port, or 0 for any free one") from None
    return listening
