"""What files for simulators say besides who is cabled to whom: rates, delays, and what is sent."""

from typing import Annotated, ClassVar, Literal

from topoloom.core.settings import Settings, setting

#: More bytes, nanoseconds, Gb/s or metres than any network has; they keep infinity out of files.
_MOST = 10**12


class ExportSettings(Settings, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Rates and delays that exports for simulators write; those for fabric managers do not ask.

    What each setting is stands in its annotation, in ``topoloom convert --help`` and in
    docs/how-to/exchange-with-simulators.md.

    Raises
    ------
    InputError
        A value of the wrong type or out of its range.

    Examples
    --------
    >>> ExportSettings(rate_gbps=800).host_gbps
    800.0
    """

    group: ClassVar[str] = "export"

    rate_gbps: Annotated[
        float, setting("rate of a link between switches, in each direction", unit="Gb/s", above=0, most=_MOST)
    ] = 400.0
    host_rate_gbps: Annotated[
        float, setting("the same of a host's link; 0: as a link's", unit="Gb/s", least=0, most=_MOST)
    ] = 0.0
    cable_ns_per_m: Annotated[float, setting("delay of a metre of cable", unit="ns/m", least=0, most=_MOST)] = 5.0
    cable_m: (
        Annotated[
            float,
            setting(
                "length of every cable; none: as the layout has it, 5 m without one", unit="m", least=0, most=_MOST
            ),
        ]
        | None
    ) = None
    switch_ns: Annotated[
        float, setting("delay of each switch, for the tools that take one", unit="ns", least=0, most=_MOST)
    ] = 200.0
    cycle_ns: Annotated[float, setting("a cycle of simulators that count cycles", unit="ns", above=0, most=_MOST)] = 1.0
    traffic: Annotated[
        str, setting("pattern of traffic for tools that read it beside the network; empty: none", example="permutation")
    ] = ""
    message_bytes: Annotated[
        int, setting("size of each message of that traffic", unit="bytes", least=1, most=_MOST)
    ] = 2_000_000
    seed: Annotated[int, setting("of random traffic", least=0, most=(1 << 31) - 1)] = 1
    gpu: Annotated[
        Literal["A100", "A800", "H100", "H800", "none"], setting("what SimAI takes the hosts' ports for")
    ] = "H100"
    nvlink_gbps: Annotated[
        float, setting("rate of a port to the NVSwitch of its host, for SimAI", unit="Gb/s", above=0, most=_MOST)
    ] = 3600.0
    nvlink_ns: Annotated[
        float, setting("delay of a port to the NVSwitch of its host, for SimAI", unit="ns", least=0, most=_MOST)
    ] = 25.0

    @property
    def host_gbps(self) -> float:
        """The rate of a host's link."""
        return float(self.host_rate_gbps or self.rate_gbps)
