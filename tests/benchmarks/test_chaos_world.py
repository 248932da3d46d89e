"""The nemesis finds whom it strikes among processes that come and go."""

import os
import subprocess
import sys

from chaos_world import jvms


def test_a_process_that_ended_between_two_looks_is_no_jvm() -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    assert jvms([ended.pid, os.getpid()]) == []
