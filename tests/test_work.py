"""Work: progress, deadlines and stops, as every long operation is given them."""

import gc
import threading
import time

import pytest

from topoloom import InputError, build, hops
from topoloom.core.errors import Stopped
from topoloom.core.threads import over_cores
from topoloom.core.work import Work


def test_nothing_ends_work_by_itself():
    """Without a deadline and without a request it goes on, and a result says that it is done."""
    work = Work()
    work.check()
    assert not work.stopped
    assert work.ended == "done"
    assert work.flag.tolist() == [0]
    assert work.seconds_left == float("inf")


def test_a_request_is_seen_by_python_and_by_kernels():
    """`stop` sets the flag that kernels read, and the result says that it was interrupted."""
    work = Work()
    work.stop()
    assert work.stopped
    assert work.flag.tolist() == [1]
    assert work.ended == "interrupted"
    with pytest.raises(Stopped):
        work.check()


def test_a_deadline_sets_the_flag_without_being_asked():
    """Kernels see no clock: the flag is set when the time is over, though nobody looks at the work."""
    work = Work(seconds=0.05)
    for _ in range(400):
        if work.flag[0]:
            break
        time.sleep(0.025)
    assert work.flag.tolist() == [1]
    assert work.ended == "deadline"
    assert work.seconds_left == 0


def test_a_share_that_is_over_at_once_sets_its_flag():
    """Also where the thread that ends it runs before anything else."""
    whole = Work()
    shares = [share(1e-9) for share in (whole.share, whole.budget, whole.budget(60).share) for _ in range(50)]
    for _ in range(400):
        if all(share.flag[0] for share in shares):
            break
        time.sleep(0.025)
    assert all(share.flag[0] for share in shares)
    assert not whole.stopped


@pytest.mark.parametrize("seconds", [0, -1, float("-inf"), float("nan")])
def test_a_deadline_is_a_number_of_seconds(seconds):
    """None, or a number above 0."""
    with pytest.raises(InputError, match="give a number of seconds above 0"):
        Work(seconds=seconds)


@pytest.mark.parametrize("seconds", [6e10, 1e300, float("inf")])
def test_a_deadline_beyond_what_threads_can_wait_is_no_deadline(seconds, monkeypatch):
    """A budget of 1e9 minutes is a long time, for a share too, and no `OverflowError` of the thread that waits."""
    failed = []
    monkeypatch.setattr(threading, "excepthook", failed.append)
    work = Work(seconds=seconds)
    share = work.share(seconds * 2)
    time.sleep(0.05)
    assert not failed
    assert not work.stopped
    assert not share.stopped
    assert work.seconds_left > 5e10


def test_progress_knows_what_is_left():
    """Three of four done: the rest takes a third of the time so far; a new stage begins again."""
    told = []
    work = Work(on_progress=told.append)
    work.begin(4, "loads")
    time.sleep(0.03)
    work.advance(3, note="best 7")
    progress = work.progress
    assert (progress.done, progress.total, progress.what, progress.note) == (3, 4, "loads", "best 7")
    assert progress.eta_s == pytest.approx(progress.seconds / 3)
    work.reach(4)
    assert told[-1].done == 4
    work.begin(None, "samples")
    work.advance(10)
    assert work.progress.eta_s is None
    assert work.progress.what == "samples"


def test_parts_of_the_result_are_handed_over_one_after_the_other():
    """From several threads, never two at a time."""
    inside, most, seen = [0], [0], []

    def receive(part):
        inside[0] += 1
        most[0] = max(most[0], inside[0])
        time.sleep(0.001)
        seen.append(part)
        inside[0] -= 1

    work = Work(on_result=receive)
    threads = [threading.Thread(target=work.deliver, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(seen) == list(range(8))
    assert most == [1]


@pytest.mark.parametrize("jobs", [1, 2])
def test_blocks_are_no_longer_given_out_once_work_is_stopped(jobs):
    """Each thread finishes the block that it is at; what is done is counted."""
    work = Work()
    work.begin(1000, "blocks")

    def task(numbers):
        done = 0
        for number in numbers:
            done += 1
            if number == 5:
                work.stop()
        return done

    assert sum(over_cores(task, 1000, jobs, work)) < 1000
    assert work.progress.done <= 1000


def test_a_verb_without_a_partial_result_says_that_it_was_stopped():
    """`hops` counts all pairs or none."""
    work = Work()
    work.stop()
    with pytest.raises(Stopped):
        hops(build("torus:dims=32x32"), work=work)


def test_an_interrupt_inside_is_a_request():
    """Ctrl-C where a partial result is kept asks the work to end; nothing is raised."""
    work = Work()
    with work.interruptible():
        raise KeyboardInterrupt
    assert work.ended == "interrupted"


def test_a_step_ends_with_its_work_and_tells_nothing():
    """An operation inside a stage counts for itself; what it is asked, and by whom, is its work's."""
    told = []
    work = Work(on_progress=told.append)
    work.begin(4, "samples")
    step = work.step()
    hops(build("petersen"), work=step)
    assert {progress.what for progress in told} == {"samples"}
    assert not step.stopped
    work.stop()
    assert (step.stopped, step.ended, int(step.flag[0])) == (True, "interrupted", 1)
    with pytest.raises(Stopped):
        hops(build("petersen"), work=step)
    other = Work()
    other.step().stop()
    assert other.ended == "interrupted"


def test_the_thread_of_a_deadline_ends_with_its_work():
    """A thousand works that end early leave no thousand threads waiting for their deadlines."""
    before = set(threading.enumerate())
    for _ in range(20):
        work = Work(seconds=1e6)
        hops(build("petersen"), work=work.budget(1e5).share(1e4))
    del work
    gc.collect()
    for waiting in set(threading.enumerate()) - before:
        waiting.join(60)
        assert not waiting.is_alive()
