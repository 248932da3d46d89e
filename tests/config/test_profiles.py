"""Profiles as files."""

from pathlib import Path

import pytest

from penstock.config.profiles import read_profile, write_profile
from penstock.core.seen.evidence import Observation
from penstock.errors import ConfigError


def test_what_was_written_is_read(tmp_path: Path) -> None:
    evidence = (Observation(2, 100.0, 1.5), Observation(2, 250.5, None, saturated=True))
    write_profile(tmp_path / "p.csv", evidence)
    assert read_profile(tmp_path / "p.csv") == evidence


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "it needs rows"),
        ("a,b\n1,2\n", "a header with scaleout"),
        ("scaleout,rate_rps,latency_s,saturated\nx,1,1,0\n", "row 2"),
        ("scaleout,rate_rps,latency_s,saturated\n0,1,1,0\n", "scaleout: 0 cannot be used"),
        (
            "scaleout,rate_rps,latency_s,saturated\n100001,1,1,0\n",
            "scaleout: 100001 cannot be used; write 100,000 or less",
        ),
        ("scaleout,rate_rps,latency_s,saturated\n2,1e308,1,0\n", "write rates and latencies up to 1e+18"),
        ("scaleout,rate_rps,latency_s,saturated\n2,1,1e308,0\n", "write rates and latencies up to 1e+18"),
        ("scaleout,rate_rps,latency_s,saturated\n2,1,1,7\n", "saturated: '7' cannot be used; write 0, or 1"),
        ("scaleout,scaleout,rate_rps,latency_s,saturated\n2,3,1,1,0\n", "twice there: scaleout"),
        ("scaleout,rate_rps,latency_s,saturated\n" + "2,1,1,0\n" * 100_000, "give at most 100,000 lines"),
    ],
)
def test_a_file_that_is_none_is_refused(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "p.csv").write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        read_profile(tmp_path / "p.csv")
    assert message in str(caught.value)


def test_a_file_that_is_missing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="can be read"):
        read_profile(tmp_path / "none.csv")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("scaleout,rate_rps,latency_s,saturated\n2,café,1,0\n".encode("latin-1"), r":2:6: .* save the file as UTF-8"),
        (b"scaleout,rate_rps,latency_s,saturated\n2," + b"9" * 200_000 + b",1,0\n", "field larger than field limit"),
        (b"scaleout,rate_rps,latency_s,saturated\n" + b"9" * 5000 + b",1,1,0\n", "row 2"),
        (b"scaleout,rate_rps,latency_s,saturated\n2,1e999,1,0\n", "rate_rps"),
        (b"scaleout\x00,rate_rps,latency_s,saturated\n", "zero bytes"),
    ],
)
def test_bytes_that_are_no_text_or_no_numbers_are_refused(tmp_path: Path, data: bytes, message: str) -> None:
    (tmp_path / "p.csv").write_bytes(data)
    with pytest.raises(ConfigError, match=message):
        read_profile(tmp_path / "p.csv")


def test_a_byte_order_mark_does_no_harm(tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_bytes(b"\xef\xbb\xbfscaleout,rate_rps,latency_s,saturated\n2,100,1,0\n")
    assert read_profile(tmp_path / "p.csv") == (Observation(2, 100.0, 1.0),)
