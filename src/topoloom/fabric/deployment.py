"""Putting tables into a running OpenSM: the lines of its configuration, the pairs that rely on service levels, instructions.

Tried with OpenSM 3.3.23 on ibsim 0.10: SIGHUP makes it read `lfts_file` and `qos_policy_file` again, a change of
`routing_engine` needs a restart; without lines for arbitration, virtual lane 0 alone has high priority.
"""

from collections.abc import Sequence

import numpy as np

from topoloom.routing.routing import Routing

#: Service level n is virtual lane n; no virtual lane for data is left for level 15.
_SL2VL = "qos_sl2vl 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,7"
_DATA_VLS = 15
_WEIGHT = 32
#: Names of the files for OpenSM.
CONF, INSTRUCTIONS = "opensm.conf", "deploy.txt"


def opensm_conf(levels: bool) -> str:
    """The lines for a site's opensm.conf, to be merged into it.

    Parameters
    ----------
    levels : bool
        Whether the tables need service levels: then also the policy, the virtual lane of each level, and equal shares for all
        virtual lanes.

    Returns
    -------
    str
        With the file names that the export has, in /etc/opensm.
    """
    lines = [
        "# Merge these lines into the opensm.conf of your site: other lines there stay as they are.",
        "# Where a line of the same name is there already, it is replaced by the one here.",
        "routing_engine file",
        "lfts_file /etc/opensm/fabric.lft",
    ]
    if levels:
        shares = ",".join(f"{vl}:{_WEIGHT}" for vl in range(_DATA_VLS))
        lines += [
            "qos TRUE",
            "qos_policy_file /etc/opensm/fabric.qos",
            _SL2VL,
            "# Without these three, virtual lane 0 goes before all others.",
            "qos_high_limit 0",
            "qos_vlarb_high 0:0",
            f"qos_vlarb_low {shares}",
        ]
    return "\n".join(lines) + "\n"


def levelled_share(routing: Routing) -> float:
    """The share of the ordered pairs of host ports at different switches that need a service level above 0.

    Parameters
    ----------
    routing : Routing
        With a virtual channel per pair.

    Returns
    -------
    float
        0 to 1; 0 if there is no such pair.
    """
    at = routing.topology.endpoints_at
    others = int(at.sum()) ** 2 - int((at**2).sum())
    levelled = 0
    for number, table in enumerate(routing.host_tables):
        if table.virtual_channels is not None:
            targets = np.bincount(
                routing.topology.endpoints[routing.layer_of_ports == number], minlength=routing.topology.switches
            )
            levelled += int(targets @ ((table.virtual_channels > 0) @ at))
    return levelled / others if others else 0.0


def deployment_notes(routings: Sequence[Routing]) -> list[str]:
    """What happens when OpenSM uses the tables, one sentence or two per line.

    Parameters
    ----------
    routings : sequence of Routing
        The tables of each plane, or those of the only one.
    """
    notes = [
        "OpenSM with routing_engine file does not route around a lost cable or switch: 'topoloom repair' does, and"
        " examples/live-fabric/keep-tables.sh runs it in a loop",
        "multicast and partitions are not in these files: OpenSM computes them as before",
    ]
    share = max((levelled_share(routing) for routing in routings), default=0.0)
    if share:
        notes.append(
            f"{share:.1%} of the pairs of hosts need a service level above 0, which programs get from the subnet administrator"
            " (RDMA CM, IPoIB); UCX and NCCL use one level for all pairs, so with them these tables do not prevent deadlock:"
            " --virtual-channels 1 makes tables that need none, with longer paths and higher loads"
        )
    return notes


def instructions(routing: Routing) -> str:
    """The text of ``deploy.txt``: how an administrator loads the tables, looks whether they are installed, and goes back."""
    levels = bool(levelled_share(routing))
    policy = " and fabric.qos" if levels else ""
    steps = [
        "Keep the way back: save opensm.conf, and what is installed now:\n"
        "     ibnetdiscover > before.net; dump_lfts > before.lft",
        f"Copy fabric.lft{policy} to /etc/opensm.",
        f"Merge the lines of {CONF} into the opensm.conf of your site. Do not replace that file.",
        "Restart OpenSM once: it reads routing_engine only when it starts. Hosts keep their connections and addresses.\n"
        "   Later versions of these files need only SIGHUP (pkill -HUP opensm).",
        "Look whether the switches hold these entries: topoloom verify-tables fabric.net fabric.lft --now",
        "Run examples/live-fabric/keep-tables.sh: it repairs the tables after losses and returns.",
        "The way back: topoloom repair fabric.net fabric.lft fabric.net --to before.lft -o back\n"
        "   load-tables.sh back; then take the merged lines out of opensm.conf and restart OpenSM.",
    ]
    notes = "".join(f"* {note[0].upper()}{note[1:]}.\n" for note in deployment_notes([routing]))
    numbered = "".join(f"{number}. {step}\n" for number, step in enumerate(steps, 1))
    return f"What happens:\n{notes}\nSteps:\n{numbered}\nMore: docs/how-to/deploy-on-opensm.md\n"
