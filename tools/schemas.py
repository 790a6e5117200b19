"""Write docs/schemas/RECORD-VERSION.json, the JSON Schema of every public record: .venv/bin/python tools/schemas.py"""

import json
import runpy
from pathlib import Path

from topoloom.model.results import schema_id
from topoloom.model.schemas import json_schema

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs" / "schemas"


def schemas() -> dict[str, str]:
    """The text of each file by its name."""
    result_types = runpy.run_path(str(ROOT / "docs" / "_ext" / "public_names.py"))["result_types"]()
    return {
        file_name(schema_id(result_type)): json.dumps(json_schema(result_type), indent=1) + "\n"
        for result_type in result_types
    }


def file_name(schema: str) -> str:
    """The file name of a schema: ``hops-1.json`` for ``topoloom/hops/1``."""
    return schema.removeprefix("topoloom/").replace("/", "-") + ".json"


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, text in schemas().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
