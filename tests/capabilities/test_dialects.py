"""The table of differences between the rig's grammar and the libraries' parsers.

Expected values follow from the libraries' sources; those of OpenSSL with at most two fields
were also compared with `openssl version -c`.
"""

import pytest

from rig.capabilities.bits import CapabilityError
from rig.capabilities.dialects import apply_dialect
from rig.capabilities.grammar import apply
from rig.capabilities.vector import Vector

# Fields 0 to 4. Word 0 has FXSR (bit 24) and bit 10, which OpenSSL always sets; word 1 has
# CLMUL, AES, AVX and SSSE3; word 6 has AVX10, word 9 its description.
PROBED = (0x1200020701000400, 0x60000000020, 0x1700000400, 0x80010, 0x7000200000000)
P0, P1, P2, P3, P4 = PROBED
MARK = 0x400
F64 = 0xFFFFFFFFFFFFFFFF


def vector(fields: tuple[int, ...]) -> Vector:
    return Vector("x86_64", sum(field << (64 * index) for index, field in enumerate(fields)))


def read(dialect: str, text: str) -> Vector | None:
    """None where the text is refused."""
    try:
        if dialect == "rig":
            return apply(text, vector(PROBED), "--ia32cap")
        return apply_dialect(dialect, text, vector(PROBED))
    except CapabilityError:
        return None


SAME = PROBED
NOTHING = (MARK, 0, 0, 0, 0)
FIRST = (P0, 0, 0, 0, 0)

# text: {reader: fields after it, or None where it is refused}
DIFFERENCES = {
    # A missing field: unchanged, but zeroed by OpenSSL.
    "~0x0": {"rig": SAME, "openssl": FIRST, "boringssl": SAME, "awslc": SAME},
    ":": {"rig": SAME, "openssl": FIRST, "boringssl": SAME, "awslc": None},
    "": {"rig": SAME, "openssl": NOTHING, "boringssl": SAME, "awslc": None},
    ":~0x20": {
        "rig": (P0, P1 & ~0x20, P2, P3, P4),
        "openssl": (P0, P1 & ~0x20, 0, 0, 0),
        "boringssl": (P0, P1 & ~0x20, P2, P3, P4),
        "awslc": (P0, P1 & ~0x20, P2, P3, P4),
    },
    ":0": {
        "rig": (P0, 0, P2, P3, P4),
        "openssl": FIRST,
        "boringssl": (P0, 0, P2, P3, P4),
        "awslc": (P0, 0, P2, P3, P4),
    },
    # All five fields present.
    "~0x0:~0x0:~0x0:~0x0:~0x0": {
        "rig": SAME,
        "openssl": SAME,
        "boringssl": SAME,  # a third field voids the second
        "awslc": SAME,
    },
    "~0x0:~0x20:~0x0:~0x0:~0x0": {
        "rig": (P0, P1 & ~0x20, P2, P3, P4),
        "openssl": (P0, P1 & ~0x20, P2, P3, P4),
        "boringssl": SAME,
        "awslc": (P0, P1 & ~0x20, P2, P3, P4),
    },
    # OpenSSL skips an empty field that is not the last, and zeroes the words of AVX10's
    # description with AVX10 itself.
    "~0x0::::~0x0": {"rig": SAME, "openssl": SAME, "boringssl": SAME, "awslc": SAME},
    "~0x0:::~0x80000:~0x0": {
        "rig": (P0, P1, P2, 0x10, P4),
        "openssl": (P0, P1, P2, 0x10, 0),
        "boringssl": SAME,
        "awslc": SAME,
    },
    # Without ~ or : at the start OpenSSL probes nothing: what is skipped or cleared was 0.
    "0x20000000400::~0x0:0x80000:0x10000": {
        "rig": (0x20000000400, P1, P2, 0x80000, 0x10000),
        "openssl": (0x20000000400, 0, 0, 0x80000, 0x10000),
        "boringssl": (0x20000000400, P1, P2, P3, P4),
        "awslc": (0x20000000400, P1, P2, P3, P4),
    },
    # '|'.
    "|0x1": {
        "rig": (P0 | 1, P1, P2, P3, P4),
        "openssl": NOTHING,
        "boringssl": (P0 | 1, P1, P2, P3, P4),
        "awslc": None,  # aborts: bit 0 was not probed
    },
    "|0x40000000": {  # "Intel", which AWS-LC lets pass
        "rig": (P0 | 1 << 30, P1, P2, P3, P4),
        "openssl": NOTHING,
        "boringssl": (P0 | 1 << 30, P1, P2, P3, P4),
        "awslc": (P0 | 1 << 30, P1, P2, P3, P4),
    },
    "|0x400": {"rig": SAME, "openssl": NOTHING, "boringssl": SAME, "awslc": SAME},
    # More than the probed bits.
    "0xffffffffffffffff": {
        "rig": (F64, P1, P2, P3, P4),
        "openssl": (F64, 0, 0, 0, 0),
        "boringssl": (F64, P1, P2, P3, P4),
        "awslc": None,
    },
    # A leading 0.
    "02000": {
        "rig": None,
        "openssl": (0o2000, 0, 0, 0, 0),
        "boringssl": (2000, P1, P2, P3, P4),
        "awslc": None,  # 2000 is beyond the probed bits
    },
    "~010": {
        "rig": None,
        "openssl": FIRST,  # clears bit 3, which was clear
        "boringssl": (P0 & ~10, P1, P2, P3, P4),
        "awslc": (P0 & ~10, P1, P2, P3, P4),
    },
    # FXSR takes CLMUL, XOP, AES and AVX with it in OpenSSL.
    "~0x1000000": {
        "rig": (P0 & ~(1 << 24), P1, P2, P3, P4),
        "openssl": (P0 & ~(1 << 24) & ~(0x12000802 << 32), 0, 0, 0, 0),
        "boringssl": (P0 & ~(1 << 24), P1, P2, P3, P4),
        "awslc": (P0 & ~(1 << 24), P1, P2, P3, P4),
    },
    # Garbage after a number: BoringSSL leaves the field out, the others read up to it.
    "~0x400zz": {
        "rig": None,
        "openssl": FIRST,  # bit 10 is set again
        "boringssl": SAME,
        "awslc": (P0 & ~0x400, P1, P2, P3, P4),
    },
    "zz": {"rig": None, "openssl": NOTHING, "boringssl": SAME, "awslc": SAME},
    "0X400": {
        "rig": None,
        "openssl": NOTHING,  # 0x400
        "boringssl": SAME,
        "awslc": (0, P1, P2, P3, P4),  # decimal 0
    },
    # Spaces and signs.
    " ~0x1": {"rig": None, "openssl": NOTHING, "boringssl": SAME, "awslc": SAME},
    "~ 0x400": {
        "rig": None,
        "openssl": FIRST,
        "boringssl": SAME,
        "awslc": SAME,  # decimal 0
    },
    "~-1": {
        "rig": None,
        "openssl": FIRST,
        "boringssl": (0, P1, P2, P3, P4),
        "awslc": (0, P1, P2, P3, P4),
    },
    # More than 64 bits: OpenSSL wraps, BoringSSL leaves out, AWS-LC clamps.
    "~0x10000000000000400": {
        "rig": None,
        "openssl": FIRST,
        "boringssl": SAME,
        "awslc": (0, P1, P2, P3, P4),
    },
    "~18446744073709551617": {
        "rig": None,
        "openssl": FIRST,
        "boringssl": SAME,
        "awslc": (0, P1, P2, P3, P4),
    },
    # No number where one is due.
    "~": {"rig": None, "openssl": FIRST, "boringssl": SAME, "awslc": None},
    "~:~0x20": {
        "rig": None,
        "openssl": (P0, P1 & ~0x20, 0, 0, 0),
        "boringssl": (P0, P1 & ~0x20, P2, P3, P4),
        "awslc": (P0, P1 & ~0x20, P2, P3, P4),
    },
    "~0x0:": {"rig": SAME, "openssl": FIRST, "boringssl": SAME, "awslc": None},
    "~0x0:0x": {"rig": None, "openssl": FIRST, "boringssl": SAME, "awslc": None},
    "~0x0::0x20": {
        "rig": (P0, P1, 0x20, P3, P4),
        "openssl": (P0, P1, 0x20, 0, 0),
        "boringssl": SAME,
        "awslc": SAME,
    },
    # A sixth field.
    "~0x0:~0x0:~0x0:~0x0:~0x0:0": {
        "rig": None,
        "openssl": SAME,
        "boringssl": SAME,
        "awslc": SAME,
    },
}
READINGS = [
    (text, reader, expected)
    for text, readers in DIFFERENCES.items()
    for reader, expected in readers.items()
]


@pytest.mark.parametrize(("text", "reader", "expected"), READINGS)
def test_reading(text, reader, expected):
    got = read(reader, text)
    assert got == (None if expected is None else vector(expected))


def test_the_table_asks_each_reader_about_each_text():
    assert all(
        list(row) == ["rig", "openssl", "boringssl", "awslc"] for row in DIFFERENCES.values()
    )


# text, {reader: OPENSSL_armcap_P after it} with 0x3d (NEON AES SHA1 SHA256 PMULL) probed
ARMCAP = [
    ("0x1", {"rig": 1, "openssl": 1, "boringssl": None, "awslc": 1}),
    ("~0x20", {"rig": 0x1D, "openssl": 0, "boringssl": None, "awslc": 0x1D}),
    ("|0x1", {"rig": 0x3D, "openssl": 0, "boringssl": None, "awslc": 0x3D}),
    ("|0x40", {"rig": 0x7D, "openssl": 0, "boringssl": None, "awslc": None}),
    ("0x7f", {"rig": 0x7F, "openssl": 0x7F, "boringssl": None, "awslc": None}),
    ("010", {"rig": None, "openssl": 8, "boringssl": None, "awslc": None}),
    ("-1", {"rig": None, "openssl": 0xFFFFFFFF, "boringssl": None, "awslc": None}),
    ("0x100000001", {"rig": None, "openssl": 1, "boringssl": None, "awslc": 1}),
    ("", {"rig": 0x3D, "openssl": 0, "boringssl": None, "awslc": None}),
]


@pytest.mark.parametrize(("text", "readers"), ARMCAP)
def test_armcap(text, readers):
    probed = Vector("aarch64", 0x3D)
    for reader, expected in readers.items():
        try:
            rig = reader == "rig"
            got = (
                apply(text, probed, "x").value if rig else apply_dialect(reader, text, probed).value
            )
        except CapabilityError:
            got = None
        assert got == expected, reader


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("|0x1", "AWS-LC aborts on '|0x1': it sets 0x1 beyond the probed 0x1200020701000400"),
        ("~0x0:", "reads '' with sscanf, which returns EOF there, and then uses an uninit"),
    ],
)
def test_what_awslc_would_not_survive(text, message):
    with pytest.raises(CapabilityError) as error:
        apply_dialect("awslc", text, vector(PROBED))
    assert message in str(error.value)


def test_what_boringssl_does_not_read():
    with pytest.raises(CapabilityError, match=r"BoringSSL does not read OPENSSL_armcap, so '~4'"):
        apply_dialect("boringssl", "~4", Vector("arm", 1))


def test_awslc_sets_anything_where_nothing_was_probed():
    assert apply_dialect("awslc", "|0x41", Vector("aarch64", 0)).value == 0x41


def test_unknown_dialect():
    with pytest.raises(CapabilityError, match="unknown dialect 'aws-lc': did you mean 'awslc'"):
        apply_dialect("aws-lc", "0", vector(PROBED))


@pytest.mark.parametrize("dialect", ["openssl", "boringssl", "awslc"])
def test_very_long_numbers(dialect):
    assert apply_dialect(dialect, "~" + "9" * 5000, vector(PROBED)).arch == "x86_64"
