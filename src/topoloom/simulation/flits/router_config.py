"""The configuration of routers: virtual channels, buffers, delays, packets."""

import math
from typing import Annotated, ClassVar, Literal

from msgspec import structs

from topoloom.core.errors import InputError
from topoloom.core.settings import Settings, setting

#: The most flits of a packet; the most cycles of a cable or a stage.
_MOST_FLITS, _MOST_CYCLES = 1 << 12, 1 << 14
#: The allocator and the arbiter that need no part of the register.
USUAL_ALLOCATOR, USUAL_ARBITER = "separable-input-first", "round-robin"
#: The settings of router parts.
_PARTS = (
    "vc_allocator",
    "switch_allocator",
    "vc_arbiter",
    "switch_arbiter",
    "vc_choice",
    "input_speedup",
    "output_speedup",
    "wait_for_tail_credit",
    "credits_per_cycle",
    "hold_switch",
    "speculative",
)


class RouterConfig(Settings, frozen=True, kw_only=True):
    """A router, its links and its packets, in flits and cycles; a cycle is the time of one flit on a link.

    `topoloom.core.settings.described(RouterConfig)` lists every value with its range.

    Raises
    ------
    InputError
        A value out of its range, packets' shares that do not add up to 1, or cut-through packets beyond a buffer.

    Examples
    --------
    >>> RouterConfig(vcs=3).buffer_flits
    64
    """

    group: ClassVar[str] = "router"

    vcs: Annotated[
        int,
        setting("least virtual channels per port; 0: one for each virtual channel of the routing", least=0, most=32),
    ] = 0
    buffer_flits: Annotated[
        int, setting("buffer of an input port, divided evenly among its VCs", unit="flits", least=1, most=1 << 16)
    ] = 64
    output_flits: Annotated[
        int, setting("queue of an output after the crossbar; 0: no limit", unit="flits", least=0, most=1 << 16)
    ] = 0
    speedup: Annotated[
        int,
        setting("allocations per cycle; a hop takes 5 minus this many cycles without added delays", least=1, most=2),
    ] = 2
    speedup_tenths: Annotated[
        int,
        setting(
            "a speedup between one and two, in tenths: 17 is 1.7, or 17 allocations in ten cycles; 0: as `speedup` says",
            least=0,
            most=20,
        ),
    ] = 0
    link_cycles: Annotated[
        int, setting("time of a flit on a cable between switches", unit="cycles", least=1, most=_MOST_CYCLES)
    ] = 1
    host_cycles: Annotated[
        int,
        setting("time of a flit on the cable between a host and its switch", unit="cycles", least=1, most=_MOST_CYCLES),
    ] = 1
    credit_cycles: Annotated[
        int,
        setting(
            "time from a flit leaving a buffer until the sender can use its credit, without the cable's time",
            unit="cycles",
            least=1,
            most=_MOST_CYCLES,
        ),
    ] = 3
    credits_per_cycle: Annotated[
        int,
        setting(
            "messages with credits that an input sends per cycle, each with those of one allocation; 0: as many as there are."
            " 1 matters with a speedup of 2",
            least=0,
            most=1,
        ),
    ] = 0
    host_credits: Annotated[
        Literal["shared", "per-vc"],
        setting(
            "shared: a switch sends to a host while the host's VCs together have room; per-vc: each VC has credits, as between"
            " switches, and as always for packets that are longer than a VC"
        ),
    ] = "shared"
    pipeline_cycles: Annotated[
        int,
        setting(
            "added delay of a switch that handles flits one after another: from a flit's arrival to the head of its VC",
            unit="cycles",
            least=0,
            most=_MOST_CYCLES,
        ),
    ] = 0
    route_cycles: Annotated[
        int,
        setting(
            "delay of routing: from the head of the VC to the request for an output VC; with a speedup of 2, the first cycle"
            " is one of its two steps",
            unit="cycles",
            least=0,
            most=_MOST_CYCLES,
        ),
    ] = 0
    vc_cycles: Annotated[
        int,
        setting(
            "added delay of VC allocation: from getting a VC to the first request for the switch",
            unit="cycles",
            least=0,
            most=12,
        ),
    ] = 0
    switch_cycles: Annotated[
        int,
        setting(
            "added delay of switch allocation: from winning the switch to leaving the buffer",
            unit="cycles",
            least=0,
            most=_MOST_CYCLES,
        ),
    ] = 0
    crossbar_cycles: Annotated[
        int,
        setting(
            "added delay of the crossbar: from the buffer to the output", unit="cycles", least=0, most=_MOST_CYCLES
        ),
    ] = 0
    packet_flits: Annotated[int, setting("length of every packet", unit="flits", least=1, most=_MOST_FLITS)] = 1
    packet_mix: Annotated[
        str,
        setting(
            "packets of several lengths: flits and share of packets; empty: all have packet_flits",
            example="1:0.6,5:0.4",
        ),
    ] = ""
    reply_flits: Annotated[
        int,
        setting(
            "every packet is a request, answered with a packet of this length; loads are of both; 0: no replies",
            unit="flits",
            least=0,
            most=_MOST_FLITS,
        ),
    ] = 0
    service_cycles: Annotated[
        int,
        setting(
            "with reply_flits: time from the arrival of a request to its reply",
            unit="cycles",
            least=0,
            most=_MOST_CYCLES,
        ),
    ] = 0
    vc_allocator: Annotated[
        str, setting("allocator of output VCs: separable-input-first, or another of the register (topoloom.allocators)")
    ] = USUAL_ALLOCATOR
    switch_allocator: Annotated[str, setting("allocator of the switch, from the same register")] = USUAL_ALLOCATOR
    allocator_rounds: Annotated[int, setting("rounds of the allocator islip in a step", least=1, most=64)] = 1
    vc_arbiter: Annotated[
        str,
        setting("how the allocator of VCs ranks requests: round-robin, or another of the register (topoloom.arbiters)"),
    ] = USUAL_ARBITER
    switch_arbiter: Annotated[
        str, setting("how the allocator of the switch ranks requests, from the same register")
    ] = USUAL_ARBITER
    vc_choice: Annotated[
        Literal["spread", "any", "lowest", "random", "emptiest", "with-credit"],
        setting(
            "which free output VCs a packet requests: one that differs by input and step; any, so that the allocator decides;"
            " the lowest; a random one; the one with fewest flits; all with a credit"
        ),
    ] = "spread"
    input_speedup: Annotated[
        int, setting("inputs of the switch per input port, each with its share of the VCs", least=1, most=4)
    ] = 1
    output_speedup: Annotated[int, setting("outputs of the switch per output port", least=1, most=4)] = 1
    wait_for_tail_credit: Annotated[
        bool, setting("an output VC is free for the next packet when all credits of the last one are back")
    ] = False
    hold_switch: Annotated[
        bool, setting("a packet keeps its way through the switch while its next flits are there and have credits")
    ] = False
    speculative: Annotated[
        bool, setting("packets request the switch in the step in which they request a VC, after all others")
    ] = False
    cut_through: Annotated[
        bool, setting("a packet advances only where all of it has room (virtual cut-through); else wormhole")
    ] = False
    burst_packets: Annotated[
        float,
        setting(
            "mean packets that a host creates in a row; 1: single packets (Bernoulli)",
            unit="packets",
            least=1,
            most=1 << 16,
        ),
    ] = 1.0
    host_vcs: Annotated[
        Literal["any", "one"],
        setting(
            "one: a host chooses the VC of each packet at random and waits for it, and a packet leaves in the VC by which it"
            " arrived; any: both take any free VC"
        ),
    ] = "any"
    host_ports: Annotated[
        Literal["round-robin", "hash", "least-loaded"],
        setting(
            "port of a packet, for hosts with several ports (planes, rails): in turn, by a hash of the two hosts,"
            " or the port with"
            " the shortest queue; the packet arrives at the same port of the other host"
        ),
    ] = "round-robin"
    random_streams: Annotated[
        Literal["one", "per-switch"],
        setting(
            "what packets' choices and hosts' choices of VCs draw from: one stream of random numbers for all, or one per"
            " switch, with which several cores can simulate one load"
        ),
    ] = "one"
    to_itself: Annotated[bool, setting("uniform traffic includes the sender itself")] = False
    detours: Annotated[int, setting("UGAL: number of compared detours; 0: that of the engine", least=0, most=256)] = 0
    detour_threshold: Annotated[
        int,
        setting("UGAL: how much longer the direct queue may be without a detour", unit="flits", least=0, most=1 << 16),
    ] = 0
    detour_weight: Annotated[
        float, setting("UGAL: weight of a flit in a detour's queue; 0: hops decide", least=0, most=256)
    ] = 0.0
    cycle_ns: Annotated[float, setting("duration of a cycle; 0: not stated", unit="ns", least=0, most=1e6)] = 0.0
    flit_bits: Annotated[int, setting("size of a flit; 0: not stated", unit="bits", least=0, most=1 << 20)] = 0

    def __post_init__(self) -> None:
        Settings.__post_init__(self)
        longest = max(self.reply_flits, *(length for length, _ in self.packet_lengths))
        if self.service_cycles and not self.reply_flits:
            raise InputError("router: service_cycles is the time until a reply; set reply_flits, too")
        if self.cut_through and longest > self.buffer_flits:
            raise InputError(
                f"router: cut_through with packets of {longest} flits and buffer_flits={self.buffer_flits}; a packet needs"
                " room for all of it"
            )
        if not self.usual_parts:
            from topoloom.simulation.flits.router_parts import ALLOCATORS, ARBITERS

            ALLOCATORS.find(self.vc_allocator)
            ALLOCATORS.find(self.switch_allocator)
            ARBITERS.find(self.vc_arbiter)
            ARBITERS.find(self.switch_arbiter)
        if 0 < self.speedup_tenths < 10:
            raise InputError(f"router: speedup_tenths={self.speedup_tenths}; it is 0, or a whole number from 10 to 20")
        if self.speculative and self.vc_cycles:
            raise InputError(
                "router: speculative=yes with vc_cycles above 0; a VC is there in the same step, or too late"
            )

    @property
    def usual_parts(self) -> bool:
        """Whether all router parts are the usual ones."""
        defaults = {field.name: field.default for field in structs.fields(type(self))}
        return all(getattr(self, name) == defaults[name] for name in _PARTS)

    @property
    def credits_wait(self) -> bool:
        """Whether an input can have more credits to send in a cycle than it may."""
        return self.credits_per_cycle > 0 and (
            self.speedup_tenths > 10 or (not self.speedup_tenths and self.speedup > 1)
        )

    @property
    def packet_lengths(self) -> tuple[tuple[int, float], ...]:
        """Packet lengths in flits, with the share of packets of each."""
        if not self.packet_mix:
            return ((self.packet_flits, 1.0),)
        try:
            pairs = [part.split(":") for part in self.packet_mix.split(",")]
            lengths = tuple((int(length), float(share)) for length, share in pairs)
        except ValueError:
            lengths = ()
        total = sum(share for _, share in lengths)
        if (
            not lengths
            or not all(1 <= length <= _MOST_FLITS and share > 0 for length, share in lengths)
            or abs(total - 1) > 1e-6
        ):
            raise InputError(
                f"router: packet_mix='{self.packet_mix}'; write flits:share,... as in 1:0.6,5:0.4, with shares that add up to 1"
                f" and 1 to {_MOST_FLITS} flits"
            )
        return lengths

    @property
    def mean_flits(self) -> float:
        """The mean flits per packet."""
        return sum(length * share for length, share in self.packet_lengths)

    @property
    def flits_per_created(self) -> float:
        """The mean flits of a packet that a source creates, with its reply."""
        return self.mean_flits + self.reply_flits

    def chance_of_sources(self, load: float, packets: float) -> float:
        """Return the standard deviation of the flits that sources create, relative to their number.

        In each cycle, a source starts a burst with the same probability; the packets of a burst are geometrically distributed
        with mean `burst_packets`, and each has one of `packet_lengths`.

        Parameters
        ----------
        load : float
            Flits per host and cycle.
        packets : float
            The number of created packets in all.
        """
        bursts_per_cycle = load / self.flits_per_created / self.burst_packets
        squares = sum(share * length**2 for length, share in self.packet_lengths) / self.mean_flits**2
        return math.sqrt(max(0.0, 1 - bursts_per_cycle) * (2 * self.burst_packets - 1) * squares / max(1.0, packets))
