"""Enumeration against dispatchers written in Python."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path as FilePath

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rig.capabilities.paths import (
    Choice,
    Path,
    Query,
    Sweep,
    direct_paths,
    forced_path,
    joined,
    length_classes,
    missing,
    paths_under,
    rule,
    sweep,
)
from rig.capabilities.vector import Vector, parse_needs
from rig.errors import ManifestError
from rig.manifest import Dispatch, Length, Manifest, Primitive, Variant

ARCH = "x86_64"
FULL = Vector.full(ARCH)
BASE = Vector.base(ARCH)


def variant(name: str, needs: str = "", primitive: str = "chacha20", **rest: object) -> Variant:
    plain = Variant(
        primitive=primitive,
        arch=ARCH,
        name=name,
        sources=(),
        needs=parse_needs(needs, ARCH),
        symbols={"ctr32": f"{primitive}_{name}"},
        place="rig.toml:1",
    )
    return replace(plain, **rest)  # type: ignore[arg-type]


def leaf(*variants: Variant) -> Primitive:
    return Primitive(variants[0].primitive, "rig.toml:1", None, {}, variants)


def project(*primitives: Primitive, dispatched: bool = True) -> Manifest:
    path = FilePath("rig.toml")
    dispatch = Dispatch((), "select_{primitive}") if dispatched else None
    return Manifest(path, path.parent, (), {}, dispatch, {p.name: p for p in primitives}, ())


def mask(names: str) -> Vector:
    return BASE | Vector.of(ARCH, names.split())


Chooser = Callable[[Vector, int], Choice]


def enumerated(manifest: Manifest, choose: Chooser | None, name: str = "chacha20") -> Sweep:
    """The sweep with a dispatcher that is a function of mask and length."""
    ask = (lambda queries: [choose(q.mask, q.length) for q in queries]) if choose else None
    return sweep(manifest, manifest.primitives[name], ARCH, ask)


def by_rule(manifest: Manifest, name: str = "chacha20") -> Chooser:
    return lambda vector, length: rule(manifest, manifest.primitives[name], vector, length)


def chosen(name: str, primitive: str = "chacha20") -> Choice:
    return ((primitive, name),)


def by_name(paths: Sequence[Path], kind: str = "mask") -> Mapping[str, Path]:
    return {path.name: path for path in paths if path.kind == kind}


CHACHA = leaf(variant("generic"), variant("ssse3", "ssse3"), variant("avx2", "avx2"))
GHASH = leaf(
    variant("table4", primitive="ghash", dispatch=False, constant_time=False),
    variant("ct64", primitive="ghash"),
    variant("ssse3", "ssse3", "ghash"),
    variant("pclmul", "ssse3 pclmul", "ghash"),
)
AES = leaf(variant("ct64", primitive="aes"), variant("aesni", "aes", "aes"))
AES, GHASH = (
    replace(p, variants=tuple(replace(v, layout=v.name) for v in p.variants)) for p in (AES, GHASH)
)
FUSED_GCM = leaf(
    variant("nossse3", "aes !ssse3", "aes_gcm_fused", layouts={"aes": "aesni", "ghash": "ct64"}),
    variant("ni", "aes ssse3 pclmul", "aes_gcm_fused", layouts={"aes": "aesni", "ghash": "pclmul"}),
)
GCM = Primitive(
    "aes_gcm", "rig.toml:9", None, {"seal": "s", "open": "o"}, (), ("fused", "aes", "ghash")
)


def test_every_mask_is_asked_with_the_other_bits_clear_and_set():
    manifest = project(CHACHA)
    asked: list[Query] = []

    def ask(queries: Sequence[Query]) -> list[Choice]:
        asked.extend(queries)
        return [q.expected for q in queries]

    found = sweep(manifest, CHACHA, ARCH, ask)
    masks = [q.mask for q in asked if q.flipped is None]
    clear = {mask(names) for names in ("", "ssse3", "avx2", "ssse3 avx2")}
    others = Vector.full(ARCH) - Vector.of(ARCH, ("ssse3", "avx2"))
    assert set(masks) == clear | {m | others for m in clear}
    assert (found.masks, len(masks), found.dispatched) == (8, 8, True)
    free = 320 - len(BASE.names) - 2
    assert found.probes == len(asked) - len(masks) == 3 * free * 2


def test_paths_with_their_minimal_masks():
    found = enumerated(project(CHACHA), by_rule(project(CHACHA)))
    assert found.mismatches == ()
    paths = by_name(found.paths)
    assert {name: path.masks for name, path in paths.items()} == {
        "chacha20=generic": (mask(""),),
        "chacha20=ssse3": (mask("ssse3"),),
        "chacha20=avx2": (mask("avx2"),),
    }
    assert paths["chacha20=avx2"].id == "chacha20/x86_64/mask/chacha20=avx2"
    assert paths["chacha20=avx2"].needs == {"avx2"}
    assert paths["chacha20=avx2"].roles == {"ctr32"}


def test_a_path_may_have_several_minimal_masks():
    """Two variants that a dispatcher sees as one choice by either of two bits."""

    def choose(vector: Vector, length: int) -> Choice:
        wide = vector.has("avx2") or vector.has("avx512f")
        return chosen("wide" if wide else "generic")

    manifest = project(leaf(variant("generic"), variant("wide", "avx2"), variant("zmm", "avx512f")))
    found = enumerated(manifest, choose)
    assert by_name(found.paths)["chacha20=wide"].masks == (mask("avx2"), mask("avx512f"))
    assert len(found.mismatches) == 4
    assert found.mismatches[0] == (
        f"chacha20: mask {mask('avx512f')}, length 0: the dispatcher chose chacha20=wide, the "
        "manifest's rule chacha20=zmm"
    )


def test_each_disagreement_is_a_mismatch():
    def choose(vector: Vector, length: int) -> Choice:
        return chosen("avx2" if vector.has("avx2") and vector.has("ssse3") else "generic")

    found = enumerated(project(CHACHA), choose)
    wrong = [line.partition("the dispatcher")[2] for line in found.mismatches]
    assert len(wrong) == 4  # ssse3 alone and avx2 alone, the other bits clear and set
    assert set(wrong) == {
        " chose chacha20=generic, the manifest's rule chacha20=ssse3",
        " chose chacha20=generic, the manifest's rule chacha20=avx2",
    }
    assert set(by_name(found.paths)) == {"chacha20=generic", "chacha20=avx2"}


@pytest.mark.parametrize("answer", [(), chosen("0x1000"), chosen("chacha20_lost")])
def test_what_names_no_variant_is_a_mismatch_and_no_path(answer):
    manifest = project(CHACHA)
    right = by_rule(manifest)
    found = enumerated(
        manifest, lambda vector, n: answer if vector.has("avx2") else right(vector, n)
    )
    assert set(by_name(found.paths)) == {"chacha20=generic", "chacha20=ssse3"}
    text = f"chacha20={answer[0][1]}" if answer else "nothing that the manifest names"
    assert f"chose {text}, the manifest's rule chacha20=avx2" in found.mismatches[0]


@pytest.mark.parametrize(
    ("bit", "where"),
    [("bmi2", "word 2 bit 8, bmi2"), ("intel", "word 0 bit 30, intel"), (319, "word 9 bit 31")],
)
@pytest.mark.parametrize("wanted", [True, False])
def test_a_bit_that_nobody_declares_is_found_and_named(bit, where, wanted):
    """Wanted set or wanted clear: with the other bits clear, or set, flipping it shows."""
    flag = Vector.of(ARCH, (bit,)).value if isinstance(bit, str) else 1 << bit
    manifest = project(CHACHA)

    def choose(vector: Vector, length: int) -> Choice:
        name = dict(rule(manifest, CHACHA, vector, length))["chacha20"]
        refused = name == "avx2" and bool(vector.value & flag) != wanted
        return chosen("ssse3" if refused else name)

    found = enumerated(manifest, choose)
    undeclared = [line for line in found.mismatches if "no variant declares" in line]
    assert undeclared
    for line in undeclared:
        assert line.startswith(f"chacha20: {where}: no variant declares it, yet it changes")


def test_a_declared_bit_must_not_be_flipped():
    needs = leaf(variant("generic"), variant("avx2", "avx2 bmi2"), variant("zmm", "avx512f !intel"))
    found = enumerated(project(needs), by_rule(project(needs)))
    assert found.mismatches == ()
    assert found.masks == 2 * 2**4
    assert by_name(found.paths)["chacha20=zmm"].masks == (mask("avx512f"),)


def test_an_undeclared_bit_of_one_length_class():
    domain = leaf(variant("generic"), variant("avx2", "avx2", length=Length(129)))
    manifest = project(domain)

    def choose(vector: Vector, length: int) -> Choice:
        name = dict(rule(manifest, domain, vector, length))["chacha20"]
        return chosen("generic" if length >= 129 and vector.has("bmi2") else name)

    found = enumerated(manifest, choose)
    assert any("word 2 bit 8, bmi2" in line for line in found.mismatches)


LIMITS = leaf(variant("nohw", length=Length(1)), variant("avx2", "avx2", length=Length(129)))


def test_length_classes_are_asked_one_by_one():
    manifest = project(LIMITS)
    asked: set[int] = set()

    def choose(vector: Vector, length: int) -> Choice:
        asked.add(length)
        return rule(manifest, LIMITS, vector, length)

    found = enumerated(manifest, choose)
    assert (found.mismatches, asked, found.masks) == ((), {0, 1, 129}, 2 * 2 * 3)
    paths = by_name(found.paths)
    assert paths["chacha20=nohw"].lengths == (Length(1),)
    assert paths["chacha20=nohw"].masks == (mask(""),)
    assert paths["chacha20=avx2"].lengths == (Length(129),)
    assert [n for n in (0, 128, 129, 5000) if paths["chacha20=avx2"].takes(n)] == [129, 5000]


def test_a_threshold_that_is_off_by_one():
    def choose(vector: Vector, length: int) -> Choice:
        if length < 1:
            return ()
        return chosen("avx2" if vector.has("avx2") and length > 129 else "nohw")

    found = enumerated(project(LIMITS), choose)
    assert found.mismatches[0] == (
        f"chacha20: mask {mask('avx2')}, length 129: the dispatcher chose chacha20=nohw, the "
        "manifest's rule chacha20=avx2"
    )


def test_steps_divide_the_lengths():
    blocks = leaf(variant("nohw"), variant("blocks", "ssse3", length=Length(64, 1024, 64)))
    found = enumerated(project(blocks, dispatched=False), None)
    paths = by_name(found.paths)
    assert paths["chacha20=blocks"].lengths == (Length(64, 1024, 64),)
    assert all(paths["chacha20=nohw"].takes(n) for n in range(3000))


def test_the_same_slots_for_other_lengths_under_other_masks():
    """With `!intel` a wide variant takes long data on some processors only: there the other
    one is left with the short."""
    split = leaf(variant("avx2", "avx2"), variant("zmm", "avx2 !intel", length=Length(512)))
    found = enumerated(project(split), by_rule(project(split)))
    assert found.mismatches == ()
    parts = [p for p in found.paths if p.kind == "mask" and p.name == "chacha20=avx2"]
    assert [(p.part, p.masks, p.lengths) for p in parts] == [
        ("len=0-511", (mask("avx2"),), (Length(0, 511),)),
        ("len=512-", (mask("avx2 intel"),), (Length(512),)),
    ]
    assert [p.id for p in parts] == [
        "chacha20/x86_64/mask/chacha20=avx2/len=0-511",
        "chacha20/x86_64/mask/chacha20=avx2/len=512-",
    ]


lengths = st.builds(
    Length,
    min=st.sampled_from((0, 1, 16, 64, 129)),
    max=st.sampled_from((None, 200, 256, 300)),
    step=st.sampled_from((1, 2, 16, 24, 64)),
)


@settings(deadline=None, database=None, derandomize=True, max_examples=150)
@given(domains=st.lists(lengths, max_size=4), n=st.integers(0, 400))
def test_every_length_is_in_one_class_that_answers_as_it_does(domains, n):
    classes = length_classes(variant(str(i), length=d) for i, d in enumerate(domains))
    (mine,) = [c for c in classes if c.holds(n)]
    others = [m for m in range(401) if mine.holds(m)]
    assert all(d.holds(m) == d.holds(n) for d in domains for m in others)


def test_a_composition_has_every_combination_of_its_slots():
    manifest = project(AES, GHASH, GCM)
    found = enumerated(manifest, by_rule(manifest, "aes_gcm"), "aes_gcm")
    assert found.mismatches == ()
    assert found.masks == 2 * 2**3
    paths = by_name(found.paths)
    assert {name: [m.names for m in p.masks] for name, p in paths.items()} == {
        f"fused=-,aes={aes},ghash={ghash}": [mask(f"{need} {more}").names]
        for aes, need in (("ct64", ""), ("aesni", "aes"))
        for ghash, more in (("ct64", ""), ("ssse3", "ssse3"), ("pclmul", "ssse3 pclmul"))
    }
    assert paths["fused=-,aes=aesni,ghash=pclmul"].needs == {"aes", "ssse3", "pclmul"}
    assert paths["fused=-,aes=ct64,ghash=ct64"].roles == {"seal", "open"}
    assert not [p for p in found.paths if p.kind == "direct"]


def test_a_fused_variant_beside_its_slots():
    """It takes its slot only beside the variants whose layouts it reads."""
    manifest = project(AES, GHASH, FUSED_GCM, GCM)
    found = enumerated(manifest, by_rule(manifest, "aes_gcm"), "aes_gcm")
    fused = {name for name in by_name(found.paths) if not name.startswith("fused=-")}
    assert fused == {"fused=ni,aes=aesni,ghash=pclmul", "fused=nossse3,aes=aesni,ghash=ct64"}
    path = by_name(found.paths)["fused=ni,aes=aesni,ghash=pclmul"]
    assert path.needs == {"aes", "ssse3", "pclmul"}
    assert path.lengths == (Length(),)


def test_a_variant_with_a_contract_of_its_own_fills_no_slot():
    other = variant("other", "aes", "aes", contract=FilePath("other.h"))
    manifest = project(leaf(*AES.variants, other), GHASH, GCM)
    assert dict(rule(manifest, GCM, mask("aes"), 0))["aes"] == "aesni"
    assert rule(manifest, manifest.primitives["aes"], mask("aes"), 0) == chosen("other", "aes")


def test_a_variant_that_narrows_len_fills_no_slot_unless_a_dispatcher_says_so():
    aes = leaf(*AES.variants, variant("wide", "vaes", "aes", length=Length(256)))
    for dispatched in (False, True):
        manifest = project(aes, GHASH, GCM, dispatched=dispatched)
        names = dict(rule(manifest, GCM, mask("vaes"), 512))
        assert names["aes"] == ("wide" if dispatched else "ct64")
    assert dict(rule(manifest, aes, mask("vaes"), 512))["aes"] == "wide"


def test_what_a_leaf_leaves_undefined_is_not_so_in_a_composition():
    aes = leaf(variant("ct64", primitive="aes", undefined=("counter-wrap",)))
    manifest = project(aes, GHASH, GCM)
    (path, *_) = enumerated(manifest, by_rule(manifest, "aes_gcm"), "aes_gcm").paths
    assert path.undefined == frozenset()
    (path, *_) = enumerated(manifest, by_rule(manifest, "aes"), "aes").paths
    assert path.undefined == {"counter-wrap"}


def test_the_rule_takes_the_last_that_holds():
    manifest = project(CHACHA, GHASH, AES, GCM)
    assert rule(manifest, CHACHA, mask("ssse3 avx2"), 0) == chosen("avx2")
    assert rule(manifest, CHACHA, mask("ssse3"), 0) == chosen("ssse3")
    assert rule(manifest, CHACHA, mask("pclmul"), 0) == chosen("generic")
    expected = (("fused", "-"), ("aes", "ct64"), ("ghash", "pclmul"))
    assert rule(manifest, GCM, mask("ssse3 pclmul"), 0) == expected
    lone = leaf(variant("avx2", "avx2"))
    assert rule(project(lone), lone, mask(""), 0) == ()


def test_by_the_rule_alone_nothing_is_probed():
    found = enumerated(project(CHACHA, dispatched=False), None)
    assert (found.dispatched, found.masks, found.probes) == (False, 8, 0)
    assert len(by_name(found.paths)) == 3


def test_direct_paths_of_every_variant():
    direct = by_name(direct_paths(GHASH, ARCH), "direct")
    assert list(direct) == ["ghash=table4", "ghash=ct64", "ghash=ssse3", "ghash=pclmul"]
    assert direct["ghash=pclmul"].masks == (mask("ssse3 pclmul"),)
    assert not direct["ghash=table4"].constant_time
    assert direct_paths(GHASH, "i386") == ()


def test_forced_paths():
    manifest = project(AES, GHASH, GCM)
    path = forced_path(manifest, GCM, FULL, (("ghash", "table4"),))
    assert (path.kind, path.name) == ("forced", "fused=-,aes=aesni,ghash=table4")
    assert (path.masks, path.constant_time) == ((mask("aes"),), False)
    wide = forced_path(project(LIMITS), LIMITS, FULL, chosen("avx2"))
    assert wide.lengths == (Length(129),)


def test_slots_left_open_follow_the_mask_that_is_given():
    manifest, under = project(AES, GHASH, FUSED_GCM, GCM), mask("ssse3")
    assert forced_path(manifest, GCM, under, (("ghash", "pclmul"),)).name == (
        "fused=-,aes=ct64,ghash=pclmul"
    )


def test_a_forced_fused_variant_needs_its_layouts():
    manifest = project(AES, GHASH, FUSED_GCM, GCM)

    def name(*force: tuple[str, str]) -> str:
        return forced_path(manifest, GCM, FULL, force).name

    assert name(("ghash", "pclmul")) == "fused=ni,aes=aesni,ghash=pclmul"
    assert name(("ghash", "ssse3")) == "fused=-,aes=aesni,ghash=ssse3"
    assert name(("fused", "-")) == "fused=-,aes=aesni,ghash=pclmul"
    with pytest.raises(ManifestError, match="fused=ni: it needs ghash of the layout pclmul"):
        name(("fused", "ni"), ("ghash", "ct64"))


@pytest.mark.parametrize(
    ("force", "message"),
    [
        ((("ghash", "table5"),), "aes_gcm has table4, ct64, ssse3, pclmul"),
        ((("poly1305", "donna"),), "aes_gcm has no such slot"),
    ],
)
def test_forcing_what_there_is_not(force, message):
    with pytest.raises(ManifestError, match=message):
        forced_path(project(AES, GHASH, GCM), GCM, FULL, force)


def test_forcing_one_slot_where_nothing_fills_the_other():
    aes = leaf(variant("only16", primitive="aes", length=Length(16, 16)))
    manifest = project(aes, GHASH, GCM, dispatched=False)
    with pytest.raises(ManifestError, match="aes_gcm needs aes=VARIANT as well"):
        forced_path(manifest, GCM, FULL, (("ghash", "ct64"),))
    both = (("ghash", "ct64"), ("aes", "only16"))
    assert forced_path(manifest, GCM, FULL, both).name == "fused=-,aes=only16,ghash=ct64"


def test_given_masks_by_length_class():
    manifest = project(LIMITS)
    one, two = mask("avx2"), mask("avx2 bmi2")
    choose = by_rule(manifest)
    found = paths_under(
        manifest, LIMITS, (one, two, one), lambda qs: [choose(q.mask, q.length) for q in qs]
    )
    assert {p.name: (p.masks, p.lengths) for p in found} == {
        "chacha20=nohw": ((one, two), (Length(1, 128),)),
        "chacha20=avx2": ((one, two), (Length(129),)),
    }
    assert paths_under(manifest, LIMITS, (), None) == ()


def test_more_masks_join_the_path_that_they_select():
    manifest = project(CHACHA, dispatched=False)
    found = enumerated(manifest, None)
    extra = paths_under(manifest, CHACHA, (mask("avx2 bmi2"), mask("ssse3")), None)
    every = joined((*found.paths, *extra))
    assert len(every) == len(found.paths)
    assert by_name(every)["chacha20=avx2"].masks == (mask("avx2"), mask("avx2 bmi2"))
    assert by_name(every)["chacha20=ssse3"].masks == (mask("ssse3"),)
    assert by_name(every, "direct")["chacha20=avx2"].masks == (mask("avx2"),)


def test_what_a_machine_lacks():
    path = by_name(direct_paths(GHASH, ARCH), "direct")["ghash=pclmul"]
    assert missing(path, mask("ssse3 pclmul avx")) == ()
    assert missing(path, mask("avx")) == ("pclmul", "ssse3")
