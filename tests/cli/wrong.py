"""What a user can write wrongly into a tenants file, a row each: what is written instead, and what is told of it."""

from dataclasses import dataclass
from pathlib import Path

import yaml

JOBS = """
ROUTE = "a route that is none"


def fraud(spark, limit=1):
    raise AssertionError("nobody calls it")


def visits(spark, topic, *, every="5s"):
    raise AssertionError("nobody calls it")


def alone():
    raise AssertionError("nobody calls it")
"""
TENANTS = """\
name: shop
master: local[4]
interval: 2s
window: 20s
jobs:
  - name: fraud
    job: checked_jobs:fraud
    params: {limit: 950}
    intent: {latency: 2s, utility: 40}
    max_slots: 4
  - name: visits
    job: checked_jobs:visits
    params: {topic: clicks}
    intent: {juice: 0.9}
"""


@dataclass(frozen=True, slots=True)
class Wrong:
    """The right file with `old` replaced by `new`; `told` are the lines, without the file's name before them."""

    old: str
    new: str
    told: str


def folder_with(folder: Path, text: str | bytes, name: str = "tenants.yaml") -> Path:
    """A tenants file with that text, beside the module of its jobs."""
    (folder / "checked_jobs.py").write_text(JOBS, encoding="utf-8")
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


LAUGHS = "x-a: &a [lol, lol, lol, lol, lol, lol, lol, lol, lol]\n" + "".join(
    f"x-{one}: &{one} [{', '.join([f'*{before}'] * 9)}]\n" for before, one in zip("abcdefgh", "bcdefghi", strict=True)
)

# Of the text itself: what no list of fields can say.
BYTES: dict[str, tuple[bytes, str]] = {
    "Latin-1": (TENANTS.replace("shop", "café").encode("latin-1"), ":1:10: .*file: b'.xe9' cannot be used; save"),
    "UTF-16": (TENANTS.encode("utf-16"), ":1:1: .* save the file as UTF-8; it is UTF-16"),
    "UTF-16 unmarked": (TENANTS.encode("utf-16-le"), "give a file of text in UTF-8; this one holds zero bytes"),
    "a control character": (TENANTS.replace("shop", "s\x07p").encode(), ":1:8: .* take that letter out"),
    "a tab": (TENANTS.replace("    job: checked_jobs:fraud", "\tjob: x").encode(), ":7:1: .* fix the YAML there"),
    "an open bracket": (TENANTS.replace("950}", "950").encode(), ":9:.* fix the YAML there"),
    "nothing": (b"", "write fields with their values in it"),
    "a comment": (b"# tenants come later\n", "write fields with their values in it"),
    "a list": (b"- fraud\n- visits\n", "write fields with their values in it"),
    "words": (b"just words", "write fields with their values in it"),
    "two documents": ((TENANTS + "---\nname: b\n").encode(), ":15:1: .*'---' cannot be used; write one document"),
    "a key twice": ((TENANTS + "name: b\n").encode(), ":15:1: name: 'name' .* is already in line 1"),
    "a key of a job twice": (
        TENANTS.replace("    max_slots: 4", "    max_slots: 4\n    max_slots: 3").encode(),
        ":11:5: jobs.fraud.max_slots: .* is already in line 10",
    ),
    "nesting": (b"a: " + b"[" * 3000, ":1:43: .*'41 levels' cannot be used; nest at most 40"),
    "nesting in blocks": ("".join(f"{' ' * n}a:\n" for n in range(200)).encode(), "nest at most 40"),
    "billion laughs": (
        LAUGHS.encode() + TENANTS.encode(),
        ":6:22: .*'more than 200,000 values' cannot be used; repeat less",
    ),
    "an anchor in itself": (b"jobs: &a [*a]\n", ":1:11: .* an anchor may not hold itself"),
    "an alias of nothing": (b"jobs: *a\n", ":1:7: .* no &a stands before it"),
    "a tag of Python": (b"jobs: !!python/object/apply:os.getcwd []\n", ":1:7: .* leave the tag out"),
    "a tag on a word": (b"name: !secret x\n", ":1:7: .* leave the tag !secret out"),
    "no such day": (TENANTS.replace("950", "2026-13-45").encode(), ":8:21: .* there is no such day or time"),
    "4,301 digits": (TENANTS.replace("950", "9" * 4301).encode(), ":8:21: .* write a smaller number"),
    "a number that takes an hour to read": (
        TENANTS.replace("950", "1:" * 100_000 + "1").encode(),
        ":8:21: .* write a smaller number",
    ),
    "a list as a key": (b"? [a, b]\n: 1\n", ":1:3: .* write a word or a number as the key"),
    "a merged word": (b"<<: x\n", ":1:5: .* write a mapping, or a list of mappings, after <<"),
    "2 MiB": (b"#" * (2 << 20), "give a file of at most 1,024 KiB"),
}

FIELDS = [
    Wrong(**row)
    for rows in yaml.safe_load(Path(__file__).with_name("wrong_tenants.yaml").read_text(encoding="utf-8")).values()
    for row in rows
]
