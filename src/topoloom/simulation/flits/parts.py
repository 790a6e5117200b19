"""The parts of routers for the kernels: compiled allocators and arbiters, and what they remember."""

from typing import Any, NamedTuple

import numpy as np

from topoloom.core.errors import InputError
from topoloom.simulation.flits.router_config import RouterConfig
from topoloom.simulation.flits.router_parts import ALLOCATORS, ARBITERS, compiled_allocator, compiled_arbiter

#: How a packet picks among free VCs: the values of `RouterConfig.vc_choice` in this order.
VC_CHOICES = ("spread", "any", "lowest", "random", "emptiest", "with-credit")
SPREAD, ANY_VC, LOWEST, RANDOM_VC, EMPTIEST, WITH_CREDIT = range(6)
#: The most bytes that matrix arbiters remember.
_MOST_BYTES = 1 << 30


class RouterParts(NamedTuple):
    """The parts, for N routers of P ports with V VCs; with `input_speedup` and `output_speedup` the switch has I inputs and O
    outputs per router: port * speedup + part.

    Attributes
    ----------
    allocate_vcs, allocate_ports, rank_vcs, rank_ports : compiled functions
        The allocators of VCs and of the switch, and their arbiters.
    ports, inputs, outputs, choice, rounds, into, out, hold, speculative, vc_serves, serves : int
        P, I, O; an index of `VC_CHOICES`; rounds of allocators; speedups of input and output; 1: the switch is held, VCs
        request it ahead, the arbiters of VCs and of the switch remember.
    input ... scratch : int64[...]
        As in `Requests`.
    label, late_vc : int64[P V]
        The VC of each request for the switch; the input VCs that request it speculatively.
    won : int64[O]
        The VC that won each output of the switch, -1: none.
    turns, vc_memory, switch_memory : int64[2 N], int64[N words], int64[N words]
        Calls of both allocators; their memory.
    vc_last_in, vc_last_out, vc_served_in, vc_served_out : int32[N P V], int32[N P V], int32[N (P V)^2 or 0] twice
        What an input VC's arbiter chose last, and an output VC's; when they chose each.
    last_in, last_out, last_vc, served_in, served_out, served_vc : int32[N I], int32[N O], int32[N I], int32[N I O or 0] ...
        The same for the switch; and the VC that an input sent from last.
    ending, released : int64[N words], int64[N VCs] or empty
        Output VCs whose last flit has left and whose credits are not all back; when a host's are.
    sent_credits : int64[2 N P] or empty
        For each input port the last step in which it sent credits, 2 * cycle + step, and the cycle in which their message
        leaves; empty where credits do not wait.
    held_in, held_out : int64[N I], int64[N O]
        The VC that holds an input, and whether an output is held: -1 no, -2 in this step for the last time.
    """

    allocate_vcs: Any
    allocate_ports: Any
    rank_vcs: Any
    rank_ports: Any
    ports: int
    inputs: int
    outputs: int
    choice: int
    rounds: int
    into: int
    out: int
    hold: int
    speculative: int
    vc_serves: int
    serves: int
    input: np.ndarray
    output: np.ndarray
    input_rank: np.ndarray
    output_rank: np.ndarray
    late: np.ndarray
    granted: np.ndarray
    at_input: np.ndarray
    at_output: np.ndarray
    scratch: np.ndarray
    label: np.ndarray
    late_vc: np.ndarray
    won: np.ndarray
    turns: np.ndarray
    vc_memory: np.ndarray
    switch_memory: np.ndarray
    vc_last_in: np.ndarray
    vc_last_out: np.ndarray
    vc_served_in: np.ndarray
    vc_served_out: np.ndarray
    last_in: np.ndarray
    last_out: np.ndarray
    last_vc: np.ndarray
    served_in: np.ndarray
    served_out: np.ndarray
    served_vc: np.ndarray
    ending: np.ndarray
    released: np.ndarray
    sent_credits: np.ndarray
    held_in: np.ndarray
    held_out: np.ndarray


def router_parts(config: RouterConfig, switches: int, ports: int, vcs: int, words: int) -> RouterParts | None:
    """Return the parts of a network's routers at cycle 0, or None for those of `kernels.allocation`.

    Parameters
    ----------
    config : RouterConfig
    switches, ports, vcs : int
        Routers, ports of the largest one, VCs per port.
    words : int
        Words of 64 VC slots per router.

    Returns
    -------
    RouterParts or None

    Raises
    ------
    InputError
        A part that is unknown or unusable, or that would remember more than 1 GiB.
    """
    if config.usual_parts:
        return None
    allocate_vcs, allocate_ports = compiled_allocator(config.vc_allocator), compiled_allocator(config.switch_allocator)
    vc_serves = ARBITERS.find(config.vc_arbiter).remembers
    serves = ARBITERS.find(config.switch_arbiter).remembers
    many, into, out = ports * vcs, config.input_speedup, config.output_speedup
    inputs, outputs = ports * into, ports * out
    bytes_served = switches * 4 * (vc_serves * 2 * many * many + serves * (2 * inputs * outputs + inputs * vcs))
    if bytes_served > _MOST_BYTES:
        name, arbiter = ("vc_arbiter", config.vc_arbiter) if vc_serves else ("switch_arbiter", config.switch_arbiter)
        raise InputError(
            f"router: {name}={arbiter} remembers {bytes_served / 2**30:.1f} GiB for {switches} switches of {ports}"
            f" ports with {vcs} VCs, at most {_MOST_BYTES >> 30} is possible; use fewer VCs, or {name}=round-robin"
        )

    def never(count: int) -> np.ndarray:
        return np.full(switches * count, -1, np.int32)

    def served(remembers: bool, owners: int, requesters: int) -> np.ndarray:
        # The one that has waited longest is next: at first the one with the highest number.
        first = -np.arange(requesters, dtype=np.int32)
        return np.tile(first, switches * owners) if remembers else np.zeros(0, np.int32)

    def zeros(count: int) -> np.ndarray:
        return np.zeros(count, np.int64)

    most = max(many * vcs, inputs * outputs)
    return RouterParts(
        allocate_vcs=allocate_vcs,
        allocate_ports=allocate_ports,
        rank_vcs=compiled_arbiter(config.vc_arbiter),
        rank_ports=compiled_arbiter(config.switch_arbiter),
        ports=ports,
        inputs=inputs,
        outputs=outputs,
        choice=VC_CHOICES.index(config.vc_choice),
        rounds=config.allocator_rounds,
        into=into,
        out=out,
        hold=int(config.hold_switch),
        speculative=int(config.speculative),
        vc_serves=int(vc_serves),
        serves=int(serves),
        input=zeros(most),
        output=zeros(most),
        input_rank=zeros(most),
        output_rank=zeros(most),
        late=zeros(most),
        granted=zeros(most),
        at_input=zeros(max(many, inputs, outputs)),
        at_output=zeros(max(many, inputs, outputs)),
        scratch=zeros(most + 4 * max(many, inputs, outputs) + 2),
        label=zeros(most),
        late_vc=zeros(many),
        won=np.full(outputs, -1, np.int64),
        turns=zeros(2 * switches),
        vc_memory=zeros(switches * ALLOCATORS.find(config.vc_allocator).memory),
        switch_memory=zeros(switches * ALLOCATORS.find(config.switch_allocator).memory),
        vc_last_in=never(many),
        vc_last_out=never(many),
        vc_served_in=served(vc_serves, many, many),
        vc_served_out=served(vc_serves, many, many),
        last_in=never(inputs),
        last_out=never(outputs),
        last_vc=never(inputs),
        served_in=served(serves, inputs, outputs),
        served_out=served(serves, outputs, inputs),
        served_vc=served(serves, inputs, vcs),
        ending=zeros(switches * words),
        released=zeros(switches * words * 64 if config.wait_for_tail_credit else 0),
        sent_credits=np.full(2 * switches * ports if config.credits_wait else 0, -1, np.int64),
        held_in=np.full(switches * inputs, -1, np.int64),
        held_out=np.full(switches * outputs, -1, np.int64),
    )
