"""Files of every maker on a plan, as the page of cabling takes them: each is one discovery, with the cables that it shows."""

from pathlib import Path

import pytest
from test_lldp import CABLES
from test_named_plans import PLANS

from topoloom import InputError
from topoloom.studies.task import run_task, task_of

_FIXTURES = Path(__file__).parent / "fixtures"
_FILES = [
    *((_FIXTURES / "neighbours" / name, len(cables)) for name, cables in CABLES.items()),
    *((_FIXTURES / "plans" / name, len(cables)) for name, (_, cables, _) in PLANS.items()),
]


def test_the_cables_of_each_file_are_counted():
    """As the readers' own tests list them."""
    plan = str(_FIXTURES / "plans" / "cvt-ptm.dot")
    files = [str(path) for path, _ in _FILES]
    rows = run_task(task_of("discoveries", {"plan": plan, "files": files}))[0]["files"]
    assert [(row["name"], row["kind"], row["cables"]) for row in rows] == [
        (path.name, "discovery", count) for path, count in _FILES
    ]
    assert len(rows) > 30


@pytest.mark.parametrize("name", ["neighbours/eos-lldp-brief.json", "plans/paddle.json"])
def test_a_file_of_another_fabric_is_not_compared(name):
    """verify says why, in one sentence."""
    plan = str(_FIXTURES / "plans" / "cvt-ptm.dot")
    (each,) = run_task(task_of("discoveries", {"plan": plan, "files": [str(_FIXTURES / name)]}))[0]["rounds"]
    with pytest.raises(InputError, match="no match by shape in which half of the links agree"):
        run_task(task_of("verify", each["verify"]))
