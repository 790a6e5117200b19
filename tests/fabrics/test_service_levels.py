"""Service levels from outside: policies and what is wrong with them."""

import pytest

from topoloom.core.errors import InputError
from topoloom.fabric.fabric import planned_fabric
from topoloom.fabric.service_levels import read_levels
from topoloom.topologies.spec import build


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "holds no service levels"),
        ("port-groups\nport-group\nname: A\nport-guid: 0x100001\n", "x:4: the file ends inside 'port-group'"),
        (
            "port-groups\nport-group\nname: A\nport-guid: 0x99\nend-port-group\nend-port-groups\n",
            "x:5: planned has no port with GUID 0x99",
        ),
        ("port-groups\nend-qos-levels\n", "x:2: 'end-qos-levels' ends nothing"),
        ("qos-levels\nqos-level\nname: L\nsl: 77\nend-qos-level\n", "x:5: a level has a name"),
        (
            "port-groups\nport-group\nname: A\npkey: 1\nend-port-group\n",
            "x:5: this port group has no name or has other keys",
        ),
        (
            "qos-match-rules\nqos-match-rule\nsource: A\ndestination: A\nqos-level-name: L\nend-qos-match-rule",
            "no level is named 'L'",
        ),
        ("what is this\n", "x:1: 'what is this' is not a line"),
    ],
)
def test_what_is_wrong_with_a_policy_is_said(text, message):
    """Cut, unknown, or of a kind that is not read."""
    fabric = planned_fabric(build("torus:dims=3x3,hosts=1"))
    with pytest.raises(InputError, match=message):
        read_levels(text, "x", fabric, {})


def test_the_first_rule_that_fits_counts_and_ranges_are_read():
    """Ranges of GUIDs, lists over several groups, a default level, and two rules for one pair."""
    fabric = planned_fabric(build("torus:dims=3x3,hosts=1"))
    text = """
    port-groups
      port-group
        name: All
        port-guid: 0x100000-0x1fffff
      end-port-group
      port-group
        name: First   # a comment
        port-guid: 0x100001, 0x100003
      end-port-group
    end-port-groups
    qos-levels
      qos-level
        name: DEFAULT
        sl: 1
      end-qos-level
      qos-level
        name: High
        sl: 5
      end-qos-level
    end-qos-levels
    qos-match-rules
      qos-match-rule
        source: First
        destination: All
        qos-level-name: High
      end-qos-match-rule
      qos-match-rule
        source: First, All
        destination: First
        qos-level-name: DEFAULT
      end-qos-match-rule
    end-qos-match-rules
    """
    levels = read_levels(text, "x", fabric, {})
    assert (levels[:, :2] == 5).all()
    assert (levels[:, 2:] == 1).all()
