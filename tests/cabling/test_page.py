"""docs/how-to/order-and-label-cables.md says what the files hold."""

import re
from pathlib import Path

import pytest
from cabling_cases import FABRIC, stand

from topoloom import build, place
from topoloom.cabling.cabling import cable
from topoloom.cabling.fibre_lists import fibre_lists
from topoloom.cabling.labels import label
from topoloom.cabling.lists import bundles_csv, labels_csv, order_csv
from topoloom.cabling.netbox import netbox_files
from topoloom.formats.cables import COLUMNS

TEXT = (Path(__file__).parents[2] / "docs" / "how-to" / "order-and-label-cables.md").read_text(encoding="utf-8")
CABLING = cable(stand(FABRIC, 3))
LABELS = label(CABLING)
PANELLED = cable(
    place(build("fat-tree:k=8"), map="rows", parts="ethernet-2026", rate_gbps=400, panels="field"), "ethernet-2026", 400
)
LISTS = {
    "cables.csv": ",".join(COLUMNS),
    "labels.csv": labels_csv(CABLING, LABELS),
    "bundles.csv": bundles_csv(CABLING),
    "order.csv": order_csv(CABLING.bought),
    **fibre_lists(PANELLED, label(PANELLED)),
}


@pytest.mark.parametrize("name", LISTS)
def test_every_column_is_documented(name):
    """The section of a list has a row for each of its columns, in their order."""
    section = re.search(rf"^## `{re.escape(name)}`$(.*?)(?=^## |\Z)", TEXT, re.MULTILINE | re.DOTALL)
    assert re.findall(r"^\| `(\w+)` \|", section[1], re.MULTILINE) == LISTS[name].splitlines()[0].split(",")


def test_every_file_for_netbox_is_documented():
    """The table has the files in the order of their import, and their columns."""
    rows = re.findall(r"^\| `([\w-]+\.csv)` \| (`.*?`) \|", TEXT, re.MULTILINE)
    found = netbox_files(PANELLED, label(PANELLED))
    assert [(name, re.findall(r"`(\w+)`", columns)) for name, columns in rows] == [
        (name, text.splitlines()[0].split(",")) for name, text in found.items()
    ]
