"""Blocks of work over threads."""

import pytest

from topoloom.core.errors import InputError
from topoloom.core.threads import cores, over_cores


@pytest.mark.parametrize("jobs", [1, 2, 7, None])
@pytest.mark.parametrize("blocks", [1, 2, 100])
def test_every_block_is_done_once(jobs, blocks):
    """However many threads share them, each block number is taken by exactly one."""
    taken = over_cores(list, blocks, jobs)
    assert sorted(number for numbers in taken for number in numbers) == list(range(blocks))


def test_a_failure_is_raised_and_stops_the_others():
    """An exception in one thread comes out, and the rest of the blocks is left."""
    done = []

    def work(numbers):
        for number in numbers:
            done.append(number)
            if number == 3:
                raise ValueError("three")

    with pytest.raises(ValueError, match="three"):
        over_cores(work, 10**7, 2)
    assert len(done) < 10**7


def test_threads_are_counted():
    """Every core unless told otherwise; below one is refused."""
    assert cores(None) >= 1
    assert cores(5) == 5
    with pytest.raises(InputError, match="jobs=0"):
        cores(0)
