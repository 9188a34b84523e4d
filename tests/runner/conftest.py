"""A runner, built once, with an image of small functions (functions.c, functions.S, jumps.S)."""

import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from iced_x86 import Decoder, FlowControl

from rig.architectures import ARCHITECTURES
from rig.runner.client import EXECUTE, READ, WRITE, RunFlag, Runner, Trap, TrapKind
from rig.runner.encode import encode
from rig.runner.events import Event, RunResult
from rig.runner.placement import PAGE
from rig.runner.scripts import Address, Argument, Buffer, Call, Prologue, Script, Word

HERE = Path(__file__).parent
NATIVE = HERE.parents[1] / "native" / "runner"
TARGET = "--target=x86_64-linux-gnu"
FLAGS = ("-std=gnu11", "-O2", "-ffreestanding", "-fno-sanitize=all", "-fno-stack-protector")
KINDS = {
    FlowControl.CONDITIONAL_BRANCH: TrapKind.CONDITIONAL,
    FlowControl.INDIRECT_BRANCH: TrapKind.INDIRECT,
}
RUNNER = [Path(source).name for source in ARCHITECTURES["x86_64"].runner_sources]


@dataclass(frozen=True)
class Image:
    """Where the test functions are, and the bytes of each segment by address."""

    symbols: dict[str, int]
    segments: tuple[tuple[int, bytes, int, bool], ...]

    @property
    def text(self) -> tuple[int, bytes]:
        """Address and bytes of the code."""
        return next((address, data) for address, data, _, code in self.segments if code)

    def traps(self) -> list[Trap]:
        """A trap for every instruction; jumps prove nothing of each other."""
        address, data = self.text
        found = Decoder(64, data, ip=address)
        return [Trap(i.ip - address, KINDS.get(i.flow_control, TrapKind.PLAIN)) for i in found]

    def offset(self, name: str) -> int:
        """Where a symbol is in the text."""
        return self.symbols[name] - self.text[0]

    def call(
        self, name: str, *arguments: Argument | int, returns: int | None = None, bits: int = 64
    ) -> Call:
        """A call of a test function; an int is a 64-bit word."""
        words = tuple(Word(a) if isinstance(a, int) else a for a in arguments)
        expected = None if returns is None else Word(returns, bits)
        return Call(Address(self.symbols[name]), words, expected)


def zig(*arguments: str | Path, folder: Path) -> None:
    spec = find_spec("ziglang")
    assert spec and spec.submodule_search_locations
    home = Path(next(iter(spec.submodule_search_locations)))
    command, *rest = arguments
    headers = ("-nostdlibinc", "-isystem", home / "lib" / "include") if command == "clang" else ()
    subprocess.run([home / "zig", command, *headers, *rest], cwd=folder, check=True)


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The runner program."""
    folder = tmp_path_factory.mktemp("runner")
    zig("clang", TARGET, *FLAGS, "-c", *(NATIVE / source for source in RUNNER), folder=folder)
    zig("ld.lld", "-static", "-o", "runner", *sorted(folder.glob("*.o")), folder=folder)
    return folder / "runner"


@pytest.fixture(scope="session")
def image(tmp_path_factory: pytest.TempPathFactory) -> Image:
    """The test functions, linked for a fixed address."""
    folder = tmp_path_factory.mktemp("image")
    zig("clang", TARGET, *FLAGS, "-c", HERE / "functions.c", "-o", "c.o", folder=folder)
    zig("clang", TARGET, "-c", HERE / "functions.S", "-o", "s.o", folder=folder)
    zig("clang", TARGET, "-c", HERE / "jumps.S", "-o", "j.o", folder=folder)
    support = (NATIVE / "support.c", "-fno-builtin", "-o", "m.o")
    zig("clang", TARGET, *FLAGS, "-c", *support, folder=folder)
    link = (
        "-static",
        "--image-base=0x100000000",
        "-e",
        "0",
        "-o",
        "image",
        "c.o",
        "s.o",
        "j.o",
        "m.o",
    )
    zig("ld.lld", *link, folder=folder)
    return read_image(folder / "image")


def read_image(path: Path) -> Image:
    with path.open("rb") as file:
        elf = ELFFile(file)
        table = elf.get_section_by_name(".symtab")
        symbols = {s.name: s["st_value"] for s in table.iter_symbols() if s.name}
        segments = tuple(
            (s["p_vaddr"], s.data(), s["p_memsz"], bool(s["p_flags"] & 1))
            for s in elf.iter_segments("PT_LOAD")
        )
    return Image(symbols, segments)


def load_image(runner: Runner, image: Image) -> None:
    """Maps and writes an image, and says where its instructions are."""
    for address, data, size, code in image.segments:
        start = address - address % PAGE
        end = -(-(address + size) // PAGE) * PAGE
        runner.map(start, end - start, READ | WRITE | (EXECUTE if code else 0))
        runner.write(address, data)
    base, text = image.text
    runner.traps(base, len(text), image.traps())


@pytest.fixture
def load() -> Callable[[Runner, Image], None]:
    """Brings an image into a runner that a test started."""
    return load_image


@pytest.fixture(scope="session")
def runner(program: Path, image: Image) -> Iterator[Runner]:
    """A runner with the image; tests leave it as they found it."""
    with Runner([str(program)]) as started:
        load_image(started, image)
        yield started


Run = Callable[..., RunResult]


@pytest.fixture
def run(runner: Runner) -> Run:
    """Runs scripts as a batch of their own."""

    def run_scripts(
        *scripts: Script,
        prologue: Prologue | None = None,
        flags: RunFlag = RunFlag.NONE,
        seed: int = 0,
        cpu_budget_us: int = 5_000_000,
    ) -> RunResult:
        batch = runner.batch(encode(scripts))
        try:
            return runner.run(
                batch,
                prologue or Prologue(),
                flags=flags,
                seed=seed,
                cpu_budget_us=cpu_budget_us,
            )
        finally:
            runner.drop(batch)

    return run_scripts


@pytest.fixture
def only(run: Run) -> Callable[..., Event]:
    """Runs one script that must give exactly one event."""

    def run_one(script: Script, **options: object) -> Event:
        result = run(script, **options)
        assert result.failed_scripts == result.ran == 1
        (event,) = result.events
        return event

    return run_one


@pytest.fixture
def output(run: Run) -> Callable[..., bytes]:
    """Runs one script and gives what a buffer, the script's first, holds at its end."""

    def run_one(script: Script, **options: object) -> bytes:
        first = script.buffers[0]
        # A value that garbage and results differ from somewhere makes the runner tell all.
        for fill in (0x00, 0xFF):
            probe = Buffer(first.name, first.size, first.content, bytes([fill]) * first.size)
            probed = Script((probe, *script.buffers[1:]), script.steps, script.length)
            for event in run(probed, **options).events:
                return event.data
        raise AssertionError("no output")

    return run_one
