"""Handing out tasks, in this process and in processes of this machine."""

import os
import pickle
import re
import subprocess
import sys
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from threading import Barrier
from types import SimpleNamespace
from typing import ClassVar

import numba
import pytest

from cardenvs.baselines.engine import work as working
from cardenvs.baselines.engine.executors import Here, Processes, WorkerLost
from cardenvs.baselines.engine.work import DescribedFile, Job, Queue, Task, work
from cardenvs.contract.registry import get_game, named_game
from tests.baselines.engine.jobs import adding, die_while_answering, finished
from tests.helpers.described import file_of
from tests.helpers.paths import ROOT

TASKS = [Task("one", 0, 30), Task("two", 5, 25)]
TOTALS = {"one": sum(range(30)), "two": sum(range(5, 25))}


def totals(job, tasks, **settings):
    """What the pieces of all tasks add up to by name, and the pieces in the order in which they came."""
    found, pieces = {}, []
    for task, (game, count, total) in work(job, tasks, finished, **settings):
        assert game == "euchre"
        found[task.of] = found.get(task.of, 0) + total
        pieces += [(task.of, number) for number in range(task.start, task.start + count)]
    assert len(set(pieces)) == len(pieces)
    return found


def test_the_last_pieces_are_shared():
    queue = Queue([Task(0, 0, 100), Task(1, 0, 100)], 2, 8192)
    assert queue.take_task() == Task(0, 0, 100)
    assert queue.take_task() == Task(1, 0, 50)
    queue.give_back(Task(0, 90, 100))
    assert queue.take_task() == Task(0, 90, 100)
    assert queue.take_task() == Task(1, 50, 75)


def test_no_more_pieces_than_allowed_are_handed_out_and_no_fewer_than_are_worth_it():
    queue = Queue([Task(0, 0, 100)], 1, 40)
    assert queue.take_task() == Task(0, 0, 40)
    queue = Queue([Task(0, 0, 10)], 10, 40)
    assert queue.take_task() == Task(0, 0, 8)
    assert queue.take_task() == Task(0, 8, 10)
    assert not queue
    queue.give_back(Task(0, 10, 10))
    assert not queue


def test_what_is_given_up_is_handed_out_no_more(tmp_path):
    given_up = set()
    came = []
    for task, done in work(adding(7, tmp_path), TASKS, finished, workers=1, wanted=lambda task: task.of not in given_up):
        came.append((task.of, done[1]))
        given_up.add("one")
    assert came == [("one", 7), ("two", 7), ("two", 7), ("two", 6)]


def test_one_worker_is_this_process(tmp_path):
    assert totals(adding(7, tmp_path), TASKS, workers=1) == TOTALS


def test_processes_come_to_the_same_and_one_that_dies_is_named_and_replaced(tmp_path, capfd):
    tasks = [*TASKS, Task("dies", 0, 20)]
    assert totals(adding(7, tmp_path), tasks, workers=2) == TOTALS | {"dies": sum(range(20))}
    said = capfd.readouterr().err
    lost = r"cardenvs: a worker of the sum, process \d+, was ended by SIGKILL; another one does its work again\n"
    assert re.fullmatch(f"({lost})+", said), said


def test_work_that_no_worker_survives_ends_with_its_name(tmp_path, capfd):
    job = adding(7, tmp_path)
    with pytest.raises(RuntimeError, match=r"process \d+, was ended by SIGKILL; 3 were lost at the same work"):
        totals(job, [Task("always dies", 0, 4)], workers=2)
    assert capfd.readouterr().err.count("another one does its work again") == 2


class Losing(Here):
    """A worker that is lost at a task as often as the list says for each time that it is handed out anew."""

    losses: ClassVar[list[int]] = []

    def submit(self, fn, /, *args, **kwargs):
        future = super().submit(fn, *args, **kwargs)
        if not self.losses[0]:
            self.losses.pop(0)
            return future
        self.losses[0] -= 1
        lost = Future()
        lost.set_exception(WorkerLost("worker", "is gone"))
        return lost


def test_losses_count_that_come_one_after_another(tmp_path, monkeypatch):
    """A task that comes back with nothing finished, but with something to go on from, is not what workers are lost at."""
    came = []

    def play(losses):
        monkeypatch.setattr(Losing, "losses", losses)
        done = iter([0, 0, 1])
        came.clear()
        came.extend(work(adding(1, tmp_path), [Task("one", 0, 1)], lambda one: next(done), cluster=Losing()))

    play([2, 2, 2])
    assert len(came) == 3
    with pytest.raises(RuntimeError, match="3 were lost at the same work"):
        play([2, 3])


def test_work_goes_to_anybodys_executor_which_stays_open(tmp_path):
    with ThreadPoolExecutor(1) as threads:
        assert totals(adding(7, tmp_path), TASKS, cluster=threads, workers=1) == TOTALS
        assert threads.submit(int, "5").result() == 5
    with ProcessPoolExecutor(2, get_context("spawn")) as processes:
        assert totals(adding(7, tmp_path), TASKS, cluster=processes, workers=2) == TOTALS
        with pytest.raises(ValueError, match=r"^it fails$"):
            totals(adding(7, tmp_path), [Task("fails", 0, 20)], cluster=processes)


@pytest.mark.parametrize("workers", [1, 2])
def test_what_a_task_raises_is_raised(tmp_path, workers):
    with pytest.raises(ValueError, match=r"^it fails$"):
        totals(adding(7, tmp_path), [Task("fails", 0, 20)], workers=workers)


def test_nothing_is_begun_where_nothing_is_to_be_done(tmp_path, monkeypatch):
    monkeypatch.setattr(working, "Processes", None)
    assert totals(adding(7, tmp_path), [Task("one", 3, 3)], workers=2) == {}


def test_a_described_game_goes_where_its_file_is_not(tmp_path):
    file = tmp_path / "ours.rcy"
    file.write_text(Path(file_of("agram")).read_text())
    job = Job("sum", lambda game: lambda task: game, get_game(str(file)))
    sent = job.make_portable().game
    assert isinstance(sent, DescribedFile)
    there = sent.load_game()
    assert there.path == str(file)
    file.unlink()
    elsewhere = sent.load_game()
    assert (elsewhere.name, elsewhere.digest) == (there.name, there.digest)
    assert named_game("ours.rcy") is elsewhere
    file.write_text(Path(file_of("hearts")).read_text())
    assert sent.load_game().digest == there.digest
    with pytest.raises(ValueError, match=r"ours\.rcy: the description was changed since its game was made$"):
        job.make_portable().begin_here()
    file.unlink()
    assert job.begin_here()(TASKS[0]) is job.game  # this process has the game


RUN_THAT_IS_KILLED = """
import sys
from pathlib import Path
from cardenvs.baselines.engine.work import Task, work
from tests.baselines.engine.jobs import adding, finished
if __name__ == "__main__":
    for _ in work(adding(1, Path(sys.argv[1])), [Task("slow", 0, 10**6)], finished, workers=2, largest=1):
        print("working", flush=True)
"""


def test_workers_end_with_a_run_that_is_killed(tmp_path):
    script = tmp_path / "run.py"
    script.write_text(RUN_THAT_IS_KILLED)
    run = subprocess.Popen(
        [sys.executable, str(script), str(tmp_path)], env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE, start_new_session=True,
    )  # fmt: skip
    assert run.stdout is not None
    assert run.stdout.readline() == b"working\n"
    run.kill()
    run.communicate(timeout=60)  # until nobody has its standard output any more, the workers have it, too


def test_a_process_that_ends_in_the_middle_of_an_answer_is_lost() -> None:
    """Nobody waits for the rest of it, and the next call has another process."""
    with Processes(1) as executor:
        with pytest.raises(WorkerLost):
            executor.submit(die_while_answering, 300_000_000).result(timeout=60)
        assert executor.submit(abs, -3).result(timeout=60) == 3


def pickled_together(what, barrier):
    """Pickles when all threads are there."""
    barrier.wait()
    return pickle.dumps(what)


@pytest.mark.compiled
def test_a_job_may_be_sent_by_several_threads_at_once():
    """Numba names a kernel when it is first pickled, and fails where two threads do that at the same time."""
    for _ in range(100):
        kernels = [numba.njit(lambda x: x) for _ in range(20)]
        sent = Job("sum", len, SimpleNamespace(path=None, kernels=kernels)).make_portable()
        with ThreadPoolExecutor(8) as threads:
            assert len(list(threads.map(pickled_together, [sent] * 8, [Barrier(8)] * 8))) == 8
