"""The nemesis's re-routings: each table is decided on once, and which one is in force is read from book and commits."""

import os
import subprocess
import sys
from pathlib import Path

from chaos_routes import NAME, PARTITIONS, WithTables, ask_table, asked_tables, in_force, install, table

import penstock as ps
from penstock.core.levers import Table
from penstock.engines.spark.jvm.local_files import LocalFiles
from penstock.engines.spark.routing.book import Change, RouteBook
from tests import builders


def tables(plan: ps.Plan) -> list[tuple[str, ps.RoutingTable]]:
    moves = [move for decision in plan.decisions for move in decision.moves]
    return [(move.job, move.after) for move in moves if isinstance(move, Table)]


def test_each_table_that_is_asked_for_is_decided_on_once_and_only_of_a_tenant_that_is_there(tmp_path: Path) -> None:
    policy, view = WithTables(tmp_path), builders.view(0.0, [builders.job("routed", 10.0)])
    plan, memory = policy.decide(view, policy.start())
    assert tables(plan) == []
    assert (ask_table(tmp_path, "routed"), ask_table(tmp_path, "routed2"), ask_table(tmp_path, "routed")) == (1, 1, 2)
    assert asked_tables(tmp_path) == {"routed": 2, "routed2": 1}
    plan, memory = policy.decide(view, memory)
    assert tables(plan) == [("routed", table(2))]
    plan, memory = policy.decide(view, memory)
    assert tables(plan) == []


def commit(checkpoint: Path, batch: int) -> None:
    (checkpoint / "commits").mkdir(parents=True, exist_ok=True)
    (checkpoint / "commits" / str(batch)).touch()


def test_the_table_in_force_is_the_newest_whose_batch_is_committed_and_that_was_not_withdrawn(tmp_path: Path) -> None:
    book = RouteBook(LocalFiles(tmp_path / "routing"))
    book.open({"left": ("key",)}, PARTITIONS)
    assert in_force(tmp_path, 0) == 0
    book.record(Change(1, book.add(table(1)), batch=7))
    commit(tmp_path, 6)
    assert in_force(tmp_path, 1) == 0
    commit(tmp_path, 7)
    assert in_force(tmp_path, 1) == 1
    change = Change(2, book.add(table(2)), batch=8)
    book.record(change)
    book.withdraw(change)
    commit(tmp_path, 8)
    assert in_force(tmp_path, 2) == 1
    book.record(Change(4, book.add(table(9)), batch=9))
    commit(tmp_path, 9)
    assert in_force(tmp_path, 2) is None  # nobody asked for that one


def test_who_has_its_folder_on_the_path_finds_the_policy_as_one_of_a_package(tmp_path: Path) -> None:
    install(tmp_path)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])}
    asks = f"import penstock as ps; print(ps.policies()[{NAME!r}].make(None).place)"
    done = subprocess.run([sys.executable, "-c", asks], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(tmp_path)
