"""The resources of a task on the machine that runs it."""

import re
from typing import Annotated, ClassVar

import msgspec

from topoloom.core.errors import InputError
from topoloom.core.settings import setting, shown
from topoloom.core.toml_files import TomlTable

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)


class WorkerNode(TomlTable, frozen=True):
    """The table [run.node]: threads and memory of a task, and the setup of a worker's shell."""

    group: ClassVar[str] = "study [run.node]"

    threads: Annotated[int, setting("threads per task; no result depends on them", least=1, most=4096)] = 1
    memory_gb: (
        Annotated[
            float,
            setting("memory of a task; if omitted, the most that earlier tasks took", unit="GB", above=0, most=1e6),
        ]
        | None
    ) = None
    setup: Annotated[tuple[str, ...], setting("shell commands before a worker on a cluster starts; needs --trust")] = ()
    environment: Annotated[
        dict[str, str], setting("environment variables of workers; all except LANG, TZ and *_NUM_THREADS need --trust")
    ] = msgspec.field(default_factory=dict)

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, value in self.environment.items():
            if not _NAME.fullmatch(name):
                raise InputError(
                    f"environment: {shown(name)} is not a variable's name; use letters, digits and _, as in OMP_NUM_THREADS"
                )
            if "\0" in value:
                raise InputError(f"environment: the value of {name} contains a zero byte; remove it")
