"""The virtual lanes that OpenSM's engine dfsssp needs: what its log says, and one real run of it."""

import pytest

from topoloom import InputError
from topoloom_papers.opensm_lanes import Lanes, lanes_in, missing_tools, opensm_lanes
from topoloom_papers.registry import claims, run
from topoloom_papers.verdicts import Verdict

_LOG = """dfsssp_remove_deadlocks: Virtual Lanes available: 8
dfsssp_remove_deadlocks: Virtual Lanes needed: 3
dfsssp_remove_deadlocks:    0. lane: 350528
dfsssp_remove_deadlocks:    1. lane: 119226
dfsssp_remove_deadlocks:    2. lane: 156
dfsssp_remove_deadlocks: Approx. #paths per VL (after balancing):
dfsssp_remove_deadlocks:    0. lane: 70105
"""
_NOT_INSTALLED = pytest.mark.skipif(bool(missing_tools()), reason=f"not installed: {', '.join(missing_tools())}")


def test_the_log_says_the_lanes_before_paths_are_balanced():
    """Balanced lanes are all that there are; an incomplete log says nothing yet."""
    assert lanes_in(_LOG) == Lanes(3, 8, (350528, 119226, 156))
    assert lanes_in(_LOG.partition("Approx")[0]) is None
    assert lanes_in("") is None


def test_a_network_without_hosts_has_no_manager():
    """The subnet manager runs on a host."""
    with pytest.raises(InputError, match=r"install opensm|add hosts=1"):
        opensm_lanes("petersen")


def test_without_opensm_a_claim_is_not_run(monkeypatch):
    """No error, and no verdict on the paper, where long runs are made again without the program."""
    monkeypatch.setattr("topoloom_papers.papers.besta_2014.routing.missing_tools", lambda: ["opensm"])
    outcome = run(claims(["besta-2014/iv-d/random-lanes"])[0], again=True).outcome
    assert (outcome.verdict, outcome.why) == (Verdict.NOT_RUN, "not installed: opensm")


@_NOT_INSTALLED
@pytest.mark.exhaustive
def test_a_real_opensm_counts_hosts():
    """Slim Fly q = 7: two lanes with one host per switch, three with six; paths between all addresses of hosts and switches."""
    one, six = opensm_lanes("slimfly:q=7,hosts=1"), opensm_lanes("slimfly:q=7,hosts=6")
    assert (one.needed, six.needed) == (2, 3)
    assert sum(one.paths) == 196 * 195
    assert sum(six.paths) == 686 * 685
