"""docs/parts.md names every key, every word and every catalogue; its examples run with those of the other pages."""

import re
from typing import get_args

import msgspec
import pytest
from doc_blocks import ROOT
from test_docs import _default

from topoloom.cost import parts, products

PAGE = (ROOT / "docs" / "parts.md").read_text(encoding="utf-8")
TABLES = {
    "The catalogue": parts.Parts,
    "The switches": products.SwitchParts,
    "A product": products.SwitchProduct,
    "A cable": products.CableProduct,
}


@pytest.mark.parametrize("title", TABLES)
def test_every_key_of_a_catalogue_is_documented(title):
    """Each table has one row a key of its Struct, in order, with the right default."""
    section = re.search(rf"^## {title}$(.*?)(?=^#|\Z)", PAGE, re.MULTILINE | re.DOTALL)
    rows = re.findall(r"^\| `(\w+)` \| (.*?) \| (.*?) \| \S", section[1], re.MULTILINE)
    assert [(key, default) for key, _, default in rows] == [
        (field.encode_name, _default(field)) for field in msgspec.structs.fields(TABLES[title])
    ]


def test_every_medium_and_catalogue_is_documented():
    """The words that a medium can be, and the catalogues that come along."""
    catalogues = [path.stem for path in (ROOT / "src/topoloom/cost/data").glob("*.toml")]
    assert len(catalogues) >= 3
    for word in [*(f'"{word}"' for word in get_args(products.Medium)), *catalogues]:
        assert f"`{word}`" in PAGE, word
