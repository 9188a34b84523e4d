"""A manifest of 150 variants over 40 sources, four of which are scripts."""

from pathlib import Path

import pytest

from rig.capabilities import paths

NEEDS = (
    *("", "ssse3", "ssse3 aes", "ssse3 pclmul", "sse4.1", "avx", "avx movbe", "avx2"),
    *("avx2 bmi2", "avx2 adx", "avx512f", "avx512f avx512bw avx512vl"),
)
HEAD = """rig = 1
dispatch = "rules"
generate = { ".pl" = "perl {in} {out}" }
[chacha20]
dir = "src"
symbols = { ctr32 = "ChaCha20_ctr32_{name}" }
variants = [
"""
FUNCTION = """.text
.globl ChaCha20_ctr32_v{0}
.type ChaCha20_ctr32_v{0}, @function
ChaCha20_ctr32_v{0}:
    movl ${0}, %eax
    ret
.size ChaCha20_ctr32_v{0}, .-ChaCha20_ctr32_v{0}
"""
SCRIPT = "open STDOUT, '>', pop @ARGV or die;\nprint <<'END';\n{0}END\n"


def stanza(number: int, source: str) -> str:
    need = NEEDS[number % len(NEEDS)]
    needs = f', needs = "{need}"' if need else ""
    return f'  {{ arch = "x86_64", name = "v{number}", source = "{source}"{needs} }},\n'


@pytest.fixture(scope="module")
def big(tmp_path_factory):
    """Where its manifest is."""
    root = tmp_path_factory.mktemp("big")
    (root / "src").mkdir()
    stanzas = []
    for file in range(40):
        numbers = range(file * 150 // 40, (file + 1) * 150 // 40)
        name = f"chacha{file}.{'S' if file % 10 else 'pl'}"
        text = "".join(map(FUNCTION.format, numbers))
        (root / "src" / name).write_text(text if file % 10 else SCRIPT.format(text))
        stanzas += [stanza(number, name) for number in numbers]
    (root / "rig.toml").write_text(HEAD + "".join(stanzas) + "]\n")
    return root / "rig.toml"


def test_the_rule_is_worked_out_once_for_equal_needs(bench, big, monkeypatch):
    """Of 2,048 masks over 150 variants most are alike to the variants."""
    asked = []
    rule = paths.rule

    def counted(*arguments):
        asked.append(arguments)
        return rule(*arguments)

    monkeypatch.setattr(paths, "rule", counted)
    (sweep,) = bench.project(big).sweeps
    assert sweep.masks >= 2048
    assert len(asked) < sweep.masks / 4
    assert {p.choice[0][1] for p in sweep.paths if p.kind == "direct"} == {
        f"v{n}" for n in range(150)
    }


@pytest.mark.parametrize("name", ["chacha7.S", "chacha10.pl"])
def test_one_changed_source_is_compiled_alone(bench, big, name):
    before = bench.project(big).image
    again = bench.project(big).image
    assert (again.compiled, again.path) == (0, before.path)
    source: Path = big.parent / "src" / name
    source.write_text(source.read_text().replace("    ret", "    nop\n    ret"))
    images = set(before.path.parent.glob("*.so"))
    after = bench.project(big).image
    assert after.compiled == 1
    assert set(after.path.parent.glob("*.so")) - images == {after.path}
