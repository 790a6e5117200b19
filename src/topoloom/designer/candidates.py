"""Which topologies could serve a requirement: every family's parameter sets, before anything is built."""

from topoloom.designer.need import Need
from topoloom.spec import Family, families, find_family


def enumerate_candidates(need: Need) -> tuple[list[str], list[tuple[str, str]]]:
    """(specs to build, [(spec, limit)] dropped because theory alone says that they pass a limit), in catalogue order."""
    specs, dropped = [], []
    for record in _chosen(need):
        if record.sizes is None:
            continue
        for values in record.sizes(need.hosts, need.switch.radix):
            spec = _written(record, dict(values))
            limit = _passed_by_theory(record, dict(values), need)
            if limit:
                dropped.append((spec, limit))
            elif spec not in specs:
                specs.append(spec)
    specs += [spec for spec in need.families.specs if spec not in specs]
    return specs, dropped


def _chosen(need: Need) -> list[Family]:
    only = [find_family(name).name for name in need.families.only]
    left_out = {find_family(name).name for name in need.families.leave_out}
    return [record for name, record in families().items() if (not only or name in only) and name not in left_out]


def _written(record: Family, values: dict[str, object]) -> str:
    """The spec with every parameter written out, so that one topology has one spec."""
    full = {key: values.get(key, parameter.default) for key, parameter in record.parameters.items()}
    parts = [f"{key}={record.parameters[key].write(value)}" for key, value in full.items() if value is not None]
    if "hosts" in values:
        parts.append(f"hosts={values['hosts']}")
    return f"{record.name}:{','.join(parts)}" if parts else record.name


def _passed_by_theory(record: Family, values: dict[str, object], need: Need) -> str | None:
    values.pop("hosts", None)
    full = {key: values.get(key, parameter.default) for key, parameter in record.parameters.items()}
    facts = record.facts(**full)
    if need.limits.switches is not None and facts.switches > need.limits.switches:
        return "switches"
    # A tree's diameter is between its leaves too, so the fact holds for hosts as well.
    if need.limits.diameter is not None and facts.diameter is not None and facts.diameter > need.limits.diameter:
        return "diameter"
    return None
