"""Where nothing can listen, the option is named that is wrong."""

import errno
import os
import socket

import pytest

from penstock.web.listening import refused

TAKEN = OSError(errno.EADDRINUSE, os.strerror(errno.EADDRINUSE))
NOT_OURS = OSError(errno.EADDRNOTAVAIL, os.strerror(errno.EADDRNOTAVAIL))
UNKNOWN = socket.gaierror(socket.EAI_NONAME, "Name or service not known")


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (TAKEN, "--port: 'here:7474' cannot be used; it cannot be listened on (Address already in use); give another"),
        (NOT_OURS, "--host: 'here' cannot be used; write a name or an address of this machine"),
        (UNKNOWN, "--host: 'here' cannot be used; write a name or an address of this machine"),
    ],
)
def test_the_address_is_blamed_where_it_is_none_of_this_machine_and_else_the_port(error: OSError, says: str) -> None:
    assert says in str(refused(error, "here", 7474, "--host", "--port"))
