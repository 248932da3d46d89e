"""Why a door cannot be opened, in words: the address may be wrong, or the port taken."""

import errno
import socket

from penstock.errors import ConfigError


def refused(error: OSError, host: str, port: int, host_option: str, port_option: str) -> ConfigError:
    """What to say where nothing can listen at this host and port."""
    if isinstance(error, socket.gaierror) or error.errno == errno.EADDRNOTAVAIL:
        remedy = f"write a name or an address of this machine, such as 0.0.0.0 ({error.strerror})"
        return ConfigError(host_option, host, remedy)
    remedy = f"it cannot be listened on ({error.strerror}); give another with {port_option}, 0 for any"
    return ConfigError(port_option, f"{host}:{port}", remedy)
