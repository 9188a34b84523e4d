"""Station 3: builds a project for one architecture.

Enters: a manifest, an architecture, a toolchain. Leaves: an `Image`, and the runner program.
Never here: the choice of masks or paths.
"""

import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path

from filelock import FileLock

from rig.architectures import ARCHITECTURES, Architecture, feature_options
from rig.build.image import Image, link
from rig.build.objects import Object, Unit, compile_all, relative
from rig.build.toolchain import Toolchain
from rig.cache import digest, write_atomically
from rig.capabilities.bits import architecture as capability_words
from rig.data import data_folder
from rig.errors import BuildError
from rig.manifest import Manifest, Variant
from rig.toml_table import nearest

DEFAULT_VECTOR = {"x86_64": "OPENSSL_ia32cap_P"}
SUPPORT = "runner/support.c"

_FLAGS = (
    "-std=gnu11",
    "-O2",
    "-g",
    "-fPIC",
    "-ffreestanding",
    "-fno-sanitize=all",
    "-fno-stack-protector",
    "-fno-jump-tables",
    "-fcf-protection=none",
)


def build_image(
    manifest: Manifest, arch_name: str, toolchain: Toolchain, cache: Path, jobs: int
) -> Image:
    """Compiles and links the project once; BuildError names file, variant and tool's words."""
    arch = ARCHITECTURES[arch_name]
    units = [
        *_project_units(manifest, arch, toolchain),
        *_own_units(manifest, arch, toolchain, cache),
    ]
    with FileLock(cache / f"build-{digest(str(manifest.path))[:12]}.lock"):
        objects = compile_all(units, toolchain, cache, jobs)
        image = link(objects, arch, toolchain, cache, manifest.root.resolve())
    _check_symbols(manifest, image)
    return image


def vector_symbol(manifest: Manifest, arch: str) -> str:
    """The name of the project's capability vector."""
    return manifest.vector.get(arch, DEFAULT_VECTOR[arch])


def _project_units(manifest: Manifest, arch: Architecture, toolchain: Toolchain) -> list[Unit]:
    labels: dict[Path, list[str]] = {}
    needs: dict[Path, set[str]] = {}
    for variant in manifest.variants(arch.name):
        for source in variant.sources:
            labels.setdefault(source, []).append(f"{variant.primitive}/{variant.name}")
            needs.setdefault(source, set()).update(variant.needs.required)
    for source, label in _shared_sources(manifest):
        labels.setdefault(source, []).append(label)
    return [
        _unit(manifest, arch, toolchain, source, names, sorted(needs.get(source, ())))
        for source, names in labels.items()
    ]


def _shared_sources(manifest: Manifest) -> Iterable[tuple[Path, str]]:
    for primitive in manifest.primitives.values():
        for source in primitive.sources:
            yield source, primitive.name
    for source in manifest.dispatch.sources if manifest.dispatch else ():
        yield source, "dispatch"


def _unit(
    manifest: Manifest,
    arch: Architecture,
    toolchain: Toolchain,
    source: Path,
    labels: Sequence[str],
    needs: Sequence[str],
) -> Unit:
    root = manifest.root.resolve()
    folders = [f.resolve() for f in (*manifest.include, data_folder("native") / "include")]
    command = (
        *toolchain.targeting(arch),
        *feature_options(arch, tuple(needs)),
        *_FLAGS,
        *(f"-I{relative(folder, root)}" for folder in folders),
    )
    return Unit(source.resolve(), root, command, ", ".join(labels))


def _own_units(
    manifest: Manifest, arch: Architecture, toolchain: Toolchain, cache: Path
) -> list[Unit]:
    """The vector (weak, so that a project's own definition wins) and the functions that
    compilers call by themselves."""
    native = data_folder("native").resolve()
    base = (*toolchain.targeting(arch), *_FLAGS)
    words = capability_words(arch.name).words
    text = (
        "#include <stdint.h>\n"
        f"__attribute__((weak)) uint32_t {vector_symbol(manifest, arch.name)}[{words}];\n"
    )
    generated = cache / "generated" / f"{digest(text)}.c"
    write_atomically(generated, text.encode())
    return [
        Unit(generated, generated.parent, base, "the capability vector"),
        Unit(native / SUPPORT, native, (*base, "-fno-builtin"), "support"),
    ]


def build_runner(arch_name: str, toolchain: Toolchain, cache: Path) -> Path:
    """The freestanding runner program for an architecture."""
    arch, native = ARCHITECTURES[arch_name], data_folder("native").resolve()
    flags = (*toolchain.targeting(arch), *_FLAGS, "-fno-pic", "-fno-builtin")
    units = [Unit(native / s, native, flags, "the runner") for s in arch.runner_sources]
    with FileLock(cache / f"build-runner-{arch_name}.lock"):
        objects = compile_all(units, toolchain, cache, jobs=2)
        return _link_runner(objects, toolchain, cache)


def _link_runner(objects: Sequence[Object], toolchain: Toolchain, cache: Path) -> Path:
    path = cache / "runners" / digest(toolchain.identity, *(o.key for o in objects))
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_suffix(".new")
        command = [*toolchain.linker, "-static", *(str(o.path) for o in objects)]
        done = subprocess.run(
            [*command, "-o", str(temporary)], capture_output=True, text=True, check=False
        )
        if done.returncode != 0:
            raise BuildError(f"cannot link the runner:\n{done.stderr.rstrip()}")
        temporary.replace(path)
    return path


def _check_symbols(manifest: Manifest, image: Image) -> None:
    for variant in manifest.variants(image.arch):
        for symbol in variant.symbols.values():
            _check_symbol(symbol, variant, image)
        if variant.ran:
            _check_symbol(variant.ran, variant, image)
    for primitive in manifest.primitives.values():
        for symbol in primitive.symbols.values() if primitive.composed else ():
            if symbol not in image.symbols:
                raise BuildError(f"{primitive.place}: no symbol `{symbol}`{nearest(symbol, ())}")


def _check_symbol(symbol: str, variant: Variant, image: Image) -> None:
    if symbol in image.symbols:
        return
    names = [f.name for f in image.functions if any(f.source in str(s) for s in variant.sources)]
    sources = ", ".join(s.name for s in variant.sources)
    raise BuildError(
        f"{variant.place}: {variant.primitive}/{variant.name}: {sources} defines no "
        f"`{symbol}`{nearest(symbol, names)}"
    )
