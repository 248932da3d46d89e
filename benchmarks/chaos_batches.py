"""What the tenants' checkpoints tell of their batches, whoever governs: when the newest began, and when it was done."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from chaos_history import Batch


@dataclass(slots=True)
class Batches:
    """Looks now and then; a batch that came and went between two looks is not missed by anybody."""

    checkpoints: Path
    tenants: Sequence[str]
    seen: list[Batch] = field(default_factory=list)

    def look(self) -> None:
        """Note each tenant's newest batch that was committed."""
        for tenant in self.tenants:
            try:
                found = _newest(self.checkpoints / tenant, tenant)
            except (OSError, ValueError):  # it is what the nemesis has struck
                continue
            if found not in self.seen[-2 * len(self.tenants) :]:
                self.seen.append(found)


def _newest(checkpoint: Path, tenant: str) -> Batch:
    number = max(int(entry.name) for entry in (checkpoint / "commits").iterdir() if entry.name.isdigit())
    begun_s, done_s = ((checkpoint / log / str(number)).stat().st_mtime for log in ("offsets", "commits"))
    return Batch(tenant, begun_s, done_s)
