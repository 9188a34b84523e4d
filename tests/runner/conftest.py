"""A runner per architecture, built once, with an image of small functions: functions.c for all,
functions_ARCH.S and jumps_ARCH.S for one.

A test is for x86_64 unless its module names others by parametrizing `arch`.
"""

import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile

from rig.architectures import ARCHITECTURES
from rig.runner.client import EXECUTE, READ, WRITE, RunFlag, Runner, Trap, TrapKind
from rig.runner.command import AbsentError, find_command
from rig.runner.encode import encode
from rig.runner.events import Event, RunResult
from rig.runner.placement import PAGE
from rig.runner.scripts import Address, Argument, Buffer, Call, Prologue, Script, Word

HERE = Path(__file__).parent
NATIVE = HERE.parents[1] / "native" / "runner"
FLAGS = ("-std=gnu11", "-O2", "-ffreestanding", "-fno-sanitize=all", "-fno-stack-protector")


@dataclass(frozen=True)
class Image:
    """Where the test functions are, and the bytes of each segment by address; on ARM where code
    and where data begins."""

    arch: str
    symbols: dict[str, int]
    segments: tuple[tuple[int, bytes, int, bool], ...]
    starts: tuple[int, ...]
    pools: tuple[int, ...]

    @property
    def text(self) -> tuple[int, bytes]:
        """Address and bytes of the code."""
        return next((address, data) for address, data, _, code in self.segments if code)

    def traps(self) -> list[Trap]:
        """A trap for every instruction; jumps prove nothing of each other."""
        x86 = self.arch in ("x86_64", "i386")
        return x86_traps(*self.text, self.word(0).bits) if x86 else self.arm_traps()

    def arm_traps(self) -> list[Trap]:
        """Between the mapping symbols of code; labels tell what a jump is."""
        base, text = self.text
        marks = [(at, "code") for at in self.starts] + [(at, "data") for at in self.pools]
        marks = [*sorted(marks), (base + len(text), "data")]
        kinds = {
            at: TrapKind.INDIRECT if name.startswith("indirect_") else TrapKind.CONDITIONAL
            for name, at in self.symbols.items()
            if name.startswith(("indirect_", "jump_"))
        }
        return [
            Trap(at - base, kinds.get(at, TrapKind.PLAIN), size=4)
            for (start, kind), (end, _) in pairwise(marks)
            for at in range(start, end, 4)
            if kind == "code"
        ]

    def offset(self, name: str) -> int:
        """Where a symbol is in the text."""
        return self.symbols[name] - self.text[0]

    def word(self, value: int) -> Word:
        """A whole register."""
        return Word(value, ARCHITECTURES[self.arch].pointer_bits)

    def call(
        self, name: str, *arguments: Argument | int, returns: int | None = None, bits: int = 0
    ) -> Call:
        """A call of a test function; an int is a whole register, as is a result without bits."""
        words = tuple(self.word(a) if isinstance(a, int) else a for a in arguments)
        expected = None
        if returns is not None:
            expected = Word(returns, bits) if bits else self.word(returns)
        return Call(Address(self.symbols[name]), words, expected)


def zig(*arguments: str | Path, folder: Path) -> None:
    spec = find_spec("ziglang")
    assert spec and spec.submodule_search_locations
    home = Path(next(iter(spec.submodule_search_locations)))
    command, *rest = arguments
    headers = ("-nostdlibinc", "-isystem", home / "lib" / "include") if command == "clang" else ()
    subprocess.run([home / "zig", command, *headers, *rest], cwd=folder, check=True)


def x86_traps(base: int, text: bytes, bits: int) -> list[Trap]:
    from iced_x86 import Decoder, FlowControl

    kinds = {
        FlowControl.CONDITIONAL_BRANCH: TrapKind.CONDITIONAL,
        FlowControl.INDIRECT_BRANCH: TrapKind.INDIRECT,
    }
    found = Decoder(bits, text, ip=base)
    return [Trap(i.ip - base, kinds.get(i.flow_control, TrapKind.PLAIN)) for i in found]


@pytest.fixture(scope="session")
def arch(request: pytest.FixtureRequest) -> str:
    """The architecture of a test."""
    name: str = getattr(request, "param", "x86_64")
    return name


@pytest.fixture(scope="session")
def prefix(arch: str, program: Path) -> list[str]:
    """What runs programs of the architecture here."""
    try:
        return list(find_command(ARCHITECTURES[arch], program)[:-1])
    except AbsentError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def program(arch: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The runner program."""
    folder = tmp_path_factory.mktemp(f"runner-{arch}")
    sources = [NATIVE / Path(source).name for source in ARCHITECTURES[arch].runner_sources]
    zig("clang", *target(arch), *FLAGS, "-fno-builtin", "-c", *sources, folder=folder)
    zig("ld.lld", "-static", "-o", "runner", *sorted(folder.glob("*.o")), folder=folder)
    return folder / "runner"


def target(arch: str) -> tuple[str, ...]:
    return (f"--target={ARCHITECTURES[arch].target}", *ARCHITECTURES[arch].flags)


@pytest.fixture(scope="session")
def image(arch: str, tmp_path_factory: pytest.TempPathFactory) -> Image:
    """The test functions, linked for a fixed address."""
    folder = tmp_path_factory.mktemp(f"image-{arch}")
    own = (f"functions_{arch}.S", f"jumps_{arch}.S")
    zig("clang", *target(arch), *FLAGS, "-c", HERE / "functions.c", folder=folder)
    zig("clang", *target(arch), "-c", *(HERE / name for name in own), folder=folder)
    zig("clang", *target(arch), *FLAGS, "-fno-builtin", "-c", NATIVE / "support.c", folder=folder)
    base = f"--image-base={ARCHITECTURES[arch].image_base:#x}"
    objects = sorted(folder.glob("*.o"))
    zig("ld.lld", "-static", base, "-e", "0", "-o", "image", *objects, folder=folder)
    return read_image(arch, folder / "image")


def read_image(arch: str, path: Path) -> Image:
    with path.open("rb") as file:
        elf = ELFFile(file)
        entries = list(elf.get_section_by_name(".symtab").iter_symbols())
        symbols = {s.name: s["st_value"] for s in entries if s.name}
        segments = tuple(
            (s["p_vaddr"], s.data(), s["p_memsz"], bool(s["p_flags"] & 1))
            for s in elf.iter_segments("PT_LOAD")
        )
    base, text = next((address, data) for address, data, _, code in segments if code)
    inside = [s for s in entries if base <= s["st_value"] < base + len(text)]
    starts, pools = (
        tuple(s["st_value"] for s in inside if s.name.startswith(marks))
        for marks in (("$a", "$x"), "$d")
    )
    return Image(arch, symbols, segments, starts, pools)


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
def runner(program: Path, prefix: list[str], image: Image) -> Iterator[Runner]:
    """A runner with the image; tests leave it as they found it."""
    with Runner([*prefix, str(program)]) as started:
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
