"""A door is opened, or it is said why it cannot be: the address may be wrong, or the port taken."""

import errno
import socket

from penstock.errors import ConfigError


def family_of(host: str) -> socket.AddressFamily:
    """Of the addresses that it has."""
    return socket.AF_INET6 if ":" in host else socket.AF_INET


def listen(door: socket.socket, host: str, port: int, host_option: str, port_option: str) -> None:
    """Who comes from now on waits, instead of being refused; a door that cannot be opened is closed for good."""
    door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        door.bind((host, port))
        door.listen()
    except OSError as error:
        door.close()
        raise refused(error, host, port, host_option, port_option) from None


def refused(error: OSError, host: str, port: int, host_option: str, port_option: str) -> ConfigError:
    """What to say where nothing can listen at this host and port."""
    if isinstance(error, socket.gaierror) or error.errno == errno.EADDRNOTAVAIL:
        remedy = f"write a name or an address of this machine, such as 0.0.0.0 ({error.strerror})"
        return ConfigError(host_option, host, remedy)
    remedy = f"it cannot be listened on ({error.strerror}); give another with {port_option}, 0 for any"
    return ConfigError(port_option, f"{host}:{port}", remedy)
