"""The report folder is replaced whole or not at all."""

import errno
import threading
from pathlib import Path

import pytest

from rig.errors import RigError
from rig.report.folder import MARKER, replace_folder

OLD, NEW = {MARKER: b"old", "cases/1.json": b"1"}, {MARKER: b"new"}


def _files(folder: Path) -> dict[str, bytes]:
    found = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}


def _alone(folder: Path) -> bool:
    """Whether nothing unfinished lies beside it."""
    return [path.name for path in folder.parent.iterdir()] == [folder.name]


def test_a_new_report_is_put_in_place(tmp_path: Path) -> None:
    target = tmp_path / "deep" / "er" / "report"
    replace_folder(target, OLD)
    assert _files(target) == OLD
    assert _alone(target)
    assert target.stat().st_mode & 0o777 == 0o755


def test_the_old_report_goes_whole(tmp_path: Path) -> None:
    target = tmp_path / "report"
    replace_folder(target, OLD)
    replace_folder(target, NEW)
    assert _files(target) == NEW
    assert _alone(target)


def test_an_empty_folder_is_taken(tmp_path: Path) -> None:
    target = tmp_path / "with space" / "report"
    target.mkdir(parents=True)
    replace_folder(target, NEW)
    assert _files(target) == NEW


def test_a_link_to_a_report_stays_a_link(tmp_path: Path) -> None:
    real, link = tmp_path / "real", tmp_path / "link"
    replace_folder(real, OLD)
    link.symlink_to(real)
    replace_folder(link, NEW)
    assert link.is_symlink() and _files(real) == NEW


@pytest.mark.parametrize(
    ("names", "why"),
    [
        (["notes.txt"], "holds notes.txt"),
        (["cases"], "lacks results.json"),
        ([MARKER, "main.c"], "holds main.c"),
    ],
)
def test_what_is_no_report_is_refused(tmp_path: Path, names: list[str], why: str) -> None:
    target = tmp_path / "mine"
    target.mkdir()
    for name in names:
        (target / name).write_bytes(b"precious")
    before = _files(target)
    with pytest.raises(RigError, match=why) as caught:
        replace_folder(target, NEW)
    assert str(caught.value).startswith(f"{target}: not a report")
    assert str(caught.value).endswith("name another with --report DIR")
    assert _files(target) == before and _alone(target)


def test_a_file_in_its_place_is_refused(tmp_path: Path) -> None:
    target = tmp_path / "report"
    target.write_bytes(b"precious")
    with pytest.raises(RigError, match="cannot write the report: Not a directory"):
        replace_folder(target, NEW)
    assert target.read_bytes() == b"precious"


def test_a_place_that_cannot_be_written_is_named() -> None:
    with pytest.raises(RigError, match=r"^/proc/nowhere/report: cannot write the report: "):
        replace_folder(Path("/proc/nowhere/report"), NEW)


def test_the_old_report_stays_until_the_new_one_is_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "report"
    replace_folder(target, OLD)

    def full(_path: Path, _data: bytes) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(RigError, match="No space left on device"):
        replace_folder(target, NEW)
    monkeypatch.undo()
    assert _files(target) == OLD and _alone(target)


def test_an_interrupt_leaves_the_old_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "report"
    replace_folder(target, OLD)

    def interrupted(_path: Path, _data: bytes) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "write_bytes", interrupted)
    with pytest.raises(KeyboardInterrupt):
        replace_folder(target, NEW)
    monkeypatch.undo()
    assert _files(target) == OLD and _alone(target)


def test_two_at_once_leave_one_whole_report(tmp_path: Path) -> None:
    target = tmp_path / "report"
    errors: list[BaseException] = []

    def write(number: int) -> None:
        try:
            for _ in range(20):
                files = {f"cases/{n}.json": b"%d" % number for n in range(5)}
                replace_folder(target, {MARKER: b"%d" % number, **files})
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    found = _files(target)
    assert len(found) == 6 and len(set(found.values())) == 1
    assert _alone(target)
