"""CAVP response files: what a case gives, and what is said of a broken one."""

from pathlib import Path

import pytest

from rig.vectors import Problem, Vector, rsp
from rig.vectors.source_file import SourceFile

SECTION = """\
# CAVS 14.0
# GCM Decrypt with keysize 128 test information

[Keylen = 128]
[IVlen = 96]
[PTlen = 16]
[AADlen = 8]
[Taglen = 32]

"""
KEY, IV = "00112233445566778899aabbccddeeff", "000102030405060708090a0b"
GENUINE = f"Count = 0\nKey = {KEY}\nIV = {IV}\nCT = beef\nAAD = aa\nTag = 01020304\nPT = cafe\n"
FORGED = f"Count = 1\nKey = {KEY}\nIV = {IV}\nCT = beef\nAAD = aa\nTag = 01020304\nFAIL\n"


def parse(text, name="gcmDecrypt128.rsp"):
    file = SourceFile(Path(name), text)
    assert rsp.knows(file)
    return list(rsp.read(file))


def test_a_genuine_case_gives_a_seal_and_an_open():
    common = {"key": bytes.fromhex(KEY), "nonce": bytes.fromhex(IV), "aad": b"\xaa"}
    sealed = {"ciphertext": b"\xbe\xef", "tag": b"\1\2\3\4"}
    name = "gcmDecrypt128 iv96 pt16 aad8 tag32 #0"
    origin = ("NIST CAVP", name, "gcmDecrypt128.rsp:10")
    assert parse(SECTION + GENUINE) == [
        Vector(
            "aes_gcm",
            "seal",
            *origin,
            {**common, "plaintext": b"\xca\xfe", "tag_len": 4},
            sealed,
        ),
        Vector("aes_gcm", "open", *origin, {**common, **sealed}, {"plaintext": b"\xca\xfe"}),
    ]


def test_the_order_of_an_encrypt_file_is_the_same_case():
    swapped = GENUINE.replace("CT = beef\n", "").replace("PT = cafe\n", "CT = beef\n")
    assert parse(SECTION + swapped.replace("AAD", "PT = cafe\nAAD")) == parse(SECTION + GENUINE)


def test_a_fail_case_must_be_refused():
    (vector,) = parse(SECTION + FORGED)
    assert (vector.operation, vector.valid, vector.outputs) == ("open", False, {})
    assert vector.inputs["tag"] == b"\1\2\3\4"


def test_lengths_belong_to_the_section_before():
    other = SECTION.replace("[PTlen = 16]", "[PTlen = 0]")
    empty = GENUINE.replace("CT = beef", "CT = ").replace("PT = cafe", "PT =")
    mac, opened = parse(SECTION + FORGED + "\n" + other + empty)[1:]
    assert opened.inputs["ciphertext"] == b"" and "pt0" in mac.name


def test_a_case_without_a_plaintext_is_one_of_gmac():
    empty = GENUINE.replace("CT = beef", "CT = ").replace("PT = cafe", "PT =")
    mac, opened = parse(SECTION.replace("[PTlen = 16]", "[PTlen = 0]") + empty)
    common = {"key": bytes.fromhex(KEY), "nonce": bytes.fromhex(IV)}
    assert mac.operation == "mac" and mac.outputs == {"tag": b"\1\2\3\4"}
    assert mac.inputs == {**common, "message": b"\xaa", "tag_len": 4}
    assert opened.inputs == {**common, "aad": b"\xaa", "ciphertext": b"", "tag": b"\1\2\3\4"}
    assert opened.operation == "open" and opened.outputs == {"plaintext": b""}


SECTION_LINES = SECTION.count("\n")

BROKEN = {
    "short key": (GENUINE.replace(KEY, KEY[2:]), 2, "Key has 15 bytes, but its section says 16"),
    "long iv": (GENUINE.replace(IV, IV + "00"), 3, "IV has 13 bytes, but its section says 12"),
    "ciphertext": (GENUINE.replace("beef", ""), 4, "CT has 0 bytes, but its section says 2"),
    "aad": (GENUINE.replace("= aa", "= aaaa"), 5, "AAD has 2 bytes, but its section says 1"),
    "tag": (
        GENUINE.replace("Tag = 01020304", "Tag = 0102"),
        6,
        "Tag has 2 bytes, but its section says 4",
    ),
    "plaintext": (GENUINE.replace("cafe", "ca"), 7, "PT has 1 bytes, but its section says 2"),
    "odd digit": (GENUINE.replace("cafe", "caf"), 7, "PT is not hexadecimal"),
    "no digit": (GENUINE.replace("cafe", "cafg"), 7, "PT is not hexadecimal"),
    "space": (GENUINE.replace("beef", "be ef"), 4, "CT has a space between its digits"),
    "twice": (GENUINE.replace("AAD = aa", "CT = beef"), 5, "CT stands twice in one case"),
    "no tag": (GENUINE.replace("Tag = 01020304\n", ""), 1, "the case has no Tag"),
    "no answer": (GENUINE.replace("PT = cafe\n", ""), 1, "needs either PT or FAIL"),
    "two answers": (GENUINE + "FAIL\n", 1, "needs either PT or FAIL"),
    "unknown": (GENUINE.replace("AAD", "ADD"), 5, "a GCM case has no 'ADD'"),
    "no blank line": (GENUINE + FORGED, 8, "Count stands twice in one case"),
}


@pytest.mark.parametrize("text, line, message", BROKEN.values(), ids=BROKEN)
def test_a_broken_case_is_a_problem_and_the_next_goes_on(text, line, message):
    problem, vector = parse(SECTION + text + "\n\n" + FORGED)
    assert isinstance(problem, Problem)
    assert problem.place == f"gcmDecrypt128.rsp:{SECTION_LINES + line}"
    assert message in problem.message
    assert vector.place.endswith(f":{SECTION_LINES + text.count(chr(10)) + 3}")


BROKEN_SECTIONS = {
    "missing": ("[AADlen = 8]\n", "", 4, "the section has no [AADlen = ...]"),
    "unknown": ("[AADlen = 8]", "[Alen = 8]", 7, "'[Alen = 8]' is no line of"),
    "twice": ("[AADlen = 8]", "[PTlen = 8]", 7, "is no line of a section's five lengths"),
    "bits": ("[PTlen = 16]", "[PTlen = 13]", 6, "PTlen is 13 bits"),
    "glued": ("[Taglen = 32]\n\n", "[Taglen = 32]\n", 9, "'Count = 0' is no line of"),
}


@pytest.mark.parametrize("old, new, line, message", BROKEN_SECTIONS.values(), ids=BROKEN_SECTIONS)
def test_a_broken_section_is_a_problem_and_so_are_its_cases(old, new, line, message):
    problem, *rest = parse(
        SECTION.replace(old, new) + GENUINE + "\n" + FORGED + "\n" + SECTION + FORGED
    )
    assert problem.place == f"gcmDecrypt128.rsp:{line}"
    assert message in problem.message
    *orphans, vector = rest
    assert orphans and all("no section with five valid" in p.message for p in orphans)
    assert isinstance(vector, Vector)


def test_comments_and_blank_lines_move_no_place():
    text = SECTION + "\n\n# between\n\n" + GENUINE.replace("beef", "be")
    (problem,) = parse(text)
    assert problem.place == f"gcmDecrypt128.rsp:{SECTION_LINES + 4 + 4}"


def test_another_response_file_is_not_known():
    ecb = "# AESVS GFSbox test data for ECB\n\n[ENCRYPT]\n\nCOUNT = 0\nKEY = 00\n"
    assert not rsp.knows(SourceFile(Path("ECBGFSbox128.rsp"), ecb))
