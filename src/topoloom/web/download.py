"""The operation `download`: the files of `topoloom export` as one ZIP file in a record, so that a browser can save them."""

import base64
import io
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from topoloom.core.errors import InputError
from topoloom.core.staging import Content
from topoloom.fabric.exports.registry import EXPORTS, export_named, made_of
from topoloom.machine.exports.kinds import MACHINE_EXPORTS
from topoloom.machine.exports.nodes import is_scheduler
from topoloom.operations.catalogue.export import ExportOperation
from topoloom.operations.context import RunContext
from topoloom.operations.operation import operation

#: Most bytes of a ZIP file in a record; larger ones are written by the command.
MOST_BYTES = 16 << 20
#: The time that ZIP files state, so that equal files give equal records.
_EPOCH = (1980, 1, 1, 0, 0, 0)


@operation
class DownloadOperation(ExportOperation, frozen=True, kw_only=True):
    """The files of `topoloom export`, as one ZIP file."""

    group: ClassVar[str] = "download"
    studied: ClassVar[bool] = True

    def run(self, context: RunContext) -> Any:
        contents: Mapping[str, Content] = self.machine_files().files if self.of_machine else self._of_network(context)
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for name in sorted(contents):
                content = contents[name]
                data = content.read_bytes() if isinstance(content, Path) else content
                archive.writestr(zipfile.ZipInfo(name, _EPOCH), data, zipfile.ZIP_DEFLATED)
        if packed.tell() > MOST_BYTES:
            raise InputError(
                f"the files of {self.kind} have {packed.tell() >> 20} MB, too much for a browser; 'topoloom export"
                f" {self.topology} {self.kind} -o FOLDER' writes them"
            )
        return {
            "schema": "topoloom/download/1",
            "name": f"{self.kind.partition(':')[0]}.zip",
            "files": sorted(contents),
            "zip": base64.b64encode(packed.getvalue()).decode(),
        }

    def _of_network(self, context: RunContext) -> dict[str, str | bytes]:
        record, options = export_named(self.kind)
        return made_of(record, self.request(self.routed_network(context)), options)


def export_kinds() -> list[dict[str, str]]:
    """The kinds of exports of a network and of a machine, each with one line of help.

    Returns
    -------
    list of dict
        ``of``, "network" or "machine"; ``kind``; ``words``.
    """
    kinds = [{"of": "network", "kind": name, "words": record.help} for name, record in EXPORTS.items()]
    kinds += [{"of": "machine", "kind": name, "words": kind.words} for name, kind in MACHINE_EXPORTS.items()]
    schedulers = [(name, record) for name, record in EXPORTS.items() if is_scheduler(record)]
    return kinds + [{"of": "machine", "kind": name, "words": record.help} for name, record in schedulers]
