"""Rules on passive parts: panels, and the cords and trunks between them, which only the links through them show."""

from collections.abc import Iterator, Sequence

import numpy as np

from topoloom.fabric.diagnosis.evidence import Evidence
from topoloom.fabric.diagnosis.finding import Finding, enumerated
from topoloom.fabric.diagnosis.passive.facts import PassiveFacts
from topoloom.fabric.diagnosis.passive.roots import (
    EXCHANGED,
    MOVED,
    OTHER_TYPE,
    OUT,
    PANEL_DARK,
    TURNED,
    WHOLE,
    PassiveRoot,
)
from topoloom.fabric.diagnosis.passive.words import PartWords
from topoloom.fabric.diagnosis.rule import ERROR, rule
from topoloom.placement.fibre.polarity import parts_in_words

_LOSS_ERROR_DB = 1e-9


def _of_kind(evidence: Evidence, kind: str) -> Iterator[tuple[PassiveRoot, PartWords]]:
    facts = evidence.facts.passive
    if facts is not None:
        words = PartWords(evidence, facts)
        for root in evidence.roots:
            if isinstance(root, PassiveRoot) and root.kind == kind:
                yield root, words


def _finding(evidence: Evidence, root: PassiveRoot, words: PartWords, text: str, todo: str) -> Finding:
    panels = [(step.change.part, 0) for step in root.steps if step.change.kind == "panel dark"]
    places = [position for end, now in root.moved for position in (words.planned(end), now) if position is not None]
    places += [words.planned((fibre, end)) for fibre in root.whole for end in (0, 1)]
    return Finding(
        f"{text}; {words.links(root.planned, root.found)}",
        tuple(evidence.names[node] for node in root.nodes),
        evidence.ends(root.planned),
        evidence.ends(root.found),
        racks=words.racks([*places, *panels]),
        accounts=frozenset((*root.planned, *root.found)),
        parts=tuple(words.fibre(fibre) for fibre in root.fibres) or tuple(words.panel(device) for device, _ in panels),
        todo=todo,
    )


@rule(
    "TL601",
    "fibres-exchanged",
    ERROR,
    "Two cords, or two trunks, are in each other's ports.",
    explanation="""Discoveries show links between switches and no panels: two exchanged trunks look like many wrong links. This
    exchange of two plugs explains them all. An exchange at the other ends of the same two cords or trunks looks the same from
    the switches, and so may others that the text names; the labels on the plugs tell. Only a plan with panels
    (`topoloom layout --panels`) has this rule.""",
    fix="Exchange the two plugs.",
)
def _exchanged(evidence: Evidence) -> Iterator[Finding]:
    for root, words in _of_kind(evidence, EXCHANGED):
        step = root.steps[0]
        what = f"the {words.use(step.change.ends[0][0])}s in {words.exchanged(step.change.ends)}"
        text = f"exchanged: {what}{words.or_else(step.alike)}"
        yield _finding(evidence, root, words, text, f"Exchange {what}{'; read their labels first' * bool(step.alike)}.")


@rule(
    "TL602",
    "fibre-out",
    ERROR,
    "All links of a cord or trunk are missing.",
    explanation="""It is not plugged in at one of its ends, in a free port where nothing answers, broken, or of the other type
    (A in place of B): transmitters then meet transmitters, and all its links are dark. A meter that sees light at its end tells
    the last from the others. Where all links of other parts are the same ones, the text names those, too: a cord is then as
    likely as the one at the other end, or as the transceiver in its port.""",
    fix="Plug it in, clean it, or replace it by one of the planned type; of a cord also look at the transceiver of its switch.",
)
def _out(evidence: Evidence) -> Iterator[Finding]:
    for root, words in _of_kind(evidence, OUT):
        step = root.steps[0]
        fibre = words.fibre(step.change.part)
        text = f"out, or of the other type: {fibre}{words.or_else(step.alike)}"
        yield _finding(evidence, root, words, text, f"Plug in, clean or replace {fibre}{words.or_else(step.alike)}.")


@rule(
    "TL603",
    "fibre-misplaced",
    ERROR,
    "A cord or trunk is in another port than planned.",
    explanation="""It is in a free port, in a port of another panel or switch, or several are in each other's ports. All listed
    links follow from it. The same moves at the other ends of these cords or trunks look the same from the switches.""",
    fix="Move each listed plug to its port.",
)
def _moved(evidence: Evidence) -> Iterator[Finding]:
    for root, words in _of_kind(evidence, MOVED):
        out = {end[0] for end, position in root.moved if position is None}
        texts = [words.move(end, position) for end, position in root.moved if end[0] not in out]
        texts += [words.fibre(fibre) + " is out" for fibre in sorted(out)]
        texts += [
            f"{words.fibre(step.change.part)} is {'turned' if step.change.kind == 'turned' else 'of the other type'}"
            for step in root.steps
            if step.change.kind in WHOLE
        ]
        moves = [
            f"the {words.use(end[0])} in {words.position(end[0], position)} to {words.position(end[0], words.planned(end))}"
            for end, position in root.moved
            if position is not None and end[0] not in out
        ]
        alike = words.or_else(root.steps[0].alike) if len(root.steps) == 1 else ""
        replaced = [words.fibre(fibre) for fibre in root.whole]
        tasks = [f"move {', '.join(moves)}"] * bool(moves)
        tasks += [
            *(f"plug in {words.fibre(fibre)}" for fibre in sorted(out)),
            *(f"replace {part}" for part in replaced),
        ]
        todo = f"{'; '.join(tasks)}."
        todo = todo[:1].upper() + todo[1:]
        yield _finding(evidence, root, words, f"misplaced: {'; '.join(texts)}{alike}", todo)


@rule(
    "TL604",
    "panel-dark",
    ERROR,
    "All links through a panel are missing.",
    explanation="""The panel is not there, its trunks are not plugged in, or the loom of its trunks is cut. Links to switches
    that are missing themselves do not count.""",
    fix="Look at the panel first, then at both ends of its trunks.",
)
def _dark(evidence: Evidence) -> Iterator[Finding]:
    for root, words in _of_kind(evidence, PANEL_DARK):
        step = root.steps[0]
        panel = words.panel(step.change.part)
        text = f"dark: {panel}{words.or_else(step.alike)}"
        yield _finding(evidence, root, words, text, f"Look at {panel}, then at its trunks{words.or_else(step.alike)}.")


@rule(
    "TL605",
    "loss-over-budget",
    ERROR,
    "Links through panels lose more light than their transceivers allow.",
    explanation="""The loss of a link is that of its mated connectors, of the inside of its panels, and of its cords and trunks
    per km. The budget is the least `loss_db` of the link's two transceivers, which are those of the bill. All of these are as
    the catalogue states them that the plan remembers, or that of `--parts`, by the names of products; where no budget is
    stated, nothing is compared. The links with the greatest excess are named first, each with its loss and its budget.""",
    fix="Choose connectors of less loss, shorter ways or fewer panels; or transceivers with a greater budget.",
)
def _over_budget(evidence: Evidence) -> Iterator[Finding]:
    facts = evidence.facts.passive
    if facts is None:
        return
    loss_db = facts.plant.loss_db
    over = (loss_db > facts.budget_db + _LOSS_ERROR_DB) & facts.compared
    if over.any():
        over_db = np.where(over, loss_db - facts.budget_db, -np.inf)
        worst = int(over_db.argmax())
        most = f"up to {loss_db[worst]:.2f} dB of {facts.budget_db[worst]:g}"
        each = [f" ({lost:.2f} dB of {budget:g})" for lost, budget in zip(loss_db, facts.budget_db, strict=True)]
        order = np.argsort(-over_db, kind="stable")
        yield _of_links(evidence, order[over[order]], f"lose more than their transceivers allow, {most}", each)


@rule(
    "TL606",
    "polarity-not-crossed",
    ERROR,
    "Transmitters meet transmitters: a link has an even number of reversals.",
    explanation="""With parallel optics each cable of type B, and each adapter with aligned keys, reverses the order of the
    fibres; one of type A does not. A transmitter meets a receiver only if the number of reversals on the way is odd
    (TIA-568.3): three cables of type B work, two do not, unless one adapter reverses, too. Method U1 has cords and trunks of
    type B and adapters of type A; U2 and B have adapters of type B; A has trunks and adapters of type A, and a cord of type A
    at one end of each link and one of type B at the other.""",
    fix="Take a cord or trunk of the other type on these ways, or panels with other adapters.",
)
def _uncrossed(evidence: Evidence) -> Iterator[Finding]:
    facts = evidence.facts.passive
    uncrossed = np.zeros(0, bool) if facts is None else ~facts.plant.crossed & facts.compared
    if facts is not None and uncrossed.any():
        yield _of_links(
            evidence, np.flatnonzero(uncrossed), f"join transmitters with transmitters ({parts_in_words(facts.plant)})"
        )


@rule(
    "TL607",
    "connectors-exceeded",
    ERROR,
    "Links pass more mated connectors than a limit allows.",
    explanation="""The limit is `--connectors`. A budget of 2.75 dB for connections holds seven mated pairs of 0.35 dB, five of
    0.50 dB, or three of 0.75 dB. The pairs at the transceivers do not count.""",
    fix="Plan these links over fewer panels.",
)
def _connectors(evidence: Evidence) -> Iterator[Finding]:
    facts, most = evidence.facts.passive, evidence.limits.connectors
    if facts is None or most is None:
        return
    over = (facts.plant.connectors > most) & facts.compared
    if over.any():
        yield _of_links(
            evidence,
            np.flatnonzero(over),
            f"pass up to {int(facts.plant.connectors.max())} mated connectors, the limit is {most}",
        )


@rule(
    "TL608",
    "fibre-turned",
    ERROR,
    "The links of a cord or trunk arrive in the opposite order.",
    explanation="""The first link of a cord of four arrives as the fourth, the second as the third: its connector is turned, or
    its pairs of fibres are made in the opposite order. All links are lit, and each is at the port of another one. Switches
    cannot tell at which end it is turned; a transceiver in its port that counts its links the other way looks the same.
    A cord or trunk of the other type (A in place of B) is no such case, since its links are dark (TL602, TL609).""",
    fix="Replace it by one of the planned type, or turn its connector; of a cord also look at its transceiver.",
)
def _turned(evidence: Evidence) -> Iterator[Finding]:
    for root, words in _of_kind(evidence, TURNED):
        step = root.steps[0]
        fibre = words.fibre(step.change.part)
        text = f"turned at one of its ends: {fibre}{words.or_else(step.alike)}"
        yield _finding(
            evidence, root, words, text, f"Replace {fibre}{words.or_else(step.alike)}, or turn its connector."
        )


@rule(
    "TL609",
    "fibre-of-other-type",
    ERROR,
    "A cord or trunk reverses the fibres, and should not, or does not, and should.",
    explanation="""All its links are dark but those that pass a second part of the other type, which are lit: two wrong types on
    one way cancel each other out (TIA-568.3). So this part is in place. Where it is the only one, no link tells a part of the
    other type from one that is out, and TL602 names both.""",
    fix="Replace it by one of the planned type (A or B, on the label of the cable).",
)
def _other_type(evidence: Evidence) -> Iterator[Finding]:
    for root, words in _of_kind(evidence, OTHER_TYPE):
        fibre = words.fibre(root.steps[0].change.part)
        yield _finding(
            evidence, root, words, f"of the other type: {fibre}", f"Replace {fibre} by one of the planned type."
        )


def _of_links(evidence: Evidence, rows: np.ndarray, text: str, each: Sequence[str] | None = None) -> Finding:
    """One finding for links through the plant, by their numbers among these; `each` says more of every link."""
    facts: PassiveFacts = evidence.facts.passive  # type: ignore[assignment]
    plant = facts.plant
    ends = zip(plant.start[rows].tolist(), plant.planned_arrival[rows].tolist(), strict=True)
    cables = [((a[0], a[1]), (b[0], b[1])) for a, b in ends]
    more = [""] * len(cables) if each is None else [each[row] for row in rows.tolist()]
    names = [evidence.words.cable(cable, False) + own for cable, own in zip(cables, more, strict=True)]
    total = f"{len(cables):,} of {int(facts.compared.sum()):,} links through panels"
    return Finding(f"{total} {text}: {enumerated(names, 3)}", planned=evidence.ends(cables))
