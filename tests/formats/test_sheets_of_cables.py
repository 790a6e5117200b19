"""Sheets whose heads do not say which end is which: columns that the user names, and heads that repeat."""

import csv
import shutil
import subprocess

import openpyxl
import pytest

from in_process import run
from topoloom import InputError, diagnose, open_network
from topoloom.fabric.port_names import named_plugs

GERMAN = "Verkabelung Halle 3;;;;\nVon;Port;Nach;Port;Länge\nleaf1;swp31;spine1;swp1;3\n;swp32;spine2;swp1;3\n"
CABLES = {("leaf1:swp31", "spine1:swp1"), ("leaf1:swp32", "spine2:swp1")}


def cables(network):
    """Every cable as a sorted pair of texts ``device:port``."""
    return {tuple(sorted(f"{device}:{port}" for device, port in ends)) for ends in named_plugs(network.fabric)}


def workbook(path, sheets):
    """A workbook with these rows in its sheets."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    book.save(path)


@pytest.fixture
def german(tmp_path):
    """A sheet with heads of another language, one of them twice, under a title."""
    path = tmp_path / "halle.csv"
    path.write_text(GERMAN, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "columns",
    [
        "a_device=Von,a_port=B,b_device=Nach,b_port=D,length=länge",
        "a_device=A, a_port=B, b_device=C, b_port=D, length=E",
        "z_device=3,z_port=4,a_device=1,a_port=2,length=5,heads=2",
    ],
)
def test_columns_are_named_by_heads_letters_and_numbers(german, columns):
    """All ways to name the columns give the same cables and lengths; an empty device is the one above."""
    network = open_network(german, columns=columns)
    assert cables(network) == CABLES
    assert network.fabric.link_length_m.tolist() == [3, 3]


def test_a_sheet_without_heads(tmp_path, caplog):
    """heads=0: the first row is a cable; without it the row that is taken as heads is reported."""
    (tmp_path / "bare.csv").write_text("leaf1,swp31,spine1,swp1\nleaf1,swp32,spine2,swp1\n")
    columns = "a_device=A,a_port=B,b_device=C,b_port=D"
    assert cables(open_network(tmp_path / "bare.csv", columns=f"{columns},heads=0")) == CABLES
    assert not caplog.text
    open_network(tmp_path / "bare.csv", columns=columns)
    assert "row 1 is read as heads" in caplog.text


@pytest.mark.parametrize(
    ("columns", "sentence"),
    [
        (
            "a_device=Von,a_port=Port,b_device=Nach,b_port=D",
            "'Port' is in columns B and D; name one by its letter: a_port=B",
        ),
        (
            "a_device=Vom,a_port=B,b_device=Nach,b_port=D",
            "no column 'Vom'; the heads are 'Von', 'Port', 'Nach', 'Port', 'Länge'",
        ),
        ("a_device=Von,a_port=B,b_device=Nach,b_port=Q", "no column 'Q'"),
        ("a_device=Von,a_port=B,b_device=Nach", "b_port is missing"),
        ("a_devise=Von,a_port=B,b_device=Nach,b_port=D", "'a_devise' is no field; did you mean a_device?"),
        ("a_device=,a_port=B,b_device=Nach,b_port=D", "a_device names no column"),
        ("a_device=Von,a_device=A,a_port=B,b_device=Nach,b_port=D", "a_device is there twice"),
        ("a_device=Von,a_port=B,b_device=Nach,b_port=D,heads=x", "the number of the row"),
        ("a_device=Von,a_port=B,b_device=Nach,b_port=D,heads=90", "has no heads"),
        ('"', "`columns` needs"),
    ],
)
def test_columns_that_are_not_right(german, columns, sentence):
    """Each mistake is one sentence that names the heads or the field."""
    with pytest.raises(InputError) as error:
        open_network(german, columns=columns)
    assert sentence in str(error.value)


@pytest.mark.parametrize("name", ["plan.csv", "plan.p2p.csv", "plan.xlsx"])
def test_heads_that_are_not_known_are_named(tmp_path, name):
    """Without columns, the sentence has the heads of the sheet and the option."""
    if name.endswith("xlsx"):
        workbook(tmp_path / name, {"Plan": [["Von", "Port", "Nach", "Port"], ["a", 1, "b", 2]]})
    else:
        (tmp_path / name).write_text("Von,Port,Nach,Port\na,1,b,2\n")
    with pytest.raises(
        InputError,
        match=r"'Von', 'Port', 'Nach', 'Port'; say what they have: topoloom convert FILE plan\.p2p\.csv --columns",
    ):
        open_network(tmp_path / name)


def test_columns_are_for_sheets():
    """Another format has no columns to name."""
    with pytest.raises(InputError, match="are for sheets, not for the format topoloom"):
        open_network("plan.json", "topoloom", columns="a_device=A,a_port=B,b_device=C,b_port=D")


@pytest.mark.parametrize("command", [("info",), ("convert",), ("verify",), ("watch",)])
def test_commands_take_columns(command, german, tmp_path):
    """The commands in which a file arrives take the option; verify compares the sheet with what is cabled."""
    (tmp_path / "found.dot").write_text(
        'graph g {\n"leaf1":"swp31" -- "spine2":"swp1"\n"leaf1":"swp32" -- "spine1":"swp1"\n}\n'
    )
    words = {
        "info": [german],
        "convert": [german, tmp_path / "out.dot", "--format", "ptm"],
        "verify": [german, tmp_path / "found.dot"],
        "watch": [german, tmp_path / "found.dot"],
    }[command[0]]
    ran = run(*command, *words, "--columns", "a_device=Von,a_port=B,b_device=Nach,b_port=D")
    assert ran.code == (3 if command[0] in ("verify", "watch") else 0), ran.err
    if command[0] == "verify":
        assert "leaf1 port swp31 is in spine2 port swp1, should be in spine1 port swp1" in ran.out
    wrong = run(*command, *words, "--columns", "a_device=Von")
    assert wrong.code == 2
    assert "--columns needs a_device, a_port, b_device and b_port" in wrong.err


def test_the_sheets_of_a_workbook(tmp_path, caplog):
    """Links in one sheet, kinds, racks and units in sheet Nodes; sheets with neither are reported."""
    workbook(
        tmp_path / "plan.xlsx",
        {
            "Links": [["A-Node", "A-Port", "Z-Node", "Z-Port"], ["x1", "p1", "x2", "p1"], ["x1", "p2", "x3", "p1"]],
            "Nodes": [
                ["Node", "Type", "Rack", "U"],
                ["x1", "Switch", "R1", 40],
                ["x3", "Host", "R2", 3],
                ["x9", "Host"],
            ],
            "Notes": [["nothing"], ["else"]],
        },
    )
    fabric = open_network(tmp_path / "plan.xlsx").fabric
    assert (fabric.switch_names, fabric.host_names) == (("x1", "x2"), ("x3",))
    assert (fabric.switch_rack.tolist(), fabric.switch_unit.tolist()) == (["R1", ""], ["40", ""])
    assert (fabric.host_rack.tolist(), fabric.host_unit.tolist()) == (["R2"], ["3"])
    assert "sheet Nodes: without a cable, so not read: x9" in caplog.text
    assert "sheet Notes has no heads" in caplog.text


IB = "Rack,U,Name,HCA/Port,Rack,{},Name,Port\nR1,2,gpu1,1,R1,40,leaf1,9/1\nR1,2,gpu1,HCA 2,R1,40,leaf2,9/1\n"
IB += "R1,40,leaf1,1/1,R9,1,spine1,1/1\nR1,40,leaf2,1/1,R9,1,spine1,1/2\n"


@pytest.mark.parametrize("head", ["Name", "U"])
def test_adapters_of_an_infiniband_sheet(tmp_path, head):
    """HCA n is mlx5_(n-1); switches at the first end have ports; ports of cages have the numbers of InfiniBand."""
    (tmp_path / "ib.csv").write_text(IB.format(head))
    fabric = open_network(tmp_path / "ib.csv").fabric
    assert fabric.host_names == ("gpu1 mlx5_0", "gpu1 mlx5_1")
    assert fabric.endpoint_ports.tolist() == [17, 17]
    assert sorted(fabric.switch_names) == ["leaf1", "leaf2", "spine1"]
    assert set(fabric.switch_unit.tolist()) == {"40", "1"}


def test_an_infiniband_sheet_is_compared_with_a_discovery(tmp_path):
    """Names of adapters and numbers of ports are those of ibnetdiscover, so ports count exactly."""
    (tmp_path / "ib.csv").write_text(IB.format("Name"))
    found = """
Switch 65 "S-000000000000000a" # "leaf1" base port 0 lid 1 lmc 0
[17] "H-0000000000000001"[1] # "gpu1 mlx5_0" lid 4 4xNDR
[1] "S-000000000000000c"[1] # "spine1" lid 3 4xNDR

Switch 65 "S-000000000000000b" # "leaf2" base port 0 lid 2 lmc 0
[17] "H-0000000000000002"[1] # "gpu1 mlx5_1" lid 5 4xNDR
[1] "S-000000000000000c"[2] # "spine1" lid 3 4xNDR

Switch 65 "S-000000000000000c" # "spine1" base port 0 lid 3 lmc 0
[1] "S-000000000000000a"[1] # "leaf1" lid 1 4xNDR
[2] "S-000000000000000b"[1] # "leaf2" lid 2 4xNDR

Ca 1 "H-0000000000000001" # "gpu1 mlx5_0"
[1](1) "S-000000000000000a"[17] # lid 4 lmc 0 "leaf1" lid 1 4xNDR

Ca 1 "H-0000000000000002" # "gpu1 mlx5_1"
[1](2) "S-000000000000000b"[17] # lid 5 lmc 0 "leaf2" lid 2 4xNDR
"""
    (tmp_path / "found.net").write_text(found.lstrip())
    (tmp_path / "moved.net").write_text(found.lstrip().replace("[17]", "[18]"))
    assert not [each for each in codes(tmp_path, "found.net") if each < "TL3"]
    assert "TL105" in codes(tmp_path, "moved.net")


def codes(folder, found):
    """The codes of what a discovery has against the sheet."""
    return [each.code for each in diagnose(folder / "ib.csv", folder / found).diagnostics]


def test_the_mapping_of_adapters(tmp_path):
    """hca-mapping.csv says which adapter a number is; one that is missing there is refused."""
    (tmp_path / "ib.csv").write_text(IB.format("Name"))
    mapping = tmp_path / "hca-mapping.csv"
    mapping.write_text("port,hca-name\n1,mlx5_0\n2,mlx5_3\n")
    assert open_network(tmp_path / "ib.csv", hca_mapping=mapping).fabric.host_names == ("gpu1 mlx5_0", "gpu1 mlx5_3")
    ran = run("convert", tmp_path / "ib.csv", tmp_path / "ib.dot", "--format", "ptm", "--hca-mapping", mapping)
    assert ran.code == 0
    assert "gpu1 mlx5_3" in (tmp_path / "ib.dot").read_text()
    mapping.write_text("port,hca-name\n1,mlx5_0\n")
    with pytest.raises(InputError, match="HCA 2 is not in the mapping"):
        open_network(tmp_path / "ib.csv", hca_mapping=mapping)
    mapping.write_text("port,hca-name\nx,mlx5_0\n")
    with pytest.raises(InputError, match="such as 1,mlx5_0"):
        open_network(tmp_path / "ib.csv", hca_mapping=mapping)


SHCD = ["Source", "Rack", "Location", "Slot", None, "Port", "Destination", "Rack", "Location", None, "Port", None]


def test_a_shcd_has_the_cables_of_its_paddle(tmp_path, caplog):
    """Heads that repeat, at any place of a sheet: slots, ports and names are those of canu's paddles; port 0 is none."""
    rows = [
        ["calculated", "labels"],
        [None] * 3 + SHCD,
        [None] * 3 + ["sw-spine-001", "x3000", "u40", None, None, 1, "sw-leaf-001", "x3000", "u39", None, 53, "note"],
        [None] * 3 + ["ncn-m001", "x3000", "u36", "ocp", None, "j1", "sw-leaf-001", "x3000", "u39", None, 1],
        [None] * 3 + ["ncn-m001", "x3000", "u36", "ocp", None, 2, "SITE", "x3000", "u39", None, 0],
        [None] * 3 + ["uan01", "x3001", "u32", "s1", None, 1, "sw-leaf-001", "x3000", "u39", None, 7],
        [None] * 3 + ["x3001pdu0", "x3001", None, "bmc", None, 1, "sw-leaf-001", "x3000", "u39", None, 8],
        [None] * 3 + ["cmm1", "x3002", None, None, None, 1, "sw-leaf-001", "x3000", "u39", None, 9],
    ]
    workbook(tmp_path / "shcd.xlsx", {"10G_25G_40G_100G": rows})
    network = open_network(tmp_path / "shcd.xlsx")
    assert cables(network) == {
        ("sw-leaf-001:53", "sw-spine-001:1"),
        ("ncn-m001:ocp:1", "sw-leaf-001:1"),
        ("sw-leaf-001:7", "uan001:pcie-slot1:1"),
        ("pdu-x3001-000:bmc:1", "sw-leaf-001:8"),
        ("cmm-x3002-001:1", "sw-leaf-001:9"),
    }
    assert sorted(network.fabric.switch_names) == ["sw-leaf-001", "sw-spine-001"]
    assert "row 5 with port 0, which stands for none: not read" in caplog.text
    assert "uan01 is uan001" in caplog.text


HOSTILE = ["=1+1", "@cmd", "-x", "+2"]


@pytest.fixture
def hostile(tmp_path):
    """A workbook written for a network with names that look like formulas."""
    lines = [f'"{name}":"=p{number}" -- "spine":"swp{number}"' for number, name in enumerate(HOSTILE, 1)]
    (tmp_path / "plan.dot").write_text("graph g {\n" + "\n".join(lines) + "\n}\n")
    assert run("convert", tmp_path / "plan.dot", tmp_path / "p2p.xlsx").code == 0
    return tmp_path


def test_a_workbook_is_written_and_read_back(hostile):
    """No cell is a formula; the same cables come back, and equal networks give equal files."""
    cells = [cell for row in openpyxl.load_workbook(hostile / "p2p.xlsx")["P2P"].iter_rows() for cell in row]
    assert {cell.data_type for cell in cells if cell.value is not None} == {"s"}
    assert cables(open_network(hostile / "p2p.xlsx")) == cables(open_network(hostile / "plan.dot"))
    before = (hostile / "p2p.xlsx").read_bytes()
    run("convert", hostile / "plan.dot", hostile / "p2p.xlsx")
    assert (hostile / "p2p.xlsx").read_bytes() == before


@pytest.mark.exhaustive
@pytest.mark.skipif(shutil.which("soffice") is None, reason="LibreOffice is not installed")
def test_libreoffice_reads_the_workbook(hostile):
    """What LibreOffice makes of the workbook has the cells of the sheet that is written as text."""
    run("convert", hostile / "plan.dot", hostile / "text.p2p.csv")
    command = ["soffice", f"-env:UserInstallation=file://{hostile}/profile", "--headless", "--convert-to", "csv"]
    subprocess.run([*command, "p2p.xlsx"], cwd=hostile, check=True, capture_output=True, timeout=300)
    with open(hostile / "p2p.csv", newline="") as book, open(hostile / "text.p2p.csv", newline="") as text:
        # In text, cells that look like formulas are guarded by a leading apostrophe.
        assert list(csv.reader(book)) == [[cell.removeprefix("'") for cell in row] for row in csv.reader(text)]
