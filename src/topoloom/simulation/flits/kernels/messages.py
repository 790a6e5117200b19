"""Messages between the parts of a network that threads simulate: flits, credits and free records.

All parts visit their switches for AHEAD cycles, wait for each other, and read what the others sent. No flit and no credit
arrives earlier than AHEAD cycles after it left, so that the result is that of one part.
"""

import numpy as np

from topoloom.core.compiling.atomics import load_shared, rest, store_shared
from topoloom.core.compiling.decorators import inner, stage
from topoloom.simulation.flits.buffers import FREE, RECORD, Buffers, NetworkPart, Rules
from topoloom.simulation.flits.kernels.credits import note, note_far
from topoloom.simulation.flits.kernels.fields import APART, PACKET_NEXT, PACKET_SIZE, VC_FLITS, VC_SIZE, at
from topoloom.simulation.flits.kernels.flits import append

#: How often a thread looks for the others before it lets them have its core.
_LOOKS = 2000


@stage
def post(part: NetworkPart, to: int, vc: int, word: int, birth: int, arrival: int) -> None:
    """Send a message to another part."""
    pair = ((part.visits[at(part.number * APART)] & 1) * part.parts + part.number) * part.parts + to
    count = part.sent[at(pair * APART)]
    base = (pair * part.most + count) * 4
    part.box[at(base)] = vc
    part.box[at(base + 1)] = word
    part.box[at(base + 2)] = birth
    part.box[at(base + 3)] = arrival
    part.sent[at(pair * APART)] = count + 1


@stage
def begin_visit(part: NetworkPart) -> None:
    """Empty the boxes that this part writes next: the others have read them."""
    pair = ((part.visits[at(part.number * APART)] & 1) * part.parts + part.number) * part.parts
    for to in range(part.parts):
        part.sent[at((pair + to) * APART)] = 0


@stage
def wait_for_others(part: NetworkPart) -> None:
    """End this part's visit, and wait until the others have ended theirs."""
    visit = part.visits[at(part.number * APART)] + 1
    store_shared(part.visits, part.number * APART, visit)
    for other in range(part.parts):
        looks = 0
        while load_shared(part.visits, other * APART) < visit:
            looks += 1
            if looks > _LOOKS:
                rest()


@inner
def read_messages(long_credits: int | None, part: NetworkPart, s: Buffers, rules: Rules, t: int) -> None:
    """Take the flits, credits and free records that the other parts sent in their last visit; t is the next cycle."""
    state, rec, packets = s.state, s.rec, s.packets
    parity = (part.visits[at(part.number * APART)] - 1) & 1
    for other in range(part.parts):
        pair = (parity * part.parts + other) * part.parts + part.number
        for k in range(part.sent[at(pair * APART)]):
            base = (pair * part.most + k) * 4
            vc, word = np.int64(part.box[at(base)]), np.int64(part.box[at(base + 1)])
            if vc < 0:
                number = -1 - vc
                packets[at(number * PACKET_SIZE + PACKET_NEXT)] = state[RECORD]
                state[RECORD] = number
            elif vc < part.vcs:
                birth, arrival = np.int64(part.box[at(base + 2)]), np.int64(part.box[at(base + 3)])
                state[FREE] = append(s, rules, vc, word, birth, arrival, t, state[FREE])
            else:
                rec[at(vc * VC_SIZE + VC_FLITS)] -= 1
                if long_credits is not None:
                    note_far(s.popped, rules.history, vc, word)
                else:
                    note(s.popped, vc, word)
