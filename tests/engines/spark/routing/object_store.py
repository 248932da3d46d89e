"""An object store as far as a checkpoint's files go: whole objects under names, no directories, no renames."""


class StoredFiles:
    """The objects whose names begin so."""

    def __init__(self, prefix: str, objects: dict[str, bytes] | None = None) -> None:
        self.location = prefix
        self._objects: dict[str, bytes] = {} if objects is None else objects

    def below(self, directory: str) -> "StoredFiles":
        return StoredFiles(f"{self.location}/{directory}", self._objects)

    def exists(self, name: str) -> bool:
        return self._key(name) in self._objects or bool(self.tree(name))

    def names(self, directory: str) -> list[str]:
        begin = len(directory) + 1
        return sorted({name[begin:].split("/")[0] for name in self.tree(directory)})

    def tree(self, directory: str) -> list[str]:
        begin = len(self.location) + 1
        return sorted(key[begin:] for key in self._objects if key.startswith(f"{self._key(directory)}/"))

    def read(self, name: str) -> str:
        return self.load(name).decode("utf-8")

    def load(self, name: str) -> bytes:
        return self._objects[self._key(name)]

    def write(self, name: str, content: str | bytes) -> None:
        self._objects[self._key(name)] = content.encode("utf-8") if isinstance(content, str) else content

    def create(self, name: str, content: str | bytes) -> bool:
        if self._key(name) in self._objects:
            return False
        self.write(name, content)
        return True

    def remove(self, name: str) -> None:
        self._objects.pop(self._key(name), None)

    def _key(self, name: str) -> str:
        return f"{self.location}/{name}"
