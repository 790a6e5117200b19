"""Settings of files for simulators in addition to the topology: rates, delays and traffic."""

from typing import Annotated, ClassVar, Literal

from topoloom.core.settings import Settings, setting

#: Larger than any network's bytes, nanoseconds, Gb/s or metres; it keeps infinity out of files.
_MOST = 10**12


class ExportSettings(Settings, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Rates and delays that exports for simulators write; exports for fabric managers do not use them.

    Each setting is explained in its annotation, in ``topoloom convert --help`` and in
    docs/how-to/exchange-with-simulators.md.

    Raises
    ------
    InputError
        A value has the wrong type or is out of range.

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
        float, setting("rate of a host's link; 0: as between switches", unit="Gb/s", least=0, most=_MOST)
    ] = 0.0
    cable_ns_per_m: Annotated[float, setting("delay per metre of cable", unit="ns/m", least=0, most=_MOST)] = 5.0
    cable_m: (
        Annotated[
            float,
            setting("length of every cable; none: from the layout, 5 m without one", unit="m", least=0, most=_MOST),
        ]
        | None
    ) = None
    switch_ns: Annotated[
        float, setting("delay of each switch, for the tools that take one", unit="ns", least=0, most=_MOST)
    ] = 200.0
    cycle_ns: Annotated[float, setting("length of a simulator's cycle", unit="ns", above=0, most=_MOST)] = 1.0
    traffic: Annotated[
        str, setting("traffic pattern, for tools that read one with the network; empty: none", example="permutation")
    ] = ""
    message_bytes: Annotated[
        int, setting("size of each message of that traffic", unit="bytes", least=1, most=_MOST)
    ] = 2_000_000
    seed: Annotated[int, setting("seed of random traffic", least=0, most=(1 << 31) - 1)] = 1
    gpu: Annotated[
        Literal["A100", "A800", "H100", "H800", "none"], setting("GPU type of the hosts' ports, for SimAI")
    ] = "H100"
    nvlink_gbps: Annotated[
        float, setting("rate of a port to the NVSwitch of its host, for SimAI", unit="Gb/s", above=0, most=_MOST)
    ] = 3600.0
    nvlink_ns: Annotated[
        float, setting("delay of a port to the NVSwitch of its host, for SimAI", unit="ns", least=0, most=_MOST)
    ] = 25.0

    @property
    def host_gbps(self) -> float:
        """The rate of a host's link in Gb/s."""
        return float(self.host_rate_gbps or self.rate_gbps)
