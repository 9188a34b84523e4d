"""Station 3: builds a project for one architecture.

Enters: a manifest, an architecture, a toolchain. Leaves: an `Image`, and the runner program.
Never here: the choice of masks or paths.
"""

import functools
import subprocess
from collections import defaultdict
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from filelock import FileLock

from rig.architectures import ARCHITECTURES, Architecture, feature_options
from rig.build.generated import Generator, generate
from rig.build.image import Image, Wanted, link
from rig.build.objects import Object, Unit, compile_all, relative
from rig.build.shared import SUFFIX as SHARED
from rig.build.shared import assembly_of
from rig.build.toolchain import Toolchain
from rig.cache import digest, write_atomically
from rig.capabilities.bits import architecture as capability_words
from rig.data import data_folder
from rig.errors import BuildError
from rig.manifest import Manifest
from rig.toml_table import nearest

DEFAULT_VECTOR = {
    **dict.fromkeys(("x86_64", "i386"), "OPENSSL_ia32cap_P"),
    **dict.fromkeys(("aarch64", "arm"), "OPENSSL_armcap_P"),
}
SUPPORT = "runner/support.c"

FLAGS = (
    "-std=gnu11",
    "-O2",
    "-g",
    "-fPIC",
    "-ffreestanding",
    "-fno-sanitize=all",
    "-fno-stack-protector",
    "-fno-jump-tables",
)


def build_image(
    manifest: Manifest, arch_name: str, toolchain: Toolchain, cache: Path, jobs: int
) -> Image:
    """Compiles and links the project once; BuildError names file, variant and tool's words."""
    arch = ARCHITECTURES[arch_name]
    wanted = Wanted(vector_symbol(manifest, arch.name), _entries(manifest, arch.name))
    with FileLock(cache / f"build-{digest(str(manifest.path.resolve()))[:12]}.lock"):
        try:
            units = _project_units(manifest, arch, toolchain, cache, jobs)
            units += _own_units(manifest, arch, toolchain, cache)
            objects = compile_all(units, toolchain, cache, jobs)
            image = link(objects, wanted, arch, toolchain, cache, manifest.root.resolve())
        except BuildError as error:
            raise BuildError(f"{manifest.path}: {error}") from error
    _check_symbols(manifest, image)
    return image


def vector_symbol(manifest: Manifest, arch: str) -> str:
    """The name of the project's capability vector."""
    return manifest.vector.get(arch, DEFAULT_VECTOR[arch])


def _entries(manifest: Manifest, arch: str) -> tuple[str, ...]:
    """Every symbol that the manifest names, so that archives give the members that hold them."""
    found = [s for v in manifest.variants(arch) for s in v.symbols.values()]
    for primitive in manifest.primitives.values():
        found += primitive.symbols.values() if primitive.composed else ()
        if manifest.dispatch:
            found.append(manifest.dispatch.symbol.replace("{primitive}", primitive.name))
    return tuple(dict.fromkeys(found))


@dataclass(slots=True)
class Asked:
    """What the variants that name a source ask of its one compile."""

    labels: list[str] = field(default_factory=list)
    needs: set[str] = field(default_factory=set)
    flags: tuple[str, ...] = ()


def _project_units(
    manifest: Manifest, arch: Architecture, toolchain: Toolchain, cache: Path, jobs: int
) -> list[Unit]:
    asked: defaultdict[Path, Asked] = defaultdict(Asked)
    for variant in manifest.variants(arch.name):
        for source in variant.sources:
            asked[source].labels.append(f"{variant.primitive}/{variant.name}")
            asked[source].needs.update(variant.needs.required)
            asked[source].flags = variant.flags
    for source, label in _shared_sources(manifest, arch.name):
        asked[source].labels.append(label)
    make = functools.partial(unit_of, manifest, arch, toolchain, cache)
    with ThreadPoolExecutor(max_workers=jobs) as pool:
        return list(pool.map(make, asked, asked.values()))


def _shared_sources(manifest: Manifest, arch: str) -> Iterable[tuple[Path, str]]:
    for primitive in manifest.primitives.values():
        for source in primitive.sources:
            yield source, primitive.name
    for source in manifest.dispatch.sources if manifest.dispatch else ():
        yield source, "dispatch"
    for source in manifest.link.get(arch, ()):
        yield source, "`link`"


def unit_of(
    manifest: Manifest,
    arch: Architecture,
    toolchain: Toolchain,
    cache: Path,
    source: Path,
    asked: Asked,
) -> Unit:
    """The compile of a source; a generated one sees its script's folder as its own."""
    root, script = manifest.root.resolve(), source.resolve()
    generator = manifest.generators.get(source.suffix)
    own = (script.parent,) if generator else ()
    bundled = data_folder("native") / "include"
    folders = (*own, *(f.resolve() for f in (*manifest.include, bundled)))
    command = (
        *toolchain.targeting(arch),
        *feature_options(arch, tuple(sorted(asked.needs))),
        *FLAGS,
        *(f"-D{text}" for text in manifest.defines),
        *asked.flags,
        *(f"-I{relative(folder, root)}" for folder in folders),
    )
    label = ", ".join(asked.labels)
    if script.suffix == SHARED:
        made = assembly_of(script, relative(script, root), arch, cache)
        bare = (*toolchain.targeting(arch), *(flag for flag in FLAGS if flag != "-g"))
        return Unit(made, root, bare, label, script)
    if not generator:
        return Unit(script, root, command, label)
    flavour = manifest.flavour.get(arch.name, "")
    how = Generator(generator, flavour, toolchain.targeting(arch), toolchain.identity)
    made = generate(script, relative(script, root), how, cache)
    return Unit(made, root, command, label, script)


def _own_units(
    manifest: Manifest, arch: Architecture, toolchain: Toolchain, cache: Path
) -> list[Unit]:
    """The vector (weak, so that a project's own definition wins), and the support."""
    words = capability_words(arch.name).words
    text = (
        "#include <stdint.h>\n"
        f"__attribute__((weak)) uint32_t {vector_symbol(manifest, arch.name)}[{words}];\n"
    )
    generated = cache / "generated" / f"{digest(text)}.c"
    write_atomically(generated, text.encode())
    base = (*toolchain.targeting(arch), *FLAGS)
    return [
        Unit(generated, generated.parent, base, "the capability vector"),
        support_unit(arch, toolchain),
    ]


def support_unit(arch: Architecture, toolchain: Toolchain) -> Unit:
    """The functions that compilers call by themselves."""
    native = data_folder("native").resolve()
    command = (*toolchain.targeting(arch), *FLAGS, "-fno-builtin")
    return Unit(native / SUPPORT, native, command, "support")


def build_runner(arch_name: str, toolchain: Toolchain, cache: Path) -> Path:
    """The freestanding runner program for an architecture."""
    arch, native = ARCHITECTURES[arch_name], data_folder("native").resolve()
    flags = (*toolchain.targeting(arch), *FLAGS, "-fno-pic", "-fno-builtin")
    units = [Unit(native / s, native, flags, "the runner") for s in arch.runner_sources]
    with FileLock(cache / f"build-runner-{arch_name}.lock"):
        objects = compile_all(units, toolchain, cache, jobs=2)
        return _link_runner(objects, toolchain, cache)


def build_timing(arch_name: str, toolchain: Toolchain, cache: Path) -> Path:
    """The runner's loop by the clock as a shared object, for processes that hold a library."""
    arch, native = ARCHITECTURES[arch_name], data_folder("native").resolve()
    flags = (*toolchain.targeting(arch), *FLAGS)
    unit = Unit(native / "runner" / "timing.c", native, flags, "the timing")
    (found,) = compile_all([unit], toolchain, cache, jobs=1)
    return _link((found,), ("-shared",), "timings", toolchain, cache)


def _link_runner(objects: Sequence[Object], toolchain: Toolchain, cache: Path) -> Path:
    return _link(objects, ("-static",), "runners", toolchain, cache)


def _link(
    objects: Sequence[Object], how: Sequence[str], folder: str, toolchain: Toolchain, cache: Path
) -> Path:
    path = cache / folder / digest(toolchain.identity, *(o.key for o in objects))
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_suffix(".new")
        command = [*toolchain.linker, *how, *(str(o.path) for o in objects)]
        done = subprocess.run(
            [*command, "-o", str(temporary)], capture_output=True, text=True, check=False
        )
        if done.returncode != 0:
            raise BuildError(f"cannot link {path.parent.name}:\n{done.stderr.rstrip()}")
        temporary.replace(path)
    return path


def _check_symbols(manifest: Manifest, image: Image) -> None:
    for variant in manifest.variants(image.arch):
        whose = f"{variant.place}: {variant.primitive}/{variant.name}"
        for symbol in (*variant.symbols.values(), *((variant.ran,) if variant.ran else ())):
            _check_symbol(symbol, whose, variant.sources, image)
        if sum(function.name == variant.ran for function in image.functions) > 1:
            raise BuildError(f"{whose}: `ran`: several files have a function `{variant.ran}`")
    for primitive in manifest.primitives.values():
        for symbol in primitive.symbols.values() if primitive.composed else ():
            whose = f"{primitive.place}: {primitive.name}"
            _check_symbol(symbol, whose, primitive.sources, image)


def _check_symbol(symbol: str, whose: str, paths: Sequence[Path], image: Image) -> None:
    """That a symbol is there, and that its extent is known: else nothing of it is proven."""
    sources = [relative(path.resolve(), image.root) for path in paths]
    names = ", ".join(sources)
    if symbol not in image.symbols:
        near = nearest(symbol, [f.name for f in image.functions if f.source in sources])
        raise BuildError(f"{whose}: no `{symbol}` in {names}{near}")
    function = image.function_at(image.symbols[symbol])
    if function is None or function.address != image.symbols[symbol]:
        raise BuildError(
            f"{whose}: `{symbol}` in {names} is not marked as a function; add "
            f"`.type {symbol}, @function` and `.size {symbol}, .-{symbol}`"
        )
