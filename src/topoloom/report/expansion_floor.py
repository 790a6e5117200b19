"""The floor at a step of an expansion: racks that are worked on or new, and cables that are unplugged, moved or added."""

from collections import Counter
from typing import Any

import numpy as np

from topoloom.cabling.expansion.cable_order.order_search import ADD, MOVE, UNPLUG
from topoloom.cabling.expansion.expansion import Expansion, ExpansionStep, switches_of
from topoloom.core.pages.templating import rendered
from topoloom.report.floor_sheet import Sheet

_STANDS, _TOUCHED, _NEW, _LATER = "#eef1f5", "#fdf0cc", "#d3ecda", "#ffffff"
#: Okabe and Ito's colours for cables that are unplugged (also dashed), moved and added.
_LINES = {UNPLUG: "#D55E00", MOVE: "#0072B2", ADD: "#009E73"}
_WORDS = {UNPLUG: "unplugged", MOVE: "moved (the new path)", ADD: "added"}
_WIDEST = 4.5
#: Bundles end on an ellipse around the name of a rack; its semi-axes, as shares of the rack's sides.
_RING = (0.40, 0.36)
#: The legend: the meaning of the colours of lines and boxes.
LINE_COLOURS = tuple((_LINES[work], word) for work, word in _WORDS.items())
BOX_COLOURS = ((_NEW, "new rack"), (_TOUCHED, "touched"), (_STANDS, "not touched"))


def step_floorplan(expansion: Expansion, number: int) -> str:
    """The floor at step `number` (from 0) as SVG text, to scale; all cables between two racks are one line."""
    step, layout = expansion.steps[number], expansion.layout
    slots, slot = layout.slots, layout.slot
    sheet = Sheet(layout)
    title = f"step {number + 1} of {len(expansion.steps)}: {step.title}"
    boxes, names = sheet.free(), []
    switches_at = Counter(slot[: step.topology.switches].tolist())
    touched = Counter(int(slot[switch]) for task in step.tasks for switch in switches_of(task, expansion.cables))
    new = set(step.new_racks)
    for place in layout.used.tolist():
        name, held = slots.names[place], switches_at[place]
        if not held:
            boxes.append(sheet.box(place, _LATER, f"slot {name}: free in this step", dashed=True))
            continue
        fill = _NEW if name in new else _TOUCHED if touched[place] else _STANDS
        hint = f"{name}: {held} switches, {touched[place]} plugs worked on" + (
            ", set up in this step" if name in new else ""
        )
        boxes.append(sheet.box(place, fill, hint))
    bundles, inside = _cables_by_slots(expansion, step)
    tasks = Counter(task.work for task in step.tasks)
    most = max(bundles.values(), default=1)
    lines = [
        _line(sheet, work, (a, b), count, count / most, f"{slots.names[a]} to {slots.names[b]}")
        for (work, a, b), count in sorted(bundles.items(), key=lambda item: (list(_LINES).index(item[0][0]), item[0]))
    ]
    for place in layout.used.tolist():
        if switches_at[place]:
            count = inside[place]
            names += sheet.name(place, f"{switches_at[place]} sw" + (f", {count} in" if count else ""), "#1c2733")
    keys = [
        {"x": 46 + 170 * number, "colour": colour, "dashed": work == UNPLUG, "text": f"{_WORDS[work]}: {tasks[work]}"}
        for number, (work, colour) in enumerate(_LINES.items())
    ]
    parts: dict[str, Any] = {"boxes": boxes, "lines": lines, "names": names, "keys": keys}
    return str(rendered("floor_step.svg", title=title, **parts, **sheet.surroundings))


def _cables_by_slots(expansion: Expansion, step: ExpansionStep) -> tuple[Counter[tuple[str, int, int]], Counter[int]]:
    """Number of cables worked on between two slots, by kind of work; and within each slot."""
    slot = expansion.layout.slot
    lines: Counter[tuple[str, int, int]] = Counter()
    inside: Counter[int] = Counter()
    for task in step.tasks:
        if expansion.cables[task.cable].host:
            inside[int(slot[task.ends[0][0]])] += 1
            continue
        a, b = sorted(int(slot[switch]) for switch, _ in task.ends)
        if a == b:
            inside[a] += 1
        else:
            lines[task.work, a, b] += 1
    return lines, inside


def _line(sheet: Sheet, work: str, ends: tuple[int, int], count: int, share: float, between: str) -> dict[str, Any]:
    """A bundle as a curve, so that it does not run through the racks between; the more cables, the wider.

    It begins and ends next to the racks' names, on the side towards the other rack.
    """
    middles = sheet.corner[list(ends)] + sheet.cell / 2
    step = middles[1] - middles[0]
    distance = float(np.hypot(*step)) or 1.0
    reach = sheet.cell * _RING * (step / distance)
    start, stop = middles[0] + reach, middles[1] - reach
    side = np.array([step[1], -step[0]])
    # Bend towards the middle of the floor, so that the curve stays inside.
    side *= -1.0 if (sheet.middle - middles.mean(axis=0)) @ side < -1e-9 else 1.0
    middle = (start + stop) / 2 + 0.14 * side * (1 + 0.5 * list(_LINES).index(work))
    (x0, y0), (x1, y1), (x2, y2) = start.tolist(), middle.tolist(), stop.tolist()
    width = 1.3 + (_WIDEST - 1.3) * share * (count > 1)
    return {
        "path": f"M{x0:.1f} {y0:.1f}Q{x1:.1f} {y1:.1f} {x2:.1f} {y2:.1f}",
        "colour": _LINES[work],
        "width": f"{width:.1f}",
        "dashed": work == UNPLUG,
        "hint": f"{between}: {count} {_WORDS[work]}",
    }
