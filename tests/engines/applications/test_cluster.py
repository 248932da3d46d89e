"""What a cluster has, and what of it applications can have."""

from dataclasses import dataclass

from penstock.engines.applications.cluster import Room, Worker


@dataclass(frozen=True)
class Watched(Worker):
    """A machine that counts how often somebody asks for its cores."""

    asked: list[int] | None = None

    def __getattribute__(self, name: str) -> object:
        if name == "free_cores":
            object.__getattribute__(self, "asked").append(1)
        return object.__getattribute__(self, name)


def test_what_lacks_memory_is_reckoned_once_for_all_applications_of_one_size() -> None:
    asked: list[int] = []
    machine = Watched("one", 8, 6, 4096, 1024, asked=asked)
    names = [f"app-{number}" for number in range(1000)]
    room = Room((machine,), executor_mib=dict.fromkeys(names, 512))
    assert room.without_memory(dict.fromkeys(names, 1)) == 4  # 6 free cores, and memory for two executors of one
    assert len(asked) == 1  # all reports wait meanwhile
