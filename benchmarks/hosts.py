"""How much really goes through the link between two hosts of `penstock cluster up --hosts`: one TCP stream.

    sudo python benchmarks/hosts.py --bandwidth 100mbit,1gbit --seconds 5

Writes a Markdown table, and the machine that it comes from. Needs root and iproute2, no Spark.
"""

import argparse
import os
import platform
import statistics
import subprocess
import sys
import time

from penstock.local.spark import hosts
from penstock.local.spark.hosts import Host, Net

TAKE = """
import socket, sys, time
server = socket.create_server((sys.argv[1], 7000))
print("up", flush=True)
taken, _ = server.accept()
began, got = time.monotonic(), 0
while part := taken.recv(1 << 20):
    got += len(part)
print(got * 8 / (time.monotonic() - began))
"""
SEND = """
import socket, sys, time
sent, until = socket.create_connection((sys.argv[1], 7000)), time.monotonic() + float(sys.argv[2])
while time.monotonic() < until:
    sent.sendall(bytes(1 << 16))
"""


def measured_bits_per_s(net: Net, seconds: float) -> float:
    """What the second host received from the first, in bits a second."""
    sender, taker = net.hosts
    with _python(taker, TAKE, taker.address) as taking:
        assert taking.stdout is not None
        taking.stdout.readline()
        with _python(sender, SEND, taker.address, str(seconds)) as sending:
            sending.wait()
        return float(taking.stdout.readline())


def _python(host: Host, code: str, *arguments: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(host.inside([sys.executable, "-c", code, *arguments]), stdout=subprocess.PIPE, text=True)


def _row(bandwidth: str, runs: int, seconds: float) -> str:
    net = hosts.planned(2, bandwidth)
    try:
        hosts.make(net)
        found = [measured_bits_per_s(net, seconds) / 1e6 for _ in range(runs)]
    finally:
        hosts.remove(net)
    return f"| {bandwidth} | {statistics.median(found):.1f} | {min(found):.1f}-{max(found):.1f} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--bandwidth", default="10mbit,100mbit,1gbit")
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    machine = f"{os.cpu_count()} cores, {platform.machine()}, Linux {platform.release()}"
    print(f"Two hosts, {time.strftime('%Y-%m-%d')}, {machine}, {options.runs} runs of {options.seconds:g} s.\n")
    print("| link | Mbit/s through TCP, median | spread |")
    print("|---|---|---|", flush=True)
    for bandwidth in options.bandwidth.split(","):
        print(_row(bandwidth, options.runs, options.seconds), flush=True)


if __name__ == "__main__":
    main()
