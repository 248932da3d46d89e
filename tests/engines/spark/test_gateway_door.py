"""A JVM that had no descriptor left for a moment takes new connections again."""

import subprocess
import sys

import pytest

from tests.cli.calling import environment
from tests.patience import patience_s

pytestmark = pytest.mark.jvm

# Its JVM has no descriptor for one connection; a thread that asks it afterwards has none yet.
RUNS_OUT = """
import os, resource, socket, threading
from penstock.engines.spark.jvm import gateway_door
from penstock.engines.spark.jvm.process import end_jvm, jvm_with
gateway = jvm_with({})
jvm, where = gateway.proc.pid, gateway.gateway_parameters
ask = gateway.jvm.java.lang.System.nanoTime
ask()
before = resource.prlimit(jvm, resource.RLIMIT_NOFILE)
taken = {int(name) for name in os.listdir(f"/proc/{jvm}/fd")}
lowest = next(number for number in range(len(taken) + 1) if number not in taken)
resource.prlimit(jvm, resource.RLIMIT_NOFILE, (lowest, before[1]))
socket.create_connection((where.address, where.port)).close()
while gateway_door._opens(where):
    pass
resource.prlimit(jvm, resource.RLIMIT_NOFILE, before)
thread = threading.Thread(target=ask, daemon=True)
thread.start()
print(gateway_door._opens(where), flush=True)
gateway_door.check_door(gateway)
thread.join()
print(gateway_door._opens(where), flush=True)
end_jvm()
"""


def test_a_jvm_that_had_no_descriptor_left_answers_threads_that_ask_it_for_the_first_time() -> None:
    script = [sys.executable, "-c", RUNS_OUT]
    done = subprocess.run(script, env=environment(), capture_output=True, text=True, timeout=patience_s(), check=False)
    assert done.stdout.splitlines() == ["False", "True"], done.stderr
