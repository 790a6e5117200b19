"""Calls as tasks: how a call travels to a worker of a study's executors, how it is carried out there, and its answer.

Small arguments are in the task. Shared ones are pickled files in the folder of the tasks, whose names are the digests of their
contents: a worker reads only what the client wrote. Answers are MessagePack, read back by the type hints of the function, so
that reading a store never runs code.
"""

import base64
import hashlib
import importlib
import pickle
from collections import OrderedDict
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, get_type_hints

import msgspec
import numpy as np

from topoloom._version import __version__
from topoloom.core.calls import Call, ExecutorError, Shared, carried_out_anywhere
from topoloom.core.errors import InputError, Stopped
from topoloom.core.files import write_atomically
from topoloom.operations.context import RunContext
from topoloom.studies.record import Record
from topoloom.studies.task import Task, TaskFile

#: The folder of shared arguments, in the folder of the tasks.
_SHARED = "shared"
#: The beginning of the reason of a call that has reached its time limit.
_TOO_LONG = "it took more than"
#: Bytes of shared arguments, as written, that a worker keeps, since the next task may use them too; the last one in any case.
_MOST_KEPT_BYTES = 64 << 20


class CallAnswer(msgspec.Struct, frozen=True, omit_defaults=True):
    """The result of a call in its record: the value, or the sentence with which the function refused its arguments.

    Attributes
    ----------
    value : str
        MessagePack, in base64.
    refused : str
    """

    value: str = ""
    refused: str = ""


def task_of_call(call: Call, folder: Path) -> Task:
    """The task of a call; its shared arguments are written into the folder, once each.

    Parameters
    ----------
    call : Call
    folder : Path
        The folder of the store.

    Returns
    -------
    Task
        Its digest depends on the function, the arguments, the keys of shared ones, and the version of topoloom.

    Raises
    ------
    InputError
        A shared argument cannot be pickled or written.
    """
    files = {name: _written(shared, folder) for name, shared in call.shared.items()}
    return Task(
        f"{call.function.__module__}:{call.function.__qualname__}",
        {"about": call.about, "packed": _packed(dict(call.arguments)), "version": __version__},
        files,
        msgspec.UNSET if call.seconds is None else call.seconds,
    )


def is_call(task: Task) -> bool:
    """Whether a task is a call; names of operations have no colon."""
    return ":" in task.operation


def run_call(task: Task, context: RunContext) -> dict[str, Any]:
    """Carry out a call.

    Parameters
    ----------
    task : Task
    context : RunContext
        The threads of a task; can stop it.

    Returns
    -------
    dict
        A `CallAnswer` as JSON types.

    Raises
    ------
    InputError
        This worker has another version of topoloom, cannot import the function or read a shared argument; or the call has
        reached its time limit.
    Stopped
        The work was stopped.
    """
    if task.arguments.get("version") != __version__:
        raise InputError(
            f"the worker has topoloom {__version__}, and the task is of topoloom {task.arguments.get('version')}; install"
            " the same version there"
        )
    function = _function(task.operation)
    shared = {name: _shared(Path(file.path)) for name, file in task.files.items()}
    given: dict[str, Any] = _unpacked(task.arguments["packed"], dict[str, Any])
    hints = _hints(function)
    arguments = {name: msgspec.convert(value, hints[name], dec_hook=_read_hook) for name, value in given.items()}
    work = context.work if isinstance(task.seconds, msgspec.UnsetType) else context.work.budget(task.seconds)
    try:
        value = function(**arguments, **shared, work=work, jobs=context.jobs)
    except Stopped:
        context.work.check()
        raise InputError(f"{_TOO_LONG} {task.seconds:g} s") from None
    except InputError as error:
        answer = CallAnswer(refused=str(error))
    else:
        answer = CallAnswer(_packed(value))
    plain: dict[str, Any] = msgspec.to_builtins(answer)
    return plain


def answer_of(call: Call, record: Record) -> Any:
    """The return value of a call, from its record.

    Raises
    ------
    InputError
        The function raised it; as `ExecutorError`, no worker could carry out the call.
    Stopped
        The call has reached its time limit.
    """
    if record.state == "failed":
        if record.error.startswith(_TOO_LONG):
            raise Stopped(record.error)
        raise ExecutorError(f"{call.about}: {record.error}; what is finished is stored, run it again to continue")
    answer = msgspec.json.decode(bytes(record.result), type=CallAnswer)
    if answer.refused:
        raise InputError(answer.refused)
    return _unpacked(answer.value, _hints(call.function)["return"])


@cache
def _hints(function: Callable[..., Any]) -> dict[str, Any]:
    return get_type_hints(function)


def _function(place: str) -> Callable[..., Any]:
    """The function of a call.

    Raises
    ------
    InputError
        It cannot be imported, or is no part of an operation.
    """
    module, _, name = place.partition(":")
    try:
        function = getattr(importlib.import_module(module), name, None)
    except ImportError as error:
        raise InputError(
            f"the worker cannot import {module}: {error}; install the same packages there as on this machine"
        ) from None
    if function is None or not carried_out_anywhere(function):
        raise InputError(f"{place} is not a part of an operation that a worker carries out")
    checked: Callable[..., Any] = function
    return checked


def _written(shared: Shared, folder: Path) -> TaskFile:
    """Write a shared argument, unless this process has written it there before."""
    path = _PATHS.get((folder, shared.key))
    if path is None or not path.is_file():
        try:
            data = pickle.dumps(shared.value, pickle.HIGHEST_PROTOCOL)
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            raise InputError(
                f"it cannot be sent to another process ({error}); functions of your own must be those of a module that"
                " workers import"
            ) from None
        path = folder.resolve() / _SHARED / hashlib.sha256(data).hexdigest()
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, data)
        _PATHS[folder, shared.key] = path
    return TaskFile(str(path), shared.key)


#: Where this process has written shared arguments, by folder and key.
_PATHS: dict[tuple[Path, str], Path] = {}
#: The shared arguments that this process has read last, by the digest of their content.
_VALUES: OrderedDict[str, tuple[Any, int]] = OrderedDict()


def missing_files(tasks: list[Task]) -> list[str]:
    """The files of calls that this machine lacks: a worker of Dask may not see the client's folders."""
    paths = [Path(file.path) for task in tasks if is_call(task) for file in task.files.values()]
    return [str(path) for path in paths if path.name not in _VALUES and not path.is_file()]


def take_contents(contents: dict[str, bytes]) -> None:
    """Take the contents of files that this machine lacks, by path.

    Raises
    ------
    InputError
        A content is not that of its name.
    """
    for path, data in contents.items():
        _keep(Path(path), data)


def _shared(path: Path) -> Any:
    """The value of a shared argument.

    Raises
    ------
    InputError
        The file cannot be read, or has another content than its name says.
    """
    if path.name not in _VALUES:
        try:
            data = path.read_bytes()
        except OSError as error:
            raise InputError(
                f"{path}: cannot be read on the worker: {error.strerror}; put the folder of tasks on a file system that all"
                " workers share"
            ) from None
        _keep(path, data)
    _VALUES.move_to_end(path.name)
    return _VALUES[path.name][0]


def _keep(path: Path, data: bytes) -> None:
    if hashlib.sha256(data).hexdigest() != path.name:
        raise InputError(f"{path}: has another content than its name says; remove the folder of tasks")
    _VALUES[path.name] = pickle.loads(data), len(data)
    while len(_VALUES) > 1 and sum(size for _, size in _VALUES.values()) > _MOST_KEPT_BYTES:
        _VALUES.popitem(last=False)


def _packed(value: Any) -> str:
    return base64.b64encode(msgspec.msgpack.encode(value, enc_hook=_write_hook, order="deterministic")).decode()


def _unpacked(text: str, kind: Any) -> Any:
    return msgspec.msgpack.decode(base64.b64decode(text), type=kind, dec_hook=_read_hook)


def _write_hook(value: Any) -> Any:
    """An array as its type, shape and bytes; the number of a NumPy scalar."""
    if isinstance(value, np.ndarray):
        return [value.dtype.str, list(value.shape), np.ascontiguousarray(value).tobytes()]
    if isinstance(value, np.generic):
        return value.item()
    raise NotImplementedError(type(value).__name__)


def _read_hook(kind: type, value: Any) -> Any:
    if kind is np.ndarray:
        dtype, shape, data = value
        return np.frombuffer(data, np.dtype(dtype)).reshape(shape).copy()
    raise NotImplementedError(kind.__name__)
