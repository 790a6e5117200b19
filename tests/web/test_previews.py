"""Previews: the sums of a moved rack, which no list of tasks shows; of those of one page the newest counts."""

import threading

import pytest

pytest.importorskip("starlette")
pytest.importorskip("httpx")
from test_server import Server

from topoloom import run_task, task_of
from topoloom.core.errors import InputError
from topoloom.studies.record import done
from topoloom.web.previews import MOST_WAITING, Previews

_ROOM = {"topology": "dragonfly:h=2,hosts=1", "floor": "koibuchi-2013", "switches_per_rack": 4, "map": "rows"}
_MOVED = {**_ROOM, "rows": 3, "columns": 4, "moved": [["A01", "C04"]]}


@pytest.fixture
def server(tmp_path):
    started = Server(tmp_path / "store")
    yield started
    started.end()


def _asked(server, operation="stand", **arguments):
    return server.client.post("/api/previews", json={"operation": operation, "arguments": arguments, "page": "p"})


def test_a_preview_has_the_sums_of_the_task_and_is_not_kept(server):
    """Without the picture; neither the list of tasks nor the store knows it; a fault is one sentence."""
    answer = _asked(server, **_MOVED).json()
    expected = run_task(task_of("stand", {**_MOVED, "picture": False}))[0]
    assert answer["state"] == "done"
    assert answer["result"] == expected
    assert "floor" not in _asked(server, **_MOVED, picture=True).json()["result"]
    assert server.client.get("/api/tasks").json() == []
    assert server.client.get(f"/api/tasks/{answer['digest']}").status_code == 404
    wrong = _asked(server, **{**_MOVED, "moved": [["Z99", "A01"]]}).json()
    assert "no slot 'Z99'" in wrong["error"]
    for refused in (_asked(server, "design"), _asked(server, topology="../../etc/passwd"), _asked(server)):
        assert refused.status_code == 400
        assert "Traceback" not in refused.json()["error"]
    bare = server.client.post("/api/previews", content=b"{")
    assert bare.status_code == 400


class _Slow(Previews):
    """Previews whose worker waits until it may answer."""

    def __init__(self):
        super().__init__()
        self.may_answer, self.ran = threading.Event(), []

    def _run(self, task):
        self.ran.append(task.arguments["moved"])
        self.may_answer.wait(20)
        return done(task, None, {}, 0.0)


def test_the_newest_preview_of_a_page_counts():
    """One runs at a time; of those that wait, a newer one of the same page takes the place of an older one."""
    previews, answers = _Slow(), {}

    def ask(page, move):
        task = task_of("stand", {"topology": "petersen", "moved": [[move, move]]})
        answers[page, move] = previews.answer(task, page)

    def begin(page, move, waiting):
        thread = threading.Thread(target=ask, args=(page, move))
        thread.start()
        while len(previews.ran) < 1 or len(previews._waiting) < waiting:
            thread.join(0.005)
        return thread

    threads = [begin("a", "1", 0), begin("a", "2", 1), begin("b", "1", 2)]
    threads.append(begin("a", "3", 2))
    threads[1].join(10)
    assert answers == {("a", "2"): None}
    threads += [begin(f"page {number}", "1", number + 3) for number in range(MOST_WAITING - 2)]
    with pytest.raises(InputError, match="previews are waiting"):
        ask("one more", "1")
    previews.may_answer.set()
    for thread in threads:
        thread.join(10)
    assert previews.ran[:3] == [[["1", "1"]], [["3", "3"]], [["1", "1"]]]
    assert [answers[key] is None for key in (("a", "1"), ("a", "3"), ("b", "1"))] == [False] * 3


def test_a_worker_that_ends_is_replaced():
    """A killed worker does not end the previews; a closed one answers no more."""
    previews, task = Previews(), task_of("stand", {**_MOVED, "picture": False})
    first = previews.answer(task, "p")
    previews._worker.process.kill()
    again = previews.answer(task, "p")
    assert (first.state, again.state) == ("done", "done")
    assert first.result == again.result
    previews.close()
    assert previews._worker is None
