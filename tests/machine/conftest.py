"""The machines that several tests use."""

import msgspec
import pytest
from machine_cases import EXAMPLES, SMALL, built

from topoloom.machine.reading import machine_of, read_machine_file


@pytest.fixture(scope="session")
def small():
    """The machine of `SMALL`."""
    return built(machine_of(SMALL, "small.toml"))


@pytest.fixture(scope="session")
def superpod():
    """The published DGX SuperPOD H100, with the compute network that its design chooses."""
    requirement = read_machine_file(EXAMPLES / "dgx-superpod-h100.toml")
    compute, *others = requirement.network
    compute = msgspec.structs.replace(compute, spec="fat-tree:k=64,hosts=1024+rails:nics=8")
    return built(msgspec.structs.replace(requirement, network=(compute, *others)))
