"""Tasks by name: the five of the paper with the services that two of them call, and the user's own."""

import importlib
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field

from penstock.core.seen.trial import Task
from penstock.errors import ConfigError
from penstock.workloads.services.object_server import ObjectLimits, object_service
from penstock.workloads.services.table_server import table_service
from penstock.workloads.tasks.file_write import FileWrite
from penstock.workloads.tasks.object_get import ObjectGet
from penstock.workloads.tasks.pi_viete import PiViete
from penstock.workloads.tasks.table_get import TableGet
from penstock.workloads.tasks.xml_parse import XmlParse


@dataclass(frozen=True, slots=True)
class ServiceSettings:
    """The services on this machine that stand for a cloud's."""

    objects: ObjectLimits = field(default_factory=ObjectLimits)
    table_rows: int = 2_000_000
    table_service_s: float = 0.1  # how long a distant database takes to answer


@contextmanager
def task_named(name: str, services: ServiceSettings | None = None) -> Iterator[Task]:
    """The task, ready to be sent to workers, with its service running until the end of the block."""
    if ":" in name:
        yield _own(name)
    elif name not in TASKS:
        raise ConfigError("TASK", name, f"choose one of {', '.join(TASKS)}, or name your own as module:function")
    else:
        with TASKS[name](services or ServiceSettings()) as task:
            yield task


def _own(name: str) -> Task:
    """A function without arguments that makes a task, in a module here or on PYTHONPATH."""
    module, _, function = name.partition(":")
    here = os.getcwd()
    if here not in sys.path:
        sys.path.insert(0, here)
    # Spark's Python workers look there too.
    os.environ["PYTHONPATH"] = os.pathsep.join([here, *filter(None, [os.environ.get("PYTHONPATH")])])
    try:
        task: Task = getattr(importlib.import_module(module), function)()
    except (ImportError, AttributeError, TypeError) as error:
        raise ConfigError("TASK", name, f"write module:function that returns a task ({error})") from None
    if not isinstance(getattr(task, "name", None), str) or not callable(getattr(task, "open", None)):
        raise ConfigError("TASK", name, "the function must return an object with a name and open()")
    return task


@contextmanager
def _parse(services: ServiceSettings) -> Iterator[Task]:
    yield XmlParse()


@contextmanager
def _pi(services: ServiceSettings) -> Iterator[Task]:
    yield PiViete()


@contextmanager
def _file(services: ServiceSettings) -> Iterator[Task]:
    yield FileWrite()


@contextmanager
def _blob(services: ServiceSettings) -> Iterator[Task]:
    with object_service(services.objects) as service:
        yield ObjectGet(service.host, service.port)


@contextmanager
def _table(services: ServiceSettings) -> Iterator[Task]:
    with table_service(services.table_rows) as service:
        yield TableGet(service.url, service.rows, services.table_service_s)


TASKS: Mapping[str, Callable[[ServiceSettings], AbstractContextManager[Task]]] = {
    "parse": _parse,
    "pi": _pi,
    "file": _file,
    "blob": _blob,
    "table": _table,
}
