"""The server: pages, the catalogue, tasks and their records, folders, and a websocket that reports changes."""

import asyncio
import mimetypes
import os
import secrets
import threading
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any

import msgspec
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp
from starlette.websockets import WebSocket, WebSocketDisconnect

from topoloom.core.errors import InputError
from topoloom.studies.task import Task, task_of
from topoloom.web.assets import asset, explorer_script, explorer_style
from topoloom.web.curves import curves_of_records, curves_of_study, load_units
from topoloom.web.design_routes import READ_ONLY, design_routes, explorer_of, json_answer
from topoloom.web.forms import form_data, rule_data
from topoloom.web.guard import FILE_POLICY, Guard
from topoloom.web.jobs import Job, Jobs
from topoloom.web.needs import kept_requirement, placed_text
from topoloom.web.operations import WRITE_DESIGN
from topoloom.web.previews import Previews, preview
from topoloom.web.saying import job_view
from topoloom.web.spaces import Spaces
from topoloom.web.uploads import Uploads

#: The pages of the explorer: the same document, which its scripts fill.
PAGES = ("/", "/compare", "/network", "/cabling", "/studies", "/tasks", "/folders")
#: The operations that pages may request.
REQUESTABLE = (
    "app",
    "collective",
    "compare",
    "cost",
    "degradation",
    "design",
    "discoveries",
    "download",
    "draw",
    "elevations",
    "facility",
    "grow",
    "stages",
    "hops",
    "info",
    "layout",
    "machine-report",
    "losses",
    "outage",
    "requirement",
    "quality",
    "resilience",
    "route",
    "simulate",
    "stand",
    "trace",
    "verify",
    "watch",
)
#: The arguments of operations that name parts of a network.
_NAMES = {"outage": ("lost", "pair"), "trace": ("lost",)}
#: Changes that wait for a slow browser; older ones are dropped then, and the browser polls.
_MOST_CHANGES = 256
#: Most characters of a browser's message: browsers need not send any.
_MOST_MESSAGE = 1024
#: Most characters of a task's arguments, which lists of tasks contain.
_MOST_ARGUMENTS = 250_000
#: Bytes of a file that are sent at a time.
_PIECE = 1 << 18
_collecting = threading.Lock()


class Explorer:
    """The state that all requests share.

    Parameters
    ----------
    jobs : Jobs
    spaces : Spaces
    uploads : Uploads
    read_only : bool
        Existing results are shown, and nothing is started.
    """

    def __init__(self, jobs: Jobs, spaces: Spaces, uploads: Uploads, read_only: bool) -> None:
        self.jobs, self.spaces, self.uploads, self.read_only = jobs, spaces, uploads, read_only
        self.previews = Previews()
        self.listeners: set[asyncio.Queue[bytes]] = set()
        self._loop: asyncio.AbstractEventLoop | None = None

    def listen(self) -> None:
        """Report changes of jobs in this loop from now on."""
        self._loop = asyncio.get_running_loop()
        self.jobs.changed = self._changed

    def _changed(self, job: Job) -> None:
        loop, message = self._loop, msgspec.json.encode(job_view(job))
        if loop is not None:
            with suppress(RuntimeError):  # the loop is closed
                loop.call_soon_threadsafe(self._send, message)

    def _send(self, message: bytes) -> None:
        for queue in self.listeners:
            if queue.full():
                with suppress(asyncio.QueueEmpty):
                    queue.get_nowait()
            queue.put_nowait(message)

    @staticmethod
    def requested(body: bytes) -> tuple[str, dict[str, Any], dict[str, Any]]:
        """The operation and the arguments in a request's body, and the whole body.

        Raises
        ------
        InputError
            The body is not that of a task.
        """
        try:
            content = msgspec.json.decode(body, type=dict[str, Any])
            operation, arguments = content["operation"], content["arguments"]
            if not (isinstance(operation, str) and isinstance(arguments, dict)):
                raise TypeError
        except (msgspec.DecodeError, KeyError, TypeError, UnicodeDecodeError, RecursionError) as error:
            what = f"{error}; " if isinstance(error, (msgspec.DecodeError, UnicodeDecodeError)) else ""
            raise InputError(
                what + 'send a task as {"operation": "info", "arguments": {"topology": "petersen"}}'
            ) from None
        return operation, arguments, content

    def task(self, operation: str, arguments: dict[str, Any]) -> Task:
        """The task that a page requests.

        Raises
        ------
        InputError
            The operation may not be requested, an argument is unknown, or a file is not in a served folder.
        """
        if operation not in REQUESTABLE:
            raise InputError(f"the explorer does not offer the operation '{operation[:40]}'")
        if operation == "requirement":
            arguments = arguments | {"text": placed_text(str(arguments.get("text", "")), self.spaces)[0]}
        elif operation == "design":
            arguments = kept_requirement(self.jobs.folder, self.spaces, arguments, write=not self.read_only)
            operation = WRITE_DESIGN if "folder" in arguments else operation
        else:
            arguments = self.spaces.check(arguments, _NAMES.get(operation, ()))
        if len(msgspec.json.encode(arguments)) > _MOST_ARGUMENTS:
            raise InputError(
                f"{operation}: a task has at most {_MOST_ARGUMENTS:,} characters of arguments; shorten a list"
            )
        # Every file has its absolute path by now, so relative names cannot be files.
        return task_of(operation, arguments, os.devnull)


def make_app(
    jobs: Jobs, spaces: Spaces, uploads: Uploads, *, token: str, hosts: Sequence[str], read_only: bool = False
) -> ASGIApp:
    """The server as an ASGI application.

    Parameters
    ----------
    jobs : Jobs
        Started and closed with the application.
    spaces : Spaces
        The served folders.
    uploads : Uploads
        The files that browsers send.
    token : str
        The token that the first address must contain.
    hosts : sequence of str
        Allowed values of a request's Host, with ports.
    read_only : bool
        Start nothing.

    Returns
    -------
    ASGI application
    """
    explorer = Explorer(jobs, spaces, uploads, read_only)

    @asynccontextmanager
    async def life(_app: Starlette) -> AsyncIterator[None]:
        explorer.listen()
        jobs.start()
        # The first page needs the data of the forms, which takes seconds to collect; ending does not wait for it.
        threading.Thread(target=_forms, daemon=True).start()
        yield
        explorer.previews.close()
        await run_in_threadpool(jobs.close)

    routes = [
        *(Route(path, _page) for path in PAGES),
        Route("/favicon.ico", _icon),
        Route("/explorer.js", _script),
        Route("/explorer.css", _style),
        Route("/api/catalogue", _catalogue),
        Route("/api/tasks", _tasks, methods=["GET"]),
        Route("/api/tasks", _submit, methods=["POST"]),
        Route("/api/previews", preview, methods=["POST"]),
        Route("/api/tasks/{digest:str}", _task, methods=["GET"]),
        Route("/api/tasks/{digest:str}", _cancel, methods=["DELETE"]),
        *design_routes(),
        Route("/api/curves", _curves),
        Route("/api/study", _study),
        Route("/api/folders", _folders),
        Route("/api/rules", _rules),
        Route("/files/{address:path}", _file),
        WebSocketRoute("/api/events", _events),
    ]
    app = Starlette(routes=routes, lifespan=life, exception_handlers={InputError: _complain})
    app.router.redirect_slashes = False
    app.state.explorer = explorer
    return Guard(GZipMiddleware(app, minimum_size=2000), token, tuple(hosts))


def new_token() -> str:
    """A token that cannot be guessed."""
    return secrets.token_urlsafe(24)


async def _complain(_request: Request, error: Exception) -> Response:
    return json_answer({"error": str(error)[:2000]}, 400)


async def _page(_request: Request) -> Response:
    return Response(asset("explorer.html"), media_type="text/html; charset=utf-8")


async def _icon(_request: Request) -> Response:
    # Browsers request it for every page without an icon, such as a served report or a file.
    return Response(status_code=204)


async def _script(_request: Request) -> Response:
    return Response(explorer_script(), media_type="text/javascript; charset=utf-8")


async def _style(_request: Request) -> Response:
    return Response(explorer_style(), media_type="text/css; charset=utf-8")


def _forms() -> dict[str, Any]:
    """The data of the forms, collected by one thread while others wait for it."""
    with _collecting:
        return form_data(REQUESTABLE)


async def _catalogue(request: Request) -> Response:
    data = await run_in_threadpool(_forms)
    return json_answer(data | {"read_only": explorer_of(request).read_only})


async def _tasks(request: Request) -> Response:
    return json_answer([job_view(job) for job in explorer_of(request).jobs.all()[:500]])


async def _submit(request: Request) -> Response:
    explorer = explorer_of(request)
    operation, arguments, _ = explorer.requested(await request.body())
    task = await run_in_threadpool(explorer.task, operation, arguments)
    if explorer.read_only:
        job = await run_in_threadpool(explorer.jobs.known, task)
        return json_answer(job_view(job)) if job is not None else json_answer({"error": READ_ONLY}, 403)
    job = await run_in_threadpool(explorer.jobs.submit, task)
    return json_answer(job_view(job), 200 if job.state == "done" else 202)


async def _task(request: Request) -> Response:
    explorer, digest = explorer_of(request), request.path_params["digest"]
    record = await run_in_threadpool(explorer.jobs.record, digest)
    job = explorer.jobs.find(digest)
    if record is not None and (job is None or job.state in ("done", "failed")):
        return json_answer(record)
    if job is None:
        return json_answer({"error": "no such task was requested"}, 404)
    return json_answer(job_view(job), 202)


async def _cancel(request: Request) -> Response:
    explorer = explorer_of(request)
    if explorer.read_only:
        return json_answer({"error": READ_ONLY}, 403)
    done = await run_in_threadpool(explorer.jobs.cancel, request.path_params["digest"])
    return json_answer({"cancelled": done})


async def _curves(request: Request) -> Response:
    """Curves of records, as the report's scripts draw them."""
    query = request.query_params
    wanted, units = query.get("digests", "").split(",")[:400], load_units(query)
    return json_answer(await run_in_threadpool(curves_of_records, explorer_of(request).jobs, wanted, units))


async def _study(request: Request) -> Response:
    """Curves of a study in a served folder."""
    query, spaces = request.query_params, explorer_of(request).spaces
    folder = await run_in_threadpool(spaces.study, query.get("folder", ""))
    chosen = {name: query.get(name) or None for name in ("x", "y", "where")}
    by = query.getlist("by") or None
    return json_answer(await run_in_threadpool(lambda: curves_of_study(folder, by=by, **chosen)))


async def _folders(request: Request) -> Response:
    return json_answer(await run_in_threadpool(explorer_of(request).spaces.listed))


async def _rules(_request: Request) -> Response:
    """The rules of verify, with their meanings and remedies."""
    return json_answer(await run_in_threadpool(rule_data))


async def _file(request: Request) -> Response:
    address = request.path_params["address"]
    file = await run_in_threadpool(explorer_of(request).spaces.open, address)

    def pieces() -> Iterator[bytes]:
        with file:
            while piece := file.read(_PIECE):
                yield piece

    kind = mimetypes.guess_type(address)[0] or "application/octet-stream"
    return StreamingResponse(pieces(), media_type=kind, headers={"content-security-policy": FILE_POLICY})


async def _events(socket: WebSocket) -> None:
    """Send every change to a browser; messages of browsers are ignored, and many or long ones end the connection."""
    explorer = explorer_of(socket)
    await socket.accept()
    queue: asyncio.Queue[bytes] = asyncio.Queue(_MOST_CHANGES)
    explorer.listeners.add(queue)

    async def ignore() -> None:
        for _ in range(64):
            message = await socket.receive_text()
            if len(message) > _MOST_MESSAGE:
                return

    async def report() -> None:
        while True:
            await socket.send_text((await queue.get()).decode())

    both = [asyncio.ensure_future(ignore()), asyncio.ensure_future(report())]
    try:
        await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
    finally:
        explorer.listeners.discard(queue)
        for future in both:
            future.cancel()
            with suppress(asyncio.CancelledError, WebSocketDisconnect, RuntimeError, KeyError):
                await future
        with suppress(RuntimeError, WebSocketDisconnect):  # the socket is closed already
            await socket.close(1008)
