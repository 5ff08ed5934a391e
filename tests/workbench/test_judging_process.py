"""The process that judges: it starts when needed, survives its death, lets people take turns, and ends."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
from stub_judge import load_stub

from postil.errors import PostilError
from postil.workbench.jobs.judging import (
    ClassTask,
    JudgingProcess,
    TooBusyError,
    TooManyError,
    TooMuchError,
)


def task(*answers):
    return ClassTask("Why is it lit?", ("The path is closed.",), answers)


@pytest.fixture
def judging():
    process = JudgingProcess(load_stub, most_own=3, most_waiting=4, limit=20)
    yield process
    process.close()


def pid_of(process):
    (found,) = asyncio.run(process.do(task("pid"))).items
    return int(found["because"].split()[1])


def is_gone(pid, within=5.0):
    until = time.monotonic() + within
    while time.monotonic() < until:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.02)
    return False


def test_a_class_is_judged_elsewhere_and_in_order(judging):
    judged = asyncio.run(judging.do(task("12345", "123456"))).items
    assert [one["label"] for one in judged] == ["correct", "partially_correct_incomplete"]
    pid = pid_of(judging)
    assert pid != os.getpid()
    assert pid_of(judging) == pid  # it stays


def test_nothing_starts_before_it_is_needed():
    process = JudgingProcess(load_stub)
    assert process._server is None
    process.close()


def test_it_ends_with_the_server(judging):
    pid = pid_of(judging)
    judging.close()
    assert is_gone(pid)
    with pytest.raises(TooBusyError, match="closing"):
        asyncio.run(judging.do(task("a")))


def test_it_ends_in_the_middle_of_a_task(judging):
    pid = pid_of(judging)

    async def close_soon():
        asking = asyncio.create_task(judging.do(task("sleep 20")))
        await asyncio.sleep(0.3)
        judging.close()
        await asking

    with pytest.raises(TooBusyError):
        asyncio.run(close_soon())
    assert is_gone(pid)


def test_it_ends_when_the_server_is_killed(tmp_path):
    script = (
        "import asyncio, os, signal, sys\n"
        "sys.path.insert(0, sys.argv[1])\n"
        "from stub_judge import load_stub\n"
        "from postil.workbench.jobs.judging import ClassTask\n"
        "from postil.workbench.jobs.judging import JudgingProcess\n"
        "if __name__ == '__main__':\n"
        "    found = asyncio.run(JudgingProcess(load_stub).do(ClassTask('q', ('r',), ('pid',))))\n"
        "    print(found.items[0]['because'], flush=True)\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    file = tmp_path / "server.py"
    file.write_text(script)
    command = [sys.executable, str(file), str(Path(__file__).parent)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert is_gone(int(re.search(r"process (\d+)", done.stdout)[1]))


def test_one_that_dies_is_replaced_and_the_task_tried_again(judging, tmp_path):
    pid = pid_of(judging)
    (judged,) = asyncio.run(judging.do(task(f"die once {tmp_path / 'died'}"))).items
    assert judged["reference"] == "The path is closed."
    assert pid_of(judging) != pid


def test_a_task_that_kills_twice_is_given_up_and_the_next_is_judged(judging):
    with pytest.raises(TooMuchError, match="crashed the judging process twice"):
        asyncio.run(judging.do(task("die")))
    assert asyncio.run(judging.do(task("12345"))).items[0]["label"] == "correct"


def test_who_waits_while_it_dies_is_judged_all_the_same(judging, tmp_path):
    async def both():
        return await asyncio.gather(
            judging.do(task(f"die once {tmp_path / 'died'}")), judging.do(task("12345"))
        )

    assert [len(one.items) for one in asyncio.run(both())] == [1, 1]


def test_too_many_of_one_person_are_refused_and_others_are_judged(judging):
    async def four():
        own = [judging.do(task("sleep 0.2"), "heavy") for _ in range(4)]
        return await asyncio.gather(*own, judging.do(task("a"), "light"), return_exceptions=True)

    *judged, refused, other = asyncio.run(four())
    assert [len(one.items) for one in judged] == [1, 1, 1]
    assert isinstance(refused, TooManyError)
    assert refused.retry_after
    assert len(other.items) == 1
    assert asyncio.run(judging.do(task("a"), "heavy")).items  # there is room again


def test_too_many_of_all_are_refused(judging):
    async def six():
        asked = [judging.do(task("sleep 0.1"), person) for person in range(6)]
        return await asyncio.gather(*asked, return_exceptions=True)

    *judged, refused = asyncio.run(six())
    assert [len(one.items) for one in judged] == [1] * 5  # one is judged, four wait
    assert isinstance(refused, TooBusyError)
    assert not isinstance(refused, TooManyError)
    assert refused.retry_after


def test_people_take_turns(judging):
    """Three requests from one person do not all come before the others'."""
    order = []

    async def ask(name, person):
        await judging.do(task("sleep 0.05"), person)
        order.append(name)

    async def all_of_them():
        heavy = [asyncio.create_task(ask(f"heavy {n}", "heavy")) for n in range(3)]
        await asyncio.sleep(0)  # they come first
        await asyncio.gather(*heavy, ask("light", "light"), ask("other", "other"))

    pid_of(judging)
    asyncio.run(all_of_them())
    assert order == ["heavy 0", "light", "other", "heavy 1", "heavy 2"]


def test_what_takes_too_long_is_stopped_with_its_process_and_not_tried_again(judging, tmp_path):
    pid = pid_of(judging)
    judging._task_limit = 0.2
    with pytest.raises(TooMuchError, match="took longer"):
        asyncio.run(judging.do(task("sleep 30")))
    assert is_gone(pid)
    judging._task_limit = 20
    assert asyncio.run(judging.do(task("12345"))).items[0]["label"] == "correct"


def test_what_never_looks_up_is_stopped_all_the_same(judging):
    """While a library is computing, no other thread of the process gets a turn."""
    pid = pid_of(judging)
    judging._task_limit = 0.2
    with pytest.raises(TooMuchError, match="took longer"):
        asyncio.run(judging.do(task("brood")))
    assert is_gone(pid)


def test_what_takes_too_much_memory_is_told_and_the_next_is_judged():
    process = JudgingProcess(load_stub, memory=400)
    with pytest.raises(TooMuchError, match="more memory"):
        asyncio.run(process.do(task("eat 600")))
    assert asyncio.run(process.do(task("12345"))).items[0]["label"] == "correct"
    process.close()


def test_who_waits_behind_what_takes_too_long_is_judged_by_the_next_process(judging):
    async def both():
        pid = int((await judging.do(task("pid"))).items[0]["because"].split()[1])
        judging._task_limit = 0.5
        first = asyncio.create_task(judging.do(task("sleep 30"), "heavy"))
        await asyncio.sleep(0.2)
        judging._task_limit = 20
        second = await judging.do(task("pid"), "light")
        with pytest.raises(TooMuchError):
            await first
        return pid, int(second.items[0]["because"].split()[1])

    before, after = asyncio.run(both())
    assert before != after


def test_who_has_waited_too_long_for_a_turn_is_told_to_come_again(judging):
    async def both():
        await judging.do(task("pid"))
        judging._limit = 0.2
        return await asyncio.gather(
            judging.do(task("sleep 0.6"), "first"), judging.do(task("a"), "second"), return_exceptions=True
        )

    first, second = asyncio.run(both())
    assert first.retry_after is None  # again would take as long
    assert second.retry_after
    judging._limit = 20
    assert asyncio.run(judging.do(task("12345"))).items[0]["label"] == "correct"


def test_what_a_person_can_mend_is_told(judging):
    with pytest.raises(PostilError) as refused:
        asyncio.run(judging.do(task("refuse")))
    assert (refused.value.what, refused.value.hint) == ("this cannot be judged.", "Write more.")


def test_a_fault_inside_is_told_without_the_pupils_words(judging, capfd):
    with pytest.raises(RuntimeError, match=r"ValueError in stub_judge.py, line \d+") as failed:
        asyncio.run(judging.do(task("crash my secret answer")))
    assert failed.value.__cause__ is None
    assert "secret" not in str(failed.value)
    judging.close()
    assert "secret" not in "".join(capfd.readouterr())
