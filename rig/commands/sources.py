"""The shell lines that compile the sources of one path, for a stand-alone reproducer.

Enters: a project and a path. Leaves: lines of shell; nothing is run. Never here: the rig's own
build, whose flags and features these lines repeat.
"""

import shlex
from collections.abc import Iterator
from pathlib import Path as FilePath

from rig.architectures import ARCHITECTURES, feature_options
from rig.build.objects import PREBUILT
from rig.build.project import FLAGS
from rig.build.shared import SUFFIX as SHARED
from rig.capabilities.paths import Path, chosen_variants
from rig.data import data_folder
from rig.project import Project


def compile_lines(project: Project, path: Path, main: str, output: str) -> Iterator[str]:
    """Lines that compile the path's sources, each with its own features, then link them with
    `main` (a file with the compiler's options before it) into `output`."""
    arch = ARCHITECTURES[project.arch]
    yield f"CC='cc {' '.join(arch.flags)}'"
    yield f"# without a compiler: CC='python -m ziglang cc -target {arch.target}'"
    objects = []
    for number, source in enumerate(_sources(project, path)):
        objects.append(shlex.quote(str(source.resolve())))
        if source.suffix not in (*PREBUILT, SHARED):
            yield from _compile(project, source, number)
            objects[-1] = _object(source, number)
    yield f"$CC {main} {' '.join(objects)} -o {output}"


def _sources(project: Project, path: Path) -> tuple[FilePath, ...]:
    """What the chosen variants, those that they share with and the composition name."""
    primitive = project.manifest.primitives[path.primitive]
    chosen = chosen_variants(project.manifest, primitive, project.arch, path.choice)
    names = {(v.primitive, name) for v in chosen for name in (v.name, *v.shares)}
    variants = [
        v for v in project.manifest.variants(project.arch) if (v.primitive, v.name) in names
    ]
    found = [*primitive.sources, *(s for v in variants for s in v.sources)]
    return tuple(dict.fromkeys(found))


def _object(source: FilePath, number: int) -> str:
    """Files of one name may stand in several folders."""
    return shlex.quote(f"{number}-{source.stem}.o")


def _compile(project: Project, source: FilePath, number: int) -> Iterator[str]:
    text = shlex.quote(str(source.resolve()))
    folders = [*project.manifest.include, data_folder("native") / "include"]
    command = project.manifest.generators.get(source.suffix)
    if command:
        flavour = project.manifest.flavour.get(project.arch, "")
        text = shlex.quote(f"{number}-{source.stem}.S")
        yield _generate(source, command, flavour, text)
        folders.insert(0, source.parent)
    seen = dict.fromkeys(folder.resolve() for folder in folders)
    includes = " ".join(shlex.quote(f"-I{folder}") for folder in seen)
    features = feature_options(ARCHITECTURES[project.arch], _needs(project, source))
    options = " ".join((*features, *FLAGS, includes))
    yield f"$CC {options} -c {text} -o {_object(source, number)}"


def _needs(project: Project, source: FilePath) -> tuple[str, ...]:
    variants = project.manifest.variants(project.arch)
    return tuple(sorted({n for v in variants if source in v.sources for n in v.needs.required}))


def _generate(source: FilePath, command: tuple[str, ...], flavour: str, made: str) -> str:
    """In the script's folder, as the rig does it; the result comes back to this one."""
    values = {"{in}": shlex.quote(f"./{source.name}"), "{flavour}": shlex.quote(flavour)}
    words = " ".join(
        word if word in ("{in}", "{out}", "{flavour}") else shlex.quote(word) for word in command
    )
    for mark, value in values.items():
        words = words.replace(mark, value)
    target = f'"$OLDPWD"/{made}'
    words = words.replace("{out}", target) if "{out}" in words else f"{words} > {target}"
    return f"(OLDPWD=$PWD; cd {shlex.quote(str(source.parent.resolve()))} && {words})"
