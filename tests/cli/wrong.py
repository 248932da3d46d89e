"""What a user can write wrongly into a tenants file, a row each: what is written instead, and what is told of it."""

from dataclasses import dataclass
from pathlib import Path

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
    "Latin-1": (TENANTS.replace("shop", "café").encode("latin-1"), ":1:10: .*file: b'.xe9' will not do; save"),
    "UTF-16": (TENANTS.encode("utf-16"), ":1:1: .* save the file as UTF-8; it is UTF-16"),
    "UTF-16 unmarked": (TENANTS.encode("utf-16-le"), "give a file of text in UTF-8; this one holds zero bytes"),
    "a control character": (TENANTS.replace("shop", "s\x07p").encode(), ":1:8: .* take that letter out"),
    "a tab": (TENANTS.replace("    job: checked_jobs:fraud", "\tjob: x").encode(), ":7:1: .* mend the YAML there"),
    "an open bracket": (TENANTS.replace("950}", "950").encode(), ":9:.* mend the YAML there"),
    "nothing": (b"", "write fields with their values in it"),
    "a comment": (b"# tenants come later\n", "write fields with their values in it"),
    "a list": (b"- fraud\n- visits\n", "write fields with their values in it"),
    "words": (b"just words", "write fields with their values in it"),
    "two documents": ((TENANTS + "---\nname: b\n").encode(), ":15:1: .*'---' will not do; write one document"),
    "a key twice": ((TENANTS + "name: b\n").encode(), ":15:1: name: 'name' .* stands in line 1 already"),
    "a key of a job twice": (
        TENANTS.replace("    max_slots: 4", "    max_slots: 4\n    max_slots: 3").encode(),
        ":11:5: jobs.fraud.max_slots: .* stands in line 10 already",
    ),
    "nesting": (b"a: " + b"[" * 3000, ":1:43: .*'41 levels' will not do; nest at most 40"),
    "nesting in blocks": ("".join(f"{' ' * n}a:\n" for n in range(200)).encode(), "nest at most 40"),
    "billion laughs": (
        LAUGHS.encode() + TENANTS.encode(),
        ":6:22: .*'more than 200,000 values' will not do; repeat less",
    ),
    "an anchor in itself": (b"jobs: &a [*a]\n", ":1:11: .* an anchor may not hold itself"),
    "an alias of nothing": (b"jobs: *a\n", ":1:7: .* no &a stands before it"),
    "a tag of Python": (b"jobs: !!python/object/apply:os.getcwd []\n", ":1:7: .* leave the tag out"),
    "a tag on a word": (b"name: !secret x\n", ":1:7: .* leave the tag !secret out"),
    "no such day": (TENANTS.replace("950", "2026-13-45").encode(), ":8:21: .* there is no such day or time"),
    "4,301 digits": (TENANTS.replace("950", "9" * 4301).encode(), ":8:21: .* write a smaller number"),
    "a list as a key": (b"? [a, b]\n: 1\n", ":1:3: .* write a word or a number as the key"),
    "a merged word": (b"<<: x\n", ":1:5: .* write a mapping, or a list of mappings, after <<"),
    "2 MiB": (b"#" * (2 << 20), "give a file of at most 1,024 KiB"),
}

FIELDS = [
    # fields that there are not, and where they belong
    Wrong("    max_slots: 4", "    max_slot: 4", ":10:5: jobs.fraud.max_slot: 4 will not do; there is no such field; did you mean max_slots?"),
    Wrong("latency: 2s", "latncy: 2s", ":9:14: jobs.fraud.intent.latncy: '2s' will not do; there is no such field; did you mean latency?"),
    Wrong("interval: 2s", "intervall: 2s", ":3:1: intervall: '2s' will not do; there is no such field; did you mean interval?"),
    Wrong("    max_slots: 4", "    latency: 4s", ":10:5: jobs.fraud.latency: '4s' will not do; there is no such field here; it belongs below intent"),
    Wrong("    max_slots: 4", "    window: 9s", ":10:5: jobs.fraud.window: '9s' will not do; there is no such field here; it belongs at the top"),
    Wrong("    max_slots: 4", "    restart: {max_restart: 4}", ":10:15: jobs.fraud.restart.max_restart: 4 will not do; there is no such field; did you mean max_restarts?"),
    Wrong("    max_slots: 4", "    restart: {quickly: 4}", ":10:15: jobs.fraud.restart.quickly: 4 will not do; there is no such field; write one of max_restarts, backoff, max_backoff"),
    Wrong("interval: 2s", "1: 2s\ninterval: 2s", ":3:1: 1: "),
    # fields that are needed
    Wrong("    intent: {juice: 0.9}\n", "", ":11:5: jobs.visits.intent: nothing will not do; this field is needed"),
    Wrong("  - name: visits\n    job:", "  - job:", ":11:5: jobs.1.name: nothing will not do; this field is needed"),
    Wrong("jobs:\n", "job:\n", ":5:1: job: "),
    # values of the wrong kind, or out of all proportion
    Wrong("max_slots: 4", "max_slots: 12345678901234567890123", ":10:16: jobs.fraud.max_slots: 12345678901234567890123 will not do; write 100,000 or less"),
    Wrong("max_slots: 4", "max_slots: 0", ":10:16: jobs.fraud.max_slots: 0 will not do; write 1 or more"),
    Wrong("max_slots: 4", "max_slots: four", ":10:16: jobs.fraud.max_slots: 'four' will not do; write a whole number"),
    Wrong("max_slots: 4", "max_slots: 4.5", ":10:16: jobs.fraud.max_slots: 4.5 will not do; write a whole number"),
    Wrong("max_slots: 4", "max_slots: [4]", ":10:5: jobs.fraud.max_slots: [4] will not do; write a whole number"),
    Wrong("max_slots: 4", "max_slots: 1e9", ":10:16: jobs.fraud.max_slots: '1e9' will not do; write a whole number"),
    Wrong("max_slots: 4", "min_slots: -1", ":10:16: jobs.fraud.min_slots: -1 will not do; write 0 or more"),
    Wrong("max_slots: 4", "partitions: 100000000", ":10:17: jobs.fraud.partitions: 100000000 will not do; write 100,000 or less"),
    Wrong("max_slots: 4", "max_rows_per_batch: 10000000000000000", ":10:25: jobs.fraud.max_rows_per_batch: 10000000000000000 will not do; write 1,000,000,000,000 or less"),
    Wrong("max_slots: 4", "approval: perhaps", ":10:15: jobs.fraud.approval: 'perhaps' will not do; write true or false"),
    Wrong("max_slots: 4", "restart: often", ":10:14: jobs.fraud.restart: 'often' will not do; write fields with their values"),
    Wrong("max_slots: 4", "restart: {backoff: soon}", ":10:24: jobs.fraud.restart.backoff: 'soon' will not do; write a number of seconds"),
    Wrong("max_slots: 4", "trigger: 2 weeks", ":10:14: jobs.fraud.trigger: '2 weeks' will not do; write a number of seconds"),
    Wrong("interval: 2s", "interval: 0", ":3:11: interval: 0 will not do; it must be above zero"),
    Wrong("interval: 2s", "interval: 2026-01-02", ":3:11: interval: "),
    Wrong("interval: 2s", "interval: 1.0e+40", ":3:11: interval: 1e+40 will not do; write 100 years or less"),
    Wrong("interval: 2s", "interval: .inf", ":3:11: interval: inf will not do; write a number of seconds"),
    Wrong("interval: 2s", "interval:", ":3:10: interval: None will not do"),
    Wrong("params: {limit: 950}", "params: [950]", ":8:5: jobs.fraud.params: [950] will not do; write fields with their values"),
    Wrong("params: {limit: 950}", "params: {1: 950}", ":8:14: jobs.fraud.params.1: "),
    Wrong("master: local[4]", "master: [local]", ":2:1: master: ['local'] will not do; write a word"),
    Wrong("master: local[4]", "conf: {spark.ui.enabled: [yes]}", ":2:8: conf.spark.ui.enabled: [True] will not do; write a word"),
    Wrong("master: local[4]", "executor_memory: lots", ":2:18: executor_memory: 'lots' will not do; write a size such as 512m or 2g"),
    Wrong("master: local[4]", "checkpoints: 5", ":2:14: checkpoints: 5 will not do; write a word"),
    Wrong("master: local[4]", "routing: maybe", ":2:10: routing: 'maybe' will not do; write 'off', 'advise' or 'act'"),
    Wrong("name: shop", "name: my shop", ":1:7: name: 'my shop' will not do; write letters, digits, dots, _ and - only"),
    Wrong("name: shop", "name: 5", ":1:7: name: 5 will not do; write letters, digits"),
    # intents
    Wrong("latency: 2s", "latency: soon", ":9:23: jobs.fraud.intent.latency: 'soon' will not do; write a number of seconds"),
    Wrong("latency: 2s", "latency: -2", ":9:23: jobs.fraud.intent.latency: -2 will not do; write a number of seconds"),
    Wrong("latency: 2s,", "latency: 2s, percentile: 120,", ":9:39: jobs.fraud.intent.percentile: 120 will not do; write a number between 0 and 100"),
    Wrong("utility: 40", "utility: -1", ":9:36: jobs.fraud.intent.utility: -1 will not do; write a number above zero"),
    Wrong("utility: 40", "shape: bell", ":9:34: jobs.fraud.intent.shape: 'bell' will not do; choose one of knee"),
    Wrong("utility: 40", "shape: linear, zero_at: 1s", ":9:51: jobs.fraud.intent.zero_at: '1s' will not do; write a time above the target 2s"),
    Wrong("{latency: 2s, utility: 40}", "{}", ":9:5: jobs.fraud.intent: 'nothing' will not do; state at least one of latency"),
    Wrong("{latency: 2s, utility: 40}", "[]", ":9:5: jobs.fraud.intent: 'nothing' will not do; state at least one of latency"),
    Wrong("{latency: 2s, utility: 40}", "fast", ":9:13: jobs.fraud.intent: 'fast' will not do; write fields with their values"),
    Wrong("{juice: 0.9}", "{juice: 90}", ":14:21: jobs.visits.intent.juice: 90 will not do; write the share of the input"),
    Wrong("{juice: 0.9}", "[{juice: 0.9}, {juice: 0.8}]", ":14:5: jobs.visits.intent: .* state juice and recovery once each"),
    # what does not go together
    Wrong("window: 20s", "window: 1s", ":4:9: window: '1s' will not do; write 2s or more: the interval is 2s"),
    Wrong("interval: 2s\nwindow: 20s", "interval: 2m", ":3:11: interval: '2m' will not do; write a window too, of 2m or more"),
    Wrong("max_slots: 4", "max_slots: 4\n    slots: 9", ":11:12: jobs.fraud.slots: 9 will not do; write a number between min_slots and max_slots"),
    Wrong("max_slots: 4", "max_slots: 2\n    min_slots: 3", ":10:16: jobs.fraud.max_slots: 2 will not do; write at least 3"),
    Wrong("max_slots: 4", "min_slots: 5", ":10:16: jobs.fraud.min_slots: 5 will not do; promise less: min_slots come to 5 in all, and local[4] has 4 slots"),
    Wrong("max_slots: 4", "trigger: 10s", ":9:23: jobs.fraud.intent.latency: '2s' will not do; write more than 5s, or a shorter trigger"),
    Wrong("latency: 2s", "latency: 2s, recovery: 500ms", ":9:37: jobs.fraud.intent.recovery: '500ms' will not do; write more than 1s"),
    Wrong("max_slots: 4", "real_time_tasks: 4", ":10:22: jobs.fraud.real_time_tasks: 4 will not do; write real_time too"),
    Wrong("max_slots: 4", "real_time: 5m\n    trigger: 1s", ":11:14: jobs.fraud.trigger: '1s' will not do; leave it out"),
    Wrong("name: visits", "name: fraud", ":11:11: jobs.1.name: 'fraud' will not do; give each job a name of its own"),
    Wrong("window: 20s", "window: 20s\nexecutors: 4", ":5:12: executors: 4 will not do; leave it out at master local[4]: it has no executors"),
    Wrong("master: local[4]", "master: locl[4]", ":2:9: master: 'locl[4]' will not do; write local[4], spark://"),
    Wrong("master: local[4]", "master: local[four]", ":2:9: master: 'local[four]' will not do; write local[4], spark://"),
    Wrong("window: 20s", "window: 20s\nprofiles: {fruad: a.csv}", ":5:12: profiles.fruad: 'fruad' will not do; name a job: fraud, visits; did you mean fraud?"),
    # policies and their settings
    Wrong("window: 20s", "window: 20s\npolicy: hengge", ":5:9: policy: 'hengge' will not do; choose one of .*; did you mean henge?"),
    Wrong("window: 20s", "window: 20s\nsettings: {henge: {reductoin: .5}}", ":5:20: settings.henge.reductoin: 0.5 will not do; there is no such setting; did you mean reduction?"),
    Wrong("window: 20s", "window: 20s\nsettings: {henge: {reduction: 2}}", ":5:31: settings.henge.reduction: 2.* will not do; write a share between 0 and 1"),
    Wrong("window: 20s", "window: 20s\nsettings: {henge: {reduction: half}}", ":5:31: settings.henge.reduction: 'half' will not do; write a number"),
    Wrong("window: 20s", "window: 20s\nsettings: {henge: {quiet_rounds: 1.5}}", ":5:34: settings.henge.quiet_rounds: 1.5 will not do; write a whole number"),
    Wrong("window: 20s", "window: 20s\nsettings: {penstock: {henge: 3}}", ":5:30: settings.penstock.henge: 3 will not do; write its settings with their values"),
    Wrong("window: 20s", "window: 20s\nsettings: {penstock: {henge: {blocklist: 3}}}", ":5:31: settings.penstock.henge.blocklist: 3 will not do; there is no such setting; did you mean blocklist_s?"),
    Wrong("window: 20s", "window: 20s\nsettings: {penstok: {}}", ":5:12: settings.penstok: 'penstok' will not do; choose one of .*; did you mean penstock?"),
    Wrong("window: 20s", "window: 20s\nsettings: {fair: {eagerness: 1}}", ":5:30: settings.fair.eagerness: 1 will not do; leave it out: there are none"),
    Wrong("window: 20s", "window: 20s\nsettings: {henge: [1]}", ":5:12: settings.henge: [1] will not do; write fields with their values"),
    # modules, functions and their parameters
    Wrong("checked_jobs:fraud", "chequed_jobs:fraud", ":7:10: jobs.fraud.job: 'chequed_jobs:fraud' will not do; the module cannot be imported: .*; did you mean checked_jobs?"),
    Wrong("checked_jobs:fraud", "checked_jobs:frad", ":7:10: jobs.fraud.job: 'checked_jobs:frad' will not do; module checked_jobs has nothing named frad; did you mean fraud?"),
    Wrong("checked_jobs:fraud", "checked_jobs.fraud", ":7:10: jobs.fraud.job: 'checked_jobs.fraud' will not do; write module:name, such as shop.jobs:fraud"),
    Wrong("checked_jobs:fraud", "checked_jobs:ROUTE", ":7:10: jobs.fraud.job: 'checked_jobs:ROUTE' will not do; name a function"),
    Wrong("checked_jobs:fraud\n    params: {limit: 950}", "checked_jobs:alone", ":7:10: jobs.fraud.job: 'checked_jobs:alone' will not do; let the function take the SparkSession first"),
    Wrong("limit: 950", "limmit: 950", ":8:14: jobs.fraud.params.limmit: 950 will not do; checked_jobs:fraud has no such parameter; did you mean limit?"),
    Wrong("limit: 950", "spark: 950", ":8:14: jobs.fraud.params.spark: 950 will not do; checked_jobs:fraud has no such parameter; it takes limit"),
    Wrong("    params: {topic: clicks}\n", "", ":11:5: jobs.visits.params.topic: nothing will not do; checked_jobs:visits needs this parameter"),
    # files beside it
    Wrong("window: 20s", "window: 20s\nprofiles: {fraud: none.csv}", ":5:19: profiles.fraud: .*none.csv' will not do; give a file that can be read"),
    Wrong("window: 20s", "window: 20s\nmodels: {fraud: none.yaml}", ":5:17: models.fraud: 'none.yaml' will not do; give a file, or one that ships"),
    Wrong("window: 20s", "window: 20s\nmodels: {fraud: {plan: linear, rate: -1}}", ":5:38: models.fraud.rate: -1 will not do; write a number above 0"),
    Wrong("window: 20s", "window: 20s\nmodels: {fraud: {paln: linear}}", ":5:18: models.fraud.paln: 'linear' will not do; there is no such field; did you mean plan?"),
]  # fmt: skip
