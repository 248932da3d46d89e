"""The JVM of a process: it takes connections again after a want of descriptors, and no start of it is left behind."""

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

# Ctrl-C comes as soon as there is a process for the JVM, which needs a second or more until it tells its port.
BROKEN_OFF = """
import os, signal, threading, time
from penstock.engines.spark.jvm.process import jvm_with
from penstock.local.processes import children
def break_off():
    while not children(os.getpid()):
        time.sleep(0.001)
    os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=break_off, daemon=True).start()
try:
    jvm_with({})
except KeyboardInterrupt:
    print("left:", len(children(os.getpid())), flush=True)
"""


def test_ctrl_c_while_a_jvm_starts_leaves_none_behind() -> None:
    script = [sys.executable, "-c", BROKEN_OFF]
    done = subprocess.run(script, env=environment(), capture_output=True, text=True, timeout=patience_s(), check=False)
    assert done.stdout.splitlines() == ["left: 0"], done.stderr


def test_a_jvm_that_had_no_descriptor_left_answers_threads_that_ask_it_for_the_first_time() -> None:
    script = [sys.executable, "-c", RUNS_OUT]
    done = subprocess.run(script, env=environment(), capture_output=True, text=True, timeout=patience_s(), check=False)
    assert done.stdout.splitlines() == ["False", "True"], done.stderr
