"""What governing adds to a driver is told as differences of pairs, whatever a driver holds by itself."""

from footprint import Held, told


def test_the_median_of_the_differences_and_their_range_are_told() -> None:
    alone = Held(python_mib=60.0, heap_mib=80.0, beside_heap_mib=150.0, python_threads=4, jvm_threads=90)
    more = [Held(60.0 + mib, 82.0, 151.0, 9, 92) for mib in (40.0, 44.0, 50.0)]
    lines = told([(governed, alone) for governed in more]).splitlines()
    assert lines[2] == "| all memory, MiB | 47 | 43 to 53 | 290 |"  # 44 + 2 + 1
    assert lines[3] == "| Python, MiB | 44 | 40 to 50 | 60 |"
    assert lines[-1] == "| threads of the JVM | 2 | 2 to 2 | 90 |"
