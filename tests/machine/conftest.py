"""The machines that several tests use."""

import pytest
from machine_cases import SMALL, built, example

from topoloom.machine.reading import machine_of


@pytest.fixture(scope="session")
def small():
    """The machine of `SMALL`."""
    return built(machine_of(SMALL, "small.toml"))


@pytest.fixture(scope="session")
def superpod():
    """The published DGX SuperPOD H100, with the compute network that its design chooses."""
    return example("dgx-superpod-h100", compute="fat-tree:k=64,hosts=1024+rails:nics=8")


@pytest.fixture(scope="session")
def gb200():
    """The published scalable unit of GB200 NVL72."""
    return example("gb200-su")
