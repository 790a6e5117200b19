"""Node: what a task needs of the machine that it runs on."""

from typing import Annotated, ClassVar

import msgspec

from topoloom.settings import setting
from topoloom.toml_files import TomlTable


class Node(TomlTable, frozen=True):
    """The table [run.node]: threads and memory of a task, and what the shell of a worker does first."""

    group: ClassVar[str] = "study [run.node]"

    threads: Annotated[int, setting("threads of a task; no number depends on them", least=1, most=4096)] = 1
    memory_gb: (
        Annotated[
            float,
            setting(
                "memory that a task takes; left out, what the tasks before it took at most",
                unit="GB",
                above=0,
                most=1e6,
            ),
        ]
        | None
    ) = None
    setup: Annotated[
        tuple[str, ...], setting("shell commands before a worker on a cluster starts: module load, source venv")
    ] = ()
    environment: Annotated[dict[str, str], setting("variables that workers are given")] = msgspec.field(
        default_factory=dict
    )
