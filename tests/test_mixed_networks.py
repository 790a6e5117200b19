"""Mixed networks, whose links differ in rate: every public function honours rates, or does not depend on them."""

import inspect
from pathlib import Path

import numpy as np
import pytest

import topoloom
from topoloom import build, place, route
from topoloom.fabric.fabric import planned_fabric

PLAIN = build("fat-tree:k=4")
#: Uplinks of 800 Gb/s, hosts of 400.
MIXED = PLAIN.with_rates(800, 400)
UNIFORM = PLAIN.with_rates(800)
ROUTING = route(MIXED, "minimal")
LAYOUT = place(MIXED)


#: What does not depend on rates: why, and a call whose record must be that of the network without them, where it is quick.
INDIFFERENT = {
    "bounds": ("switches and degrees", topoloom.bounds),
    "hops": ("counts hops", topoloom.hops),
    "expander": ("counts links", topoloom.expander),
    "lifetime": (
        "counts failures until a network falls apart",
        lambda one: topoloom.lifetime(one, link_fit=1, samples=9),
    ),
    "path_diversity": ("counts paths", topoloom.path_diversity),
    "place": ("cable lengths", topoloom.place),
    "verify_routing": ("next hops and virtual channels", lambda one: topoloom.verify_routing(route(one))),
    "resilience": ("connectedness and hops", lambda one: topoloom.resilience(one, samples=20)),
    "reroute": ("next hops and virtual channels", None),
    "product_routing": ("next hops by hops and counts of paths", None),
    "surviving_network": ("which links are left; their rates go with them", None),
    "cases_of": ("tables and a layout; run_apps refuses", None),
    "save": ("carries rates, or says that they are dropped", None),
    "save_routing": ("carries them in topology.json", None),
    "save_cabling": ("writes the rate of every cable", None),
    "save_phases": ("writes the rate of every cable", None),
    "check_plan": ("which cable goes where", None),
    "check_panel_plan": ("which cord and trunk goes where", None),
    "save_panel_expansion": ("writes which cord and trunk goes where", None),
    "compare_fabrics": ("who is cabled to whom", None),
    "identify": ("who is cabled to whom", None),
    "repair_fabric": ("next hops and virtual channels", None),
    "progress": ("who is cabled to whom", None),
    "losses": ("names of parts", None),
    "open_network": ("reads rates", None),
    "as_network": ("reads rates", None),
    "load": ("reads rates", None),
    "load_layout": ("reads rates", None),
    "build": ("a spec gives rates by its transform `rates`", None),
    "facility": ("the powers of the parts that `price` finds for each rate", None),
    "design": ("takes no network; its candidates have no rates", None),
}

#: What gives every link and port its own rate, and where this is tested.
HONOURS = {
    "draw_network": "drawing/test_drawing.py",
    "expand": "expansion/test_mixed_growth.py",
    "save_expansion": "expansion/test_mixed_growth.py",
    "load_expansion": "expansion/test_mixed_growth.py",
    "phases": "expansion/test_phases.py",
    "collective": "applications/test_own_rates.py",
    "collective_bound": "applications/test_own_rates.py",
    "run_app": "applications/test_own_rates.py",
    "run_apps": "applications/test_own_rates.py",
    "execute": "simulator/test_flit_rates.py",
    "saturation": "simulator/test_flit_rates.py",
    "simulate": "simulator/test_flit_rates.py",
    "balance_paths": "routing/test_rated.py",
    "balance_routing": "routing/test_rated.py",
    "host_routings": "routing/test_rated.py",
    "layered_routing": "routing/test_rated.py",
    "route": "routing/test_rated.py",
    "blast_radius": "failures/test_blast_radius.py",
    "outage": "failures/test_mixed_losses.py",
    "cable": "cost/test_mixed_bill.py",
    "compare": "assessment/test_tables_and_rails.py",
    "cuts": "throughput/test_mixed_rates.py",
    "degradation": "failures/test_mixed_losses.py",
    "diagnose": "fabrics/test_mixed_tapers.py",
    "info": "throughput/test_mixed_rates.py",
    "optimize": "optimizer/test_rates_of_hosts.py",
    "price": "cost/test_mixed_bill.py",
    "price_machine": "machine/test_machine_sums.py",
    "expand_machine": "machine/test_machine_growth.py",
    "expand_panels": "fibre/test_panels_grow.py",
    "design_machine": "machine/test_machine_sums.py",
    "save_machine": "machine/test_machine_sums.py",
    "open_machine": "machine/test_machine_sums.py",
    "verify_machine": "machine/test_machine_verify.py",
    "write_export": "fabrics/test_mixed_exports.py",
    "write_machine_export": "machine/test_machine_exports.py",
    "quality": "throughput/test_mixed_rates.py",
    "traffic_of": "throughput/test_mixed_rates.py",
}

#: What takes no network, or directed ones, which have no rates.
NO_NETWORK = {
    *(
        "balanced_pairs",
        "copy_examples",
        "directed_hops",
        "directed_info",
        "directed_route",
        "directed_simulate",
        "flat_or_tree",
        "load_chakra",
        "load_goal",
        "new_requirement",
        "new_study",
        "open_directed",
        "open_executor",
        "save_directed",
        "open_study",
        "overview",
        "machine_facility",
        "machine_phases",
        "machine_report",
        "read_machine_file",
        "topology_of",
        "program_from",
        "read_schedule",
        "read_study",
    ),
    *("run_study", "run_task", "save_goal", "schedule_of_program", "serve", "study_status", "task_of", "write_site"),
    "trace_from",
    "verify_directed",
}


def test_every_public_function_is_known_to_honour_rates_or_not_to_care():
    """A new function decides: it honours the rates of mixed networks, or its answer does not depend on them."""
    public = {name for name in topoloom.__all__ if inspect.isroutine(getattr(topoloom, name))}
    assert public == INDIFFERENT.keys() | HONOURS.keys() | NO_NETWORK
    assert len(INDIFFERENT) + len(HONOURS) + len(NO_NETWORK) == len(public)
    assert all((Path(__file__).parent / place).exists() for place in HONOURS.values())


def _content(result):
    """The record of a result without which network it is of, and where it comes from."""
    return {key: value for key, value in result.record().items() if key not in ("provenance", "topology", "spec")}


@pytest.mark.parametrize("name", sorted(name for name, (_, call) in INDIFFERENT.items() if call is not None))
def test_what_does_not_depend_on_rates_answers_the_same_with_them(name):
    """The result for a mixed network is that of the same network without rates."""
    why, call = INDIFFERENT[name]
    assert why
    assert _content(call(MIXED)) == _content(call(PLAIN))


def test_route_gives_the_same_tables_where_all_links_have_the_same_rate():
    """Tables do not depend on the rates of hosts."""
    for engine in ("minimal", "updown", "orders"):
        assert np.array_equal(route(MIXED, engine).ports, route(PLAIN, engine).ports)
    lost = [topoloom.reroute(route(one, "minimal"), cables=[0]).routing for one in (MIXED, PLAIN)]
    assert np.array_equal(lost[0].ports, lost[1].ports)
    for mixed, plain in zip(
        topoloom.host_routings(MIXED, "minimal", 2), topoloom.host_routings(PLAIN, "minimal", 2), strict=True
    ):
        assert np.array_equal(mixed.ports, plain.ports)


def test_info_measures_loads_with_rates():
    """Links of 800 above hosts of 400 sustain twice as many hosts; all else is that of the network without rates."""
    mixed, plain = topoloom.info(MIXED, load=True), topoloom.info(PLAIN, load=True)
    assert mixed.skipped == plain.skipped
    assert mixed.full_bandwidth_hosts == pytest.approx(2 * plain.full_bandwidth_hosts)
    assert mixed.channel_load_max == pytest.approx(plain.channel_load_max / 2)
    assert (mixed.diameter, mixed.bisection) == (plain.diameter, plain.bisection)
    assert (mixed.bisection_gbps, plain.bisection_gbps) == (800 * mixed.bisection, None)


def test_an_export_of_a_uniform_network_has_its_rate(tmp_path):
    """Where no settings are given, the rate of the network stands; settings that are given count."""
    fabric = planned_fabric(UNIFORM)
    topoloom.write_export("ns3", fabric, tmp_path / "own")
    assert " 800Gbps" in (tmp_path / "own" / "network.txt").read_text()
    topoloom.write_export("ns3", fabric, tmp_path / "given", settings=topoloom.ExportSettings(rate_gbps=200))
    text = (tmp_path / "given" / "network.txt").read_text()
    assert " 200Gbps" in text
    assert "800" not in text
