"""The requests of the first page: requirements, candidates and uploads."""

from typing import TYPE_CHECKING, Any

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.websockets import WebSocket

from topoloom.core.errors import InputError
from topoloom.designer.design import Design
from topoloom.report.design_data import design_data
from topoloom.web.needs import measured_so_far, requirement_text
from topoloom.web.operations import WRITE_DESIGN

if TYPE_CHECKING:
    from topoloom.web.app import Explorer

#: The operations that measure candidates.
_DESIGNING = ("design", WRITE_DESIGN)
READ_ONLY = "this server shows existing results only; it starts and changes nothing (--read-only)"


def json_answer(content: Any, status: int = 200) -> Response:
    """An answer in JSON."""
    return Response(msgspec.json.encode(content), status, media_type="application/json")


def design_routes() -> list[Route]:
    """The routes of these requests."""
    return [
        Route("/api/tasks/{digest:str}/measured", _measured),
        Route("/api/tasks/{digest:str}/requirement", _text),
        Route("/api/tasks/{digest:str}/candidates", _candidates),
        Route("/api/uploads", _upload, methods=["POST"]),
        Route("/api/uploads", _remove_upload, methods=["DELETE"]),
    ]


def explorer_of(request: Request | WebSocket) -> "Explorer":
    """The state that all requests share."""
    explorer: Explorer = request.app.state.explorer
    return explorer


async def _measured(request: Request) -> Response:
    """The candidates that a design has measured so far."""
    job = explorer_of(request).jobs.find(request.path_params["digest"])
    if job is None or job.task.operation not in _DESIGNING:
        return json_answer({"error": "no such design was requested"}, 404)
    return json_answer(await run_in_threadpool(measured_so_far, job.task))


async def _text(request: Request) -> Response:
    """The requirement of a design, or of a check."""
    explorer, digest = explorer_of(request), request.path_params["digest"]
    job = explorer.jobs.find(digest)
    record = None if job is not None else await run_in_threadpool(explorer.jobs.record, digest)
    task = job.task if job is not None else record.task if record is not None else None
    if task is None:
        return json_answer({"error": "no such task was requested"}, 404)
    return json_answer({"text": await run_in_threadpool(requirement_text, task, explorer.spaces)})


async def _candidates(request: Request) -> Response:
    """All candidates of a design, with the columns and looks of its report."""
    jobs = explorer_of(request).jobs
    record = await run_in_threadpool(jobs.record, request.path_params["digest"])
    if record is None or record.task.operation not in _DESIGNING:
        return json_answer({"error": "no such design is done"}, 404)
    return json_answer(await run_in_threadpool(lambda: design_data(record.result_as(jobs.folder, Design))))


async def _upload(request: Request) -> Response:
    """Store the body as the file ``?name=NAME``, or the texts of several files: ``{"files": {"NAME": "text"}}``."""
    explorer = explorer_of(request)
    if explorer.read_only:
        return json_answer({"error": READ_ONLY}, 403)
    body, name = await request.body(), request.query_params.get("name")
    if name is None:
        try:
            files = {name: text.encode() for name, text in msgspec.json.decode(body, type=_UploadedTexts).files.items()}
        except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
            raise InputError(f"uploads: {error}"[:300]) from None
    else:
        files = {name: body}
    return json_answer({"addresses": await run_in_threadpool(explorer.uploads.put, files)}, 201)


class _UploadedTexts(msgspec.Struct, forbid_unknown_fields=True):
    files: dict[str, str]


async def _remove_upload(request: Request) -> Response:
    explorer = explorer_of(request)
    if explorer.read_only:
        return json_answer({"error": READ_ONLY}, 403)
    await run_in_threadpool(explorer.uploads.remove, request.query_params.get("name", ""))
    return json_answer({"removed": True})
