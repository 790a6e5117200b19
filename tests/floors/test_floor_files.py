"""Floor files: what a facilities team writes is the floor that is used, and what is wrong is told with its line."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from topoloom import InputError, build, place
from topoloom.placement.floors.floor import PRESETS, Floor, preset
from topoloom.placement.floors.floor_files import read_floor
from topoloom.placement.floors.floor_text import floor_toml
from topoloom.placement.floors.slots import NO_LIMIT, Slots

EXAMPLES = Path(__file__).parents[2] / "examples" / "floors"

_THREE = "slot,x_m,y_m\nA,0,0\nB,2,0\nC,2,1.5\n"


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Writes a file into the folder where the test runs, so that messages name it as it is."""
    monkeypatch.chdir(tmp_path)

    def to(name: str, text: str) -> str:
        Path(name).write_text(text, encoding="utf-8")
        return name

    return to


def test_a_name_is_a_preset_and_an_unknown_one_is_told():
    """The presets by name; what is neither a preset nor a file is answered with both."""
    for name, floor in PRESETS.items():
        assert read_floor(name) == floor
    with pytest.raises(
        InputError, match=r"no floor named 'hall' \(there are koibuchi-2013, .* path of a \.toml or \.csv"
    ):
        read_floor("hall")


def test_a_csv_alone_is_a_floor(write):
    """Slots in the order of the file, columns in any order, no limits, Manhattan distances, the rules of koibuchi-2013."""
    floor = read_floor(write("hall.csv", "\ufeffy_m, SLOT ,x_m\n# a comment\n0,A,0\n\n0,B,2\n1.5,C,2\n"))
    slots = floor.slots_for(3)
    assert slots.names == ("A", "B", "C")
    assert slots.place_m.tolist() == [[0, 0], [2, 0], [2, 1.5]]
    assert (slots.limits == NO_LIMIT).all()
    assert slots.matrix_m.tolist() == [[0, 2, 3.5], [2, 0, 1.5], [3.5, 1.5, 0]]
    assert (floor.name, floor.inside_m, floor.overhead_end_m) == ("hall", 2.0, 2.0)
    with pytest.raises(InputError, match=r"floor 'hall': 4 racks need more than its 3 slots"):
        floor.slots_for(4)


def test_semicolons_and_decimal_commas_are_read(write):
    """What a spreadsheet in Europe saves is the same floor."""
    floor = read_floor(write("a.csv", "slot;x_m;y_m;power_w\nA;0;0;\nB;2;0;7500,5\nC;2;1,5;\n"))
    assert floor.fixed == replace(
        read_floor(write("b.csv", _THREE)).fixed,
        limits=np.array([[NO_LIMIT] * 3, [NO_LIMIT, NO_LIMIT, 7500.5], [NO_LIMIT] * 3]),
    )


def test_limits_are_the_slots_own_or_those_of_all(write):
    """A slot's own limit comes first, inf lifts that of all, an empty cell takes it; blocked slots are omitted."""
    write(
        "s.csv",
        "slot,x_m,y_m,switches,hosts,power_w,blocked\nA,0,0,4,0,,no\nB,1,0,,,500,\nC,2,0,inf,,,\nD,3,0,,,,yes\n",
    )
    floor = read_floor(write("f.toml", 'slots = "s.csv"\n[limits]\nswitches = 8\nhosts = 32\n'))
    assert floor.slots_for(3).limits.tolist() == [[4, 0, NO_LIMIT], [8, 32, 500], [NO_LIMIT, 32, NO_LIMIT]]
    assert floor.blocked == (("D", 3.0, 0.0),)
    assert (floor.switches_per_rack, floor.hosts_per_rack, floor.power_w_per_rack) == (8, 32, None)


def test_a_grid_has_an_aisle_after_every_so_many_rows(write):
    """A generated floor stays one; Manhattan distances go across the aisle."""
    floor = read_floor(
        write("f.toml", "width_m = 0.6\ndepth_m = 1.2\n[grid]\nrows = 4\ncolumns = 3\naisle_every = 2\naisle_m = 1.5\n")
    )
    assert floor.fixed is None
    slots = floor.slots_for(12)
    assert (slots.rows, slots.columns) == (4, 3)
    assert np.unique(slots.place_m[:, 1]).tolist() == pytest.approx([0, 1.2, 3.9, 5.1])
    a, b = slots.names.index("B01"), slots.names.index("C02")
    assert slots.matrix_m[a, b] == pytest.approx(2.7 + 0.6)


def test_a_grid_without_rows_is_nearly_square(write):
    """[grid] alone, or with one of both sides, is the papers' rule for what is not given."""
    assert read_floor(write("f.toml", "[grid]\n")).slots_for(19).rows == 5
    assert read_floor(write("f.toml", "[grid]\ncolumns = 10\n")).slots_for(19).rows == 2


def test_a_pillar_takes_slots_of_a_grid_away(write):
    """Every rack that overlaps it, and no other; those blocked by name are kept for the picture."""
    floor = read_floor(
        write(
            "f.toml",
            'preset = "nakano-grid"\n[grid]\nrows = 2\ncolumns = 4\nblocked = ["B04"]\n'
            "[[pillar]]\nx_m = 1.5\ny_m = 0\nwidth_m = 0.4\ndepth_m = 0.4\n",
        )
    )
    assert floor.slots_for(1).names == ("A01", "A04", "B01", "B02", "B03")
    assert floor.blocked == (("B04", 3.0, 1.0),)
    # A pillar that only touches its neighbours takes nothing away.
    floor = read_floor(
        write(
            "f.toml",
            'preset = "nakano-grid"\n[grid]\nrows = 1\ncolumns = 3\n[[pillar]]\nx_m=1\ny_m=1\nwidth_m=1\ndepth_m=1\n',
        )
    )
    assert len(floor.slots_for(1)) == 3


def test_a_matrix_gives_the_distances(write):
    """By the names of its rows and columns, in any order; a blocked slot may stand there."""
    write("m.csv", "from,C,A,D,B\nB,2,7.25,1,0\nA,3,0,1,7.25\nC,0,3,1,2\nD,1,1,0,1\n")
    slots = '[[slot]]\nname = "{}"\nx_m = {}\ny_m = 0\n'
    text = 'distance = "matrix"\nmatrix = "m.csv"\n' + "".join(slots.format(n, x) for x, n in enumerate("ABC"))
    floor = read_floor(write("f.toml", text + slots.format("D", 5) + "blocked = true\n"))
    assert floor.slots_for(1).matrix_m.tolist() == [[0, 7.25, 3], [7.25, 0, 2], [3, 2, 0]]


def test_the_distance_rule_is_the_files(write):
    """Euclidean is the straight line."""
    write("s.csv", "slot,x_m,y_m\nA,0,0\nB,3,4\n")
    assert read_floor(write("f.toml", 'slots = "s.csv"\ndistance = "euclidean"\n')).slots_for(1).matrix_m[0, 1] == 5.0


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", r"f\.csv:1: the column 'slot' is missing"),
        ("slot,x_m,y_n\nA,0,0\n", r"f\.csv:1: unknown column 'y_n' \(did you mean 'y_m'\?\)"),
        ("slot,x_m,y_m,zz\n", r"f\.csv:1: unknown column 'zz' \(known: slot, x_m, .*blocked\)"),
        ("slot,x_m,y_m,x_m\n", r"f\.csv:1: the column 'x_m' occurs twice"),
        ("slot,x_m\nA,0\n", r"f\.csv:1: the column 'y_m' is missing"),
        ("slot,x_m,y_m\n", r"f\.csv: no slot is left"),
        ("slot,x_m,y_m,blocked\nA,0,0,yes\n", r"f\.csv: no slot is left"),
        (_THREE + "A,9,9\n", r"f\.csv:5: slot 'A' is already defined in line 2"),
        (_THREE + "D,2,0.2\n", r"f\.csv:5: slot 'D' overlaps slot 'B' in line 3: racks are 0\.6 m x 0\.6 m"),
        (_THREE + "D,2,0\nE,2,0\n", r"f\.csv:5: slot 'D' overlaps slot 'B' in line 3"),
        (_THREE + "D,9\n", r"f\.csv:5: 2 cells, but the first row has 3"),
        (_THREE + "D,,9\n", r"f\.csv:5: x_m: a number is missing"),
        (_THREE + "D,nan,9\n", r"f\.csv:5: x_m: 'nan' is not a number"),
        (_THREE + "D,1m,9\n", r"f\.csv:5: x_m: '1m' is not a number"),
        (_THREE + "D,inf,9\n", r"f\.csv:5: x_m: inf is out of range; give a number from -100,000 to 100,000"),
        (_THREE + ",9,9\n", r"f\.csv:5: slot '' has no name"),
        ("slot,x_m,y_m,blocked\nA,0,0,perhaps\n", r"f\.csv:2: blocked: give yes or no, not 'perhaps'"),
        ("slot,x_m,y_m,switches\nA,0,0,1.5\n", r"f\.csv:2: slot 'A' holds 1\.5 switches; give a whole number"),
        ("slot,x_m,y_m,hosts\nA,0,0,-1\n", r"f\.csv:2: hosts: -1 is out of range; give a number from 0"),
        ("slot,x_m,y_m,power_w\nA,0,0,0\n", r"f\.csv:2: power_w: 0 is out of range; give a number above 0"),
    ],
)
def test_a_wrong_csv_is_told_by_line(write, text, words):
    """One sentence with file and line."""
    with pytest.raises(InputError, match=words):
        read_floor(write("f.csv", text))


_SLOTS = '[[slot]]\nname = "A"\nx_m = 0\ny_m = 0\n[[slot]]\nname = "B"\nx_m = 2\ny_m = 0\n'


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("name = ", r"f\.toml:1: "),
        ("", r"f\.toml: no slots are given; give one of \[grid\]"),
        ("nam = 'x'\n" + _SLOTS, r"f\.toml:1: there is no key 'nam' \(did you mean name\?\)"),
        ('slots = "s.csv"\n' + _SLOTS, r"f\.toml:2: slots and slot are given"),
        ('slots = "none.csv"\n', r"none\.csv cannot be read: No such file"),
        ("preset = 'hall'\n[grid]\n", r"f\.toml:1: preset: no floor named 'hall'"),
        ("[grid]\nrows = 0\n", r"f\.toml:2: grid.rows = 0: it is a whole number from 1 to 10,000"),
        ("[grid]\nrows = 9999\ncolumns = 9999\n", r"f\.toml:1: a grid has at most 1,000,000 slots"),
        (
            '[grid]\nrows = 1\ncolumns = 2\nblocked = ["A1"]\n',
            r"f\.toml:4: blocked: the grid has no slot 'A1' \(did you",
        ),
        ('[grid]\nrows = 1\nblocked = ["A01"]\n', r"f\.toml:1: a grid with blocked needs rows and columns"),
        (_SLOTS + '[[slot]]\nname = "A"\nx_m = 5\ny_m = 5\n', r"f\.toml:9: slot 'A' is already defined in line 1"),
        (_SLOTS + '[[slot]]\nname = "C"\nx_m = 2.5\ny_m = 0\n', r"f\.toml:9: slot 'C' overlaps slot 'B' in line 5"),
        (
            _SLOTS + "[[pillar]]\nx_m = 2.4\ny_m = 0\nwidth_m = 0.3\ndepth_m = 0.3\n",
            r"f\.toml:5: slot 'B' stands on a pillar; move it, or set blocked",
        ),
        (
            _SLOTS + '[[slot]]\nname = "C"\nx_m = 9\ny_m = "1"\n',
            r'f\.toml:12: slot\.y_m = "1": it is a number from -100,000 to',
        ),
        (
            _SLOTS + '[[slot]]\nname = "C"\nx_m = 9\ny_m = nan\n',
            r"f\.toml:12: slot\.y_m = nan: it is a number from -100,000",
        ),
        ('distance = "matrix"\n' + _SLOTS, r"f\.toml:1: distance = \"matrix\" and the key matrix belong together"),
        ('distance = "trays"\n' + _SLOTS, r"f\.toml:1: distance = \"trays\" and \[\[tray\]\] tables belong together"),
        ('distance = "air"\n' + _SLOTS, r'f\.toml:1: distance = "air": it is one of "euclidean"'),
        ('distance = "matrix"\nmatrix = [[], [1, 2]]\n' + _SLOTS, r"f\.toml:2: matrix: 2 slots need 2 rows"),
        (
            'distance = "trays"\n' + _SLOTS + "[[tray]]\nfrom_m = [0, 1]\nto_m = [0, 1]\n",
            r"f\.toml:10: the tray has no length",
        ),
        (
            'distance = "trays"\n' + _SLOTS + "[[tray]]\nfrom_m = [0, 1]\nto_m = [0.5, 1]\n"
            "[[tray]]\nfrom_m = [1, 1]\nto_m = [3, 1]\n",
            r"f\.toml:13: no tray leads from slot 'A' to slot 'B': the floor is disconnected; connect the trays",
        ),
    ],
)
def test_a_wrong_toml_is_told_by_line(write, text, words):
    """One sentence with file, line and key."""
    write("s.csv", _THREE)
    with pytest.raises(InputError, match=words):
        read_floor(write("f.toml", text))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (",A,B\nA,0,1\n", r"m\.csv: slot 'B' has no rows; it needs exactly one"),
        (",A,A\nA,0,1\nB,1,0\n", r"m\.csv:1: slot 'A' has 2 columns"),
        (",A,B,C\nA,0,1,1\nB,1,0,1\nC,1,1,0\n", r"m\.csv:1: the floor has no slot 'C'"),
        (",A,B\nA,0,1\nB,2,0\n", r"m\.csv:2: the distance between slot 'A' and slot 'B' differs by direction"),
        (",A,B\nA,0,-1\nB,-1,0\n", r"m\.csv:2: the distance from slot 'A' to slot 'B' is negative"),
        (",A,B\nA,0,1\nB,1,3\n", r"m\.csv:3: the distance from slot 'B' to itself must be 0"),
        (",A,B\nA,0,far\nB,1,0\n", r"m\.csv:2: distance to 'B': 'far' is not a number"),
        (",A,B\nA,0,nan\nB,nan,0\n", r"m\.csv:2: distance to 'B': 'nan' is not a number"),
        (",A,B\nA,0,\nB,,0\n", r"m\.csv:2: there is no path from slot 'A' to slot 'B': the floor is disconnected"),
        (",A,B\nA,0,inf\nB,inf,0\n", r"m\.csv:2: there is no path from slot 'A' to slot 'B'"),
    ],
)
def test_a_wrong_matrix_is_told_by_line(write, text, words):
    """One sentence with file and line, and the two slots."""
    write("m.csv", text)
    with pytest.raises(InputError, match=words):
        read_floor(write("f.toml", 'distance = "matrix"\nmatrix = "m.csv"\n' + _SLOTS))


def test_files_that_cannot_be_read_are_one_sentence(tmp_path):
    """A missing file, a folder and binary garbage."""
    with pytest.raises(InputError, match="cannot be read: No such file"):
        read_floor(tmp_path / "none.csv")
    (tmp_path / "folder.toml").mkdir()
    with pytest.raises(InputError, match="is a folder"):
        read_floor(tmp_path / "folder.toml")
    (tmp_path / "junk.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="is not UTF-8 text"):
        read_floor(tmp_path / "junk.csv")


def _back(floor: Floor, slots: Slots, path: Path) -> Floor:
    path.write_text(floor_toml(floor, slots), encoding="utf-8")
    return read_floor(path)


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("racks", [1, 19, 100])
def test_a_generated_floor_comes_back_as_it_was_used(name, racks, tmp_path):
    """The same rules, with the rows and columns that it had."""
    floor = preset(name)
    slots = floor.slots_for(racks)
    assert _back(floor, slots, tmp_path / "f.toml") == replace(floor, rows=slots.rows, columns=slots.columns)


def test_aisles_limits_and_odd_names_come_back(tmp_path):
    """Aisles, limits, rules, and text that must be escaped."""
    floor = replace(
        preset("koibuchi-2013"),
        name='a "hall" \\ ü \x7f\n',
        rows=4,
        columns=5,
        aisle_every=2,
        aisle_m=1.1,
        distance="euclidean",
        switches_per_rack=7,
        power_w_per_rack=1e4 / 3,
        sequence_hosts=99,
    )
    assert _back(floor, floor.slots_for(3), tmp_path / "f.toml") == floor


def test_any_slots_come_back_to_the_last_bit(tmp_path):
    """Listed slots with random places, limits and a matrix: equal floors, equal slots, equal distances."""
    rng = np.random.default_rng(3)
    place_m = np.cumsum(1 + rng.random((40, 2)), axis=0)
    apart_m = rng.random((40, 40)) * 30
    limits = np.where(rng.random((40, 3)) < 0.5, NO_LIMIT, rng.integers(1, 50, (40, 3)))
    limits[:, 2] = rng.random(40) * 9000 + 1
    slots = Slots(
        tuple(f"s {n}" for n in rng.permutation(40)),
        place_m,
        limits,
        "matrix",
        np.triu(apart_m, 1) + np.triu(apart_m, 1).T,
    )
    floor = replace(
        preset("slimfly-2014"),
        distance="matrix",
        fixed=slots,
        switches_per_rack=20,
        sequence_hosts=None,
        pillars_m=((0.1, 0.2, 0.3, 0.4),),
        blocked=(("gone", 1 / 3, 7.0),),
    )
    back = _back(floor, slots, tmp_path / "f.toml")
    assert back == floor
    assert np.array_equal(back.slots_for(1).matrix_m, slots.matrix_m)


def test_a_floor_with_trays_comes_back(tmp_path):
    """The distances are computed from the same trays, so they are the same."""
    hall = read_floor(EXAMPLES / "hall.toml")
    assert _back(hall, hall.slots_for(1), tmp_path / "f.toml") == hall


def test_the_example_hall_is_a_hall():
    """44 places, three of them blocked, two network racks with limits of their own; the CSV alone has the same slots."""
    hall, listed = read_floor(EXAMPLES / "hall.toml"), read_floor(str(EXAMPLES / "hall.csv"))
    slots = hall.slots_for(1)
    assert len(slots) == 41
    assert [name for name, _, _ in hall.blocked] == ["A01", "C04", "D11"]
    assert len(hall.pillars_m) == 1
    assert slots.limits[slots.names.index("B06")].tolist() == [36, 0, 15000]
    assert slots.limits[slots.names.index("D01")].tolist() == [8, 40, 8000]
    assert listed.slots_for(1).names == slots.names
    # A02 to D02: 0 m along row A to the cross tray and back, and 7 m across: no tray leads straight over.
    assert slots.matrix_m[slots.names.index("A02"), slots.names.index("D02")] == pytest.approx(2 * 3.3 + 7.0)
    layout = place(build("slimfly:q=5,hosts=4"), hall, map="rows", switch_w=30.8)
    assert layout.longest_m <= slots.matrix_m.max() + 5.0


@pytest.mark.parametrize("name", ["A" * 65, "A\\u0000"])
def test_names_that_cannot_be_painted_are_refused(tmp_path, name):
    """Too long for a label, or with a zero byte, which ends a text for many programs."""
    path = tmp_path / "hall.toml"
    path.write_text(f'name = "hall"\ninside_m = 1\n[[slot]]\nname = "{name}"\nx_m = 0\ny_m = 0\n')
    with pytest.raises(InputError, match=r"hall.toml:\d+: give the slot a name of at most 64 characters"):
        read_floor(path)
