"""Networks of CAMINOS: what its reader takes, and what is refused."""

import pytest

from topoloom import InputError, build, load, save
from topoloom.formats import FORMATS


def test_a_network_comes_back(tmp_path):
    """Without hosts, which stand in the experiment's cfg."""
    save(build("slimfly:q=5,hosts=4"), tmp_path / "net.nodos")
    assert load(tmp_path / "net.nodos") == build("slimfly:q=5").replace(labels={})


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("N 0\n", r"net:1: 'N' is out of place; write NODOS n first"),
        ("NODOS 0\n", r"net:1: no routers"),
        ("NODOS 99999999\n", r"net:1: NODOS needs one number, up to"),
        ("NODOS 2\nGRADO 1\nN 0\n1\n", r"net:4: 0 lists the neighbour 1, but 1 does not list 0 as often"),
        ("NODOS 2\nGRADO 1\nN 0\n1 1\nN 1\n0\n", r"net:4: 0 lists the neighbour 1"),
        ("NODOS 2\nN 0\n2\n", r"net:3: '2' is not a router; routers are 0 to 1"),
        ("NODOS 2\nN 2\n", r"net:2: N needs one number, up to 1"),
        ("NODOS 2\nN 0\n0\n", r"net:3: router 0 is linked to itself"),
        ("NODOS 2\nN 0\n\nN 0\n\n", r"net:4: router 0 already has a line N, on line 2"),
        ("NODOS 2\nN 0\n", r"net:2: the line of neighbours after it is missing"),
        ("NODOS 2\nFOO 0\n", r"net:2: 'FOO' is out of place"),
    ],
)
def test_wrong_files_are_refused_in_one_line(text, reason):
    """CAMINOS itself would panic, or take a link from one end."""
    with pytest.raises(InputError, match=reason):
        FORMATS.find("caminos").read(text.encode(), "net")
