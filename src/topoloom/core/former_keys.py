"""Keys in files of earlier versions of topoloom, and the current keys that readers use instead."""

from typing import Any

#: Keys of records, columns and files up to version 0.2, and the keys that replaced them.
FORMER_KEYS = {
    "a_cabinet": "a_rack",
    "anew": "rebuilt",
    "as_printed": "as_published",
    "b_cabinet": "b_rack",
    "busiest_channel": "maximum_channel_load",
    "cabinet": "rack",
    "cabinet_of_switch": "rack_of_switch",
    "cabinet_pairs": "rack_pairs",
    "cabinets": "racks",
    "cabinets_before": "racks_before",
    "cabinets_new": "racks_new",
    "cabinets_touched": "racks_touched",
    "cycle_lane": "cycle_virtual_channel",
    "finalists": "shortlist",
    "from_cabinet": "from_rack",
    "hosts_per_cabinet": "hosts_per_rack",
    "in_force_deadlock_free": "installed_deadlock_free",
    "judgement": "table_verification",
    "lane_pairs": "virtual_channel_pairs",
    "lane_rule": "virtual_channel_rule",
    "lanes": "virtual_channels",
    "lanes_changed": "virtual_channels_changed",
    "lanes_used": "virtual_channels_used",
    "left_out": "omitted",
    "need": "requirement",
    "new_cabinets": "new_racks",
    "power_w_per_cabinet": "power_w_per_rack",
    "printed_cost_usd": "published_cost_usd",
    "printed_power_w": "published_power_w",
    "proved": "optimal",
    "sequence_cabinet": "sequence_rack",
    "switches_per_cabinet": "switches_per_rack",
    "verb": "operation",
    "verdict": "verification",
}


def with_current_keys(value: Any) -> Any:
    """A record of an earlier version of topoloom with the current keys, at every depth."""
    if isinstance(value, dict):
        return {FORMER_KEYS.get(key, key): with_current_keys(item) for key, item in value.items()}
    return [with_current_keys(item) for item in value] if isinstance(value, list) else value
