"""The lock of a key, beside other processes that want it, die with it or may not have it."""

from __future__ import annotations

import errno
import os
import random
import stat
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from types import ModuleType

import pytest

from gitcache.host import key_lock, owner
from gitcache.host.key_lock import (
    LONGEST_PAUSE,
    Held,
    HeldByOther,
    Unavailable,
    is_locked,
    known_keys,
    owner_of,
    sweep,
    try_take,
    wait,
)
from tests.support.clocks import clocks_read
from tests.support.locker import children, key_of, locker, one_locker, this_owner
from tests.support.no_flock import can_refuse, without_flock
from tests.support.unprivileged import unprivileged

KEY = key_of("a")
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can be two users")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return the program's folder in a common dir; it is not made yet."""
    common = tmp_path / "common"
    common.mkdir()
    return common / "toolcache"


def files(folder: Path) -> list[str]:
    return sorted(os.listdir(folder / "locks"))


def take(folder: Path) -> Held:
    answer = try_take(folder, KEY, this_owner())
    assert isinstance(answer, Held), answer
    return answer


def test_lock_that_nobody_has_is_held_and_tells_its_owner(folder: Path) -> None:
    with take(folder):
        assert owner_of(folder, KEY) == this_owner()
        assert files(folder) == [KEY, f"{KEY}.owner"]

    assert owner_of(folder, KEY) is None
    assert files(folder) == []


def test_lock_of_another_process_is_told_with_its_owner(folder: Path) -> None:
    with one_locker(folder) as other:
        assert other.ask("take a") == "held"

        answer = try_take(folder, KEY, this_owner())

        assert isinstance(answer, HeldByOther)
        assert answer.owner is not None
        assert answer.owner.pid == other.pid
        assert answer.owner.is_running()


def test_lock_is_free_once_its_holder_released_it(folder: Path) -> None:
    with one_locker(folder) as other:
        other.ask("take a")
        other.ask("release")

        with take(folder):
            assert other.ask("take a") == f"other {os.getpid()}"


def test_lock_is_free_at_once_when_its_holder_is_killed(folder: Path) -> None:
    with one_locker(folder) as other:
        other.ask("take a")
        other.kill()

        assert owner_of(folder, KEY) is None  # though its record lies there
        with take(folder) as lock:
            assert owner_of(folder, KEY) == this_owner()
            assert lock.left_by is not None
            assert lock.left_by.pid == other.pid
    assert files(folder) == []
    with take(folder) as lock:
        assert lock.left_by is None


def test_releasing_twice_takes_nothing_from_the_next_holder(folder: Path) -> None:
    first = take(folder)
    first.release()
    with take(folder):
        first.release()

        assert files(folder) == [KEY, f"{KEY}.owner"]
        assert isinstance(try_take(folder, KEY, this_owner()), HeldByOther)


def test_one_process_does_not_hold_a_key_twice(folder: Path) -> None:
    with take(folder):
        assert try_take(folder, KEY, this_owner("run-2")) == HeldByOther(this_owner())


def test_keys_do_not_stand_in_each_others_way(folder: Path) -> None:
    with one_locker(folder) as other:
        other.ask("take b")

        take(folder).release()

        assert files(folder) == [key_of("b"), f"{key_of('b')}.owner"]


def test_two_holders_never_hold_one_key(folder: Path, tmp_path: Path) -> None:
    marker = tmp_path / "marker"
    with children(locker(folder), 20) as fighters:
        for each in fighters:
            assert each.ask("take own" + str(each.pid)) == "held"
        for each in fighters:
            each.tell(f"turns a 10 {marker}")

        assert {each.hear() for each in fighters} == {"had its turns"}
        for each in fighters:
            each.ask("release")
    assert files(folder) == []


def test_two_holders_never_hold_one_key_while_holders_are_killed_and_files_swept(
    folder: Path, tmp_path: Path
) -> None:
    marker, moments = tmp_path / "marker", random.Random("killed")
    with ExitStack() as stack:
        victims = stack.enter_context(children(locker(folder), 12))
        fighters = stack.enter_context(children(locker(folder), 6))
        for each in [*victims, *fighters]:
            each.ask("release")
        for each in victims:
            each.tell(f"turns a 1000000 {marker}")
        for each in fighters:
            each.tell(f"turns a 30 {marker}")
        for each in victims:
            for _ in range(moments.randrange(40)):
                sweep(folder, known_keys(folder))
            each.kill()

        assert {each.hear() for each in fighters} == {"had its turns"}
    sweep(folder, known_keys(folder))
    assert files(folder) == []


def test_file_that_is_replaced_while_it_is_locked_is_not_what_a_taker_holds(folder: Path) -> None:
    """Who locks an inode that the path has left must look again."""
    with one_locker(folder) as other:
        other.ask("take a")
        (folder / "locks" / KEY).unlink()  # as by rm -rf
        with take(folder) as held:
            assert held.lock.is_in_place()
            assert other.ask("release") == "released"

            assert files(folder) == [KEY, f"{KEY}.owner"]
            assert owner_of(folder, KEY) == this_owner()


def test_folder_that_is_removed_while_a_key_is_held_does_no_harm(folder: Path) -> None:
    with take(folder):
        for path in (*(folder / "locks").iterdir(), folder / "locks", folder):
            path.rmdir() if path.is_dir() else path.unlink()
    with take(folder):
        assert owner_of(folder, KEY) == this_owner()


def test_waiting_ends_with_the_holder(folder: Path) -> None:
    with one_locker(folder) as waiter:
        with take(folder):
            assert waiter.ask("wait a 60") == "waiting"
        assert waiter.hear() == "held"


def test_waiting_ends_with_a_killed_holder(folder: Path) -> None:
    with one_locker(folder) as holder, one_locker(folder) as waiter:
        holder.ask("take a")
        waiter.ask("wait a 60")
        holder.kill()

        assert waiter.hear() == "held"
        assert try_take(folder, KEY, this_owner()) == HeldByOther(owner_of(folder, KEY))


def test_waiting_ends_with_its_time(folder: Path) -> None:
    with one_locker(folder) as waiter, take(folder):
        assert waiter.ask("wait a 0.05") == "waiting"
        assert waiter.hear() == f"other {os.getpid()}"


def test_waiting_grows_slower_and_can_be_given_up(folder: Path) -> None:
    pauses: list[float] = []

    def pause(seconds: float) -> bool:
        pauses.append(seconds)
        return len(pauses) == 12

    with take(folder):
        answer = wait(folder, KEY, this_owner("run-2"), 1000, pause)

    assert answer == HeldByOther(this_owner())
    assert pauses == sorted(pauses)
    assert (pauses[0], pauses[-1]) == (0.01, LONGEST_PAUSE)


def test_a_thousand_keys_leave_nothing(folder: Path) -> None:
    for number in range(1000):
        answer = try_take(folder, key_of(str(number)), this_owner())
        assert isinstance(answer, Held)
        answer.release()

    assert files(folder) == []


def test_sweeping_removes_what_killed_holders_left_and_nothing_else(folder: Path) -> None:
    with one_locker(folder) as holder, one_locker(folder) as victim:
        holder.ask("take held")
        for number in range(30):
            victim.ask(f"take {number}")
        victim.kill()
        (folder / "locks" / "notes.txt").touch()
        (folder / "locks" / f"{key_of('x')}.owner.new").touch()

        assert sweep(folder, known_keys(folder)) == 31

        assert files(folder) == sorted([key_of("held"), f"{key_of('held')}.owner", "notes.txt"])
        assert sweep(folder, known_keys(folder)) == 0


def test_sweeping_where_nothing_was_ever_locked_finds_nothing(folder: Path) -> None:
    assert sweep(folder, known_keys(folder)) == 0


def test_folder_with_a_long_and_strange_path_is_a_folder(tmp_path: Path) -> None:
    deep = tmp_path / "with spaces\nand lines" / ("d" * 120) / ("é" * 60)
    deep.mkdir(parents=True)
    assert len(os.fsencode(deep)) > 200

    with one_locker(deep / "toolcache") as other:
        assert other.ask("take a") == "held"
        answer = try_take(deep / "toolcache", KEY, this_owner())
        assert isinstance(answer, HeldByOther)
        assert answer.owner is not None


@pytest.mark.parametrize("number", [errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOLCK])
@pytest.mark.skipif(not can_refuse(), reason="no way to take flock away here")
def test_file_system_without_locks_gives_none_and_no_soft_one(folder: Path, number: int) -> None:
    with children(without_flock(number, locker(folder)), 1) as (other,):
        assert other.ask("take a") == f"unavailable {os.strerror(number)}"
        assert other.ask("take a") == f"unavailable {os.strerror(number)}"


def test_folder_in_which_nobody_may_write_gives_no_lock() -> None:
    with unprivileged() as home:
        home.chmod(0o555)

        assert try_take(home / "toolcache", KEY, this_owner()) == Unavailable("Permission denied")

        home.chmod(0o755)


def test_locks_in_which_nobody_may_write_give_no_lock() -> None:
    with unprivileged() as home:
        take(home / "toolcache").release()
        (home / "toolcache" / "locks").chmod(0o555)

        answer = try_take(home / "toolcache", KEY, this_owner())

        assert answer == Unavailable("Permission denied")
        (home / "toolcache" / "locks").chmod(0o755)


def test_common_dir_that_is_gone_gives_no_lock(tmp_path: Path) -> None:
    answer = try_take(tmp_path / "gone" / "toolcache", KEY, this_owner())

    assert answer == Unavailable("No such file or directory")


def test_planted_link_is_neither_followed_nor_removed(folder: Path, tmp_path: Path) -> None:
    take(folder).release()
    target = tmp_path / "target"
    target.write_text("precious")
    (folder / "locks" / KEY).symlink_to(target)

    assert try_take(folder, KEY, this_owner()) == Unavailable(os.strerror(errno.ELOOP))
    assert target.read_text() == "precious"


def test_planted_record_link_is_replaced_and_not_written_through(
    folder: Path, tmp_path: Path
) -> None:
    take(folder).release()
    target = tmp_path / "target"
    target.write_text("precious")
    for name in (f"{KEY}.owner", f"{KEY}.owner.new"):
        (folder / "locks" / name).symlink_to(target)

    with take(folder):
        assert owner_of(folder, KEY) == this_owner()
    assert target.read_text() == "precious"


@needs_root
def test_other_user_of_the_groups_repository_locks_too(tmp_path: Path) -> None:
    """The other user of these tests keeps the group 0."""
    with unprivileged() as home:
        os.seteuid(0)
        os.chown(home, 0, 0)
        home.chmod(0o2775)
        previous = os.umask(0o077)
        folder = home / "toolcache"
        take(folder).release()
        held = take(folder)
        os.umask(previous)
        os.seteuid(65534)

        assert try_take(folder, KEY, this_owner()) == HeldByOther(this_owner())
        os.seteuid(0)
        held.release()
        os.seteuid(65534)
        with take(folder):
            assert stat.S_IMODE((folder / "locks").stat().st_mode) == 0o2775
        assert files(folder) == []


@needs_root
def test_user_who_may_only_read_gets_no_lock_and_reads_the_owner(tmp_path: Path) -> None:
    with unprivileged() as home:
        os.seteuid(0)
        os.chown(home, 0, 0)
        home.chmod(0o755)
        folder = home / "toolcache"
        with take(folder):
            os.seteuid(65534)

            assert owner_of(folder, KEY) == this_owner()
            assert try_take(folder, KEY, this_owner()) == Unavailable("Permission denied")
            with pytest.raises(PermissionError):  # nor can that user hold the lock for ever
                os.open(folder / "locks" / KEY, os.O_RDONLY)
            os.seteuid(0)
        os.seteuid(65534)


def test_nothing_that_a_clock_says_frees_or_holds_a_lock(folder: Path) -> None:
    with one_locker(folder) as other:
        other.ask("take a")
        for path in (folder / "locks").iterdir():
            os.utime(path, (4_000_000_000, 4_000_000_000))
        assert isinstance(try_take(folder, KEY, this_owner()), HeldByOther)
        for path in (folder / "locks").iterdir():
            os.utime(path, (0, 0))
        assert isinstance(try_take(folder, KEY, this_owner(since=0.0)), HeldByOther)
        other.kill()
        take(folder).release()


@pytest.mark.parametrize("module", [key_lock, owner])
def test_no_clock_that_may_be_set_is_read(module: ModuleType) -> None:
    assert clocks_read(module) == set()


def test_modules_of_locks_load_the_library_only_to_lock() -> None:
    """A hit may say who runs what."""
    program = "import gitcache.host.key_lock, sys; print('filelock' in sys.modules)"

    assert subprocess.check_output([sys.executable, "-c", program]) == b"False\n"


def test_linked_folder_is_used_and_what_it_leads_to_keeps_its_mode(folder: Path) -> None:
    elsewhere = folder.parent.parent / "elsewhere"
    elsewhere.mkdir(mode=0o700)
    folder.parent.chmod(0o2775)
    folder.symlink_to(elsewhere)

    take(folder).release()

    assert stat.S_IMODE(elsewhere.stat().st_mode) == 0o700


def test_looking_at_a_lock_changes_nothing(folder: Path) -> None:
    with one_locker(folder) as other:
        other.ask("take a")
        assert is_locked(folder / "locks" / KEY)
        other.kill()
        assert not is_locked(folder / "locks" / KEY)
        assert not is_locked(folder / "locks" / "none")
        assert files(folder) == [KEY, f"{KEY}.owner"]
