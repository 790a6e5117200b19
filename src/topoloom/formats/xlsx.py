"""Workbooks (.xlsx) with one row per cable: any that `sheet` reads; written with the heads of NVIDIA's P2P sheets."""

from topoloom.core.workbooks import workbook_bytes
from topoloom.fabric.fabric import Fabric
from topoloom.formats._named_format import register_named_format
from topoloom.formats.sheet import FORM, cables_in, p2p_table

NAME = "xlsx"


def write_fabric(fabric: Fabric) -> bytes:
    """A workbook with one sheet, P2P: one row per cable, hosts' cables last. All cells are texts, never formulas."""
    heads, rows = p2p_table(fabric)
    return workbook_bytes({"P2P": [heads, *rows]})


register_named_format(
    NAME,
    (".xlsx",),
    "workbook with one row per cable, A to Z: any heads",
    cables_in,
    FORM,
    rates=True,
    isolated=False,
    columned=True,
    write_fabric=write_fabric,
)
