"""What a path may and must run."""

from dataclasses import replace

import pytest

from rig.build.image import Function
from rig.capabilities.paths import Path, direct_paths
from rig.checks.findings import Finding
from rig.checks.proof import Claim, Proof, claim, prove
from rig.manifest import Manifest, Variant
from rig.project import Project

OWN, OTHER, SHARED = (
    Function(name, 0x1000 + 16 * n, 16, "a.c") for n, name in enumerate(("own", "other", "shared"))
)
CLAIM = Claim(frozenset({OTHER}), (Proof("toy/own", frozenset({"own", "own_init"})),))


def proven(claimed: Claim, *ran: Function, longest: int = 0) -> list[Finding]:
    return prove(claimed, frozenset(ran), lambda: longest)


def _path(project: Project, name: str) -> Path:
    paths = direct_paths(project.manifest.primitives["chacha20"], project.arch)
    return next(path for path in paths if path.name == f"chacha20={name}")


def _changed(project: Project, name: str, **changed: object) -> Project:
    """The project with one stanza changed."""
    manifest: Manifest = project.manifest
    primitive = manifest.primitives["chacha20"]

    def stanza(variant: Variant) -> Variant:
        return replace(variant, **changed) if variant.name == name else variant  # type: ignore[arg-type]

    variants = tuple(stanza(variant) for variant in primitive.variants)
    primitives = {"chacha20": replace(primitive, variants=variants)}
    return replace(project, manifest=replace(manifest, primitives=primitives))


@pytest.mark.parametrize(
    ("ran", "symbols"),
    [
        ({OWN}, []),
        ({OWN, SHARED}, []),
        ({OWN, OTHER}, ["other"]),
        ({OTHER}, ["other", ""]),
        ({SHARED}, [""]),
        (set(), [""]),
    ],
)
def test_prove(ran: set[Function], symbols: list[str]) -> None:
    findings = proven(CLAIM, *ran)
    assert [finding.symbol for finding in findings] == symbols
    assert all(finding.check == "path" for finding in findings)


def test_words() -> None:
    stranger, absent = proven(CLAIM, OTHER)
    assert stranger.summary == (
        "other ran, which belongs to a variant that this path has not chosen"
    )
    assert absent.summary == "toy/own did not run: none of own, own_init"


def test_one_of_several_entries_is_enough() -> None:
    init = Function("own_init", 0x2000, 8, "a.c")
    assert proven(CLAIM, init) == []


def test_every_slot_is_proven() -> None:
    proofs = (Proof("aes/x", frozenset({"a"})), Proof("ghash/y", frozenset({"b"})))
    (finding,) = proven(Claim(frozenset(), proofs), Function("a", 0, 1, "a.c"))
    assert finding.summary.startswith("ghash/y did not run")


@pytest.mark.parametrize(("longest", "findings"), [(0, 0), (63, 0), (64, 1)])
def test_a_fused_variant_is_proven_by_messages_that_are_long_enough(
    longest: int, findings: int
) -> None:
    claimed = Claim(frozenset(), (Proof("gcm_fused/x", frozenset({"a"}), least=64),))
    assert len(proven(claimed, OWN, longest=longest)) == findings


def test_a_claim_makes_strangers_of_the_entries_of_other_variants(controls: Project) -> None:
    claimed = claim(controls, _path(controls, "borrows"))
    strangers = {function.name for function in claimed.strangers}
    assert {"control_clean", "control_crash"} <= strangers
    assert "control_borrows" not in strangers
    assert "control_run" not in strangers, "it stands beside the entries, for all of them"
    assert "control_select_chacha20" not in strangers, "the dispatcher is nobody's"
    assert claimed.proofs == (Proof("chacha20/borrows", frozenset({"control_borrows"})),)


def test_shares_lends_one_variant_of_the_same_primitive(controls: Project) -> None:
    project = _changed(controls, "borrows", shares=("clean",))
    strangers = {f.name for f in claim(project, _path(project, "borrows")).strangers}
    assert "control_clean" not in strangers
    assert "control_crash" in strangers


def test_ran_names_the_function_that_proves(controls: Project) -> None:
    project = _changed(controls, "clean", ran="control_run")
    claimed = claim(project, _path(project, "clean"))
    assert claimed.proofs == (Proof("chacha20/clean", frozenset({"control_run"})),)


@pytest.mark.parametrize(
    ("called", "ran", "missed"),
    [
        ({"seal"}, {OWN}, []),
        ({"seal"}, {SHARED}, ["gcm_fused/x"]),
        ({"encrypt", "finish"}, {SHARED}, []),
        ({"encrypt", "finish"}, {OWN}, ["aes/x"]),
        ({"open", "encrypt", "finish"}, {OWN}, ["aes/x"]),
        (set(), set(), []),
    ],
)
def test_a_fused_variant_does_whole_messages_alone(
    called: set[str], ran: set[Function], missed: list[str]
) -> None:
    """Messages in parts are for the other slots."""
    fused = Proof("gcm_fused/x", frozenset({"own"}), roles=frozenset({"seal", "open"}))
    other = Proof("aes/x", frozenset({"shared"}), roles=frozenset({"encrypt", "finish"}))
    claimed = Claim(frozenset(), (fused, other))
    found = prove(claimed, frozenset(ran), lambda: 0, frozenset(called))
    assert [finding.summary.partition(" ")[0] for finding in found] == missed
