"""Files that wait beyond the last batch of a file source, as rows."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class WaitingFiles:
    """Files listed and not taken, and how many a full batch takes."""

    files: int
    files_per_batch: int

    def rows(self, rows_of_last_batch: float) -> float:
        """About as many rows as the last batch had in as many files.

        >>> WaitingFiles(files=10, files_per_batch=2).rows(300.0)
        1500.0
        """
        return self.files * rows_of_last_batch / self.files_per_batch
