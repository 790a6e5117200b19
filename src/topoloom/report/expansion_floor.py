"""The floor at a step of an expansion: cabinets that are touched or set up, and the cables that go, move and come."""

from collections import Counter
from html import escape

import numpy as np

from topoloom.expansion.expansion import Expansion, Step, switches_of
from topoloom.expansion.work.order_search import ADD, MOVE, UNPLUG
from topoloom.report.floor_sheet import Sheet

_STANDS, _TOUCHED, _NEW, _LATER = "#e8edf3", "#fbe3a6", "#bfe5c8", "#ffffff"
#: Okabe and Ito's colours: what goes, what moves, what comes; the first is dashed as well.
_LINES = {UNPLUG: "#D55E00", MOVE: "#0072B2", ADD: "#009E73"}
_WORDS = {UNPLUG: "unplugged", MOVE: "moved (the new path)", ADD: "added"}
_WIDEST = 7.0


def step_floorplan(expansion: Expansion, number: int) -> str:
    """The floor at step `number` (from 0) as SVG text, to scale; cables between two cabinets are one line."""
    step, layout = expansion.steps[number], expansion.layout
    slots, slot = layout.slots, layout.slot
    sheet = Sheet(layout)
    title = f"step {number + 1} of {len(expansion.steps)}: {step.title}"
    out = [sheet.begin(title), *sheet.free()]
    there = Counter(slot[: step.topology.switches].tolist())
    touched = Counter(int(slot[switch]) for task in step.tasks for switch in switches_of(task, expansion.cables))
    new = set(step.new_cabinets)
    for place in layout.used.tolist():
        name, held = slots.names[place], there[place]
        if not held:
            out.append(sheet.box(place, _LATER, f"slot {name}: free at this step", _edge(dashed=True)))
            continue
        fill = _NEW if name in new else _TOUCHED if touched[place] else _STANDS
        hint = f"{name}: {held} switches, {touched[place]} plugs worked on" + (
            ", set up in this step" if name in new else ""
        )
        out.append(sheet.box(place, fill, hint, _edge()))
    lines, inside = _cables_by_slots(expansion, step)
    most = max(lines.values(), default=1)
    for (work, a, b), count in sorted(lines.items(), key=lambda item: (list(_LINES).index(item[0][0]), item[0])):
        out.append(_line(sheet, work, (a, b), count, count / most, f"{slots.names[a]} to {slots.names[b]}"))
    for place in layout.used.tolist():
        if there[place]:
            count = inside[place]
            out += sheet.name(place, f"{count} inside" if count else f"{there[place]} sw", "#1c2733")
    out.append(sheet.end())
    return "\n".join(out)


def legend() -> str:
    """What the colours mean, as HTML."""
    lines = "".join(f'<span style="color:{_LINES[work]}">&#9644;</span> {_WORDS[work]} &ensp;' for work in _LINES)
    boxes = "".join(
        f'<span style="background:{colour};border:1px solid #8793a3">&ensp;&ensp;</span> {word} &ensp;'
        for colour, word in ((_NEW, "new cabinet"), (_TOUCHED, "touched"), (_STANDS, "not touched"))
    )
    return f'<p class="quiet">Cables {lines}; cabinets {boxes}</p>'


def _edge(*, dashed: bool = False) -> str:
    return 'stroke="#8793a3" stroke-width="0.8"' + (' stroke-dasharray="3 3"' if dashed else "")


def _cables_by_slots(expansion: Expansion, step: Step) -> tuple[Counter[tuple[str, int, int]], Counter[int]]:
    """How many cables are worked on between two slots, by work; and inside each slot."""
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


def _line(sheet: Sheet, work: str, ends: tuple[int, int], count: int, share: float, between: str) -> str:
    """A bundle as a curve, so that it does not run through the cabinets of its row; wider with more cables."""
    # Above the names.
    start, stop = sheet.corner[list(ends)] + sheet.cell * (0.5, 0.2)
    side = np.array([start[1] - stop[1], stop[0] - start[0]])
    middle = (start + stop) / 2 + 0.14 * side * (1 + 0.5 * list(_LINES).index(work))
    (x0, y0), (x1, y1), (x2, y2) = start.tolist(), middle.tolist(), stop.tolist()
    dash = ' stroke-dasharray="7 4"' if work == UNPLUG else ""
    hint = escape(f"{between}: {count} {_WORDS[work]}")
    wide = 1.2 + (_WIDEST - 1.2) * share * (count > 1)
    return (
        f'<path d="M{x0:.1f} {y0:.1f}Q{x1:.1f} {y1:.1f} {x2:.1f} {y2:.1f}" fill="none" stroke="{_LINES[work]}"'
        f' stroke-width="{wide:.1f}" stroke-opacity="0.75"{dash}><title>{hint}</title></path>'
    )
