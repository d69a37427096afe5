"""The doorbell: how a commit in one process wakes the alarm of another.

Each running store binds a Unix datagram socket in the folder `<file>-bells`; whoever commits a wake sends a byte to
every socket there, after COMMIT has returned.  (Watching the log file would be wrong: when it changes, the commit
cannot be seen yet.)  A ring is only a reason to look; nothing is lost when one is missed, for the alarm looks at
least once a minute by itself.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import socket
import tempfile
from pathlib import Path

_LONGEST_ADDRESS = 100
"""Bytes that a socket's path may have everywhere, with some room."""


def bells_folder(store: str) -> Path:
    """The folder of a store's sockets: beside its file, or among temporary files where that path is too long."""
    store = os.path.realpath(store)  # whoever comes by a link finds the same folder
    beside = Path(f"{store}-bells")
    if len(os.fsencode(beside)) + 20 <= _LONGEST_ADDRESS:
        return beside
    return Path(tempfile.gettempdir()) / f"wakeful-{hashlib.sha256(os.fsencode(store)).hexdigest()[:24]}"


class Doorbell:
    """The listening end: one socket, bound while a store runs."""

    def __init__(self, store: str) -> None:
        folder = bells_folder(store)
        self.socket: socket.socket | None = None
        self._path = folder / os.urandom(6).hex()
        if not hasattr(socket, "AF_UNIX"):
            return
        bell = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        try:
            folder.mkdir(exist_ok=True)
            bell.bind(str(self._path))
        except OSError:
            # A folder that takes no socket (read-only, or a file system without them): the look a minute remains.
            bell.close()
            return
        bell.setblocking(False)
        self.socket = bell

    def close(self) -> None:
        """Take the socket away; the folder goes with the last one."""
        if self.socket is None:
            return
        self.socket.close()
        with contextlib.suppress(OSError):
            self._path.unlink()
        with contextlib.suppress(OSError):
            self._path.parent.rmdir()


def ring(store: str) -> None:
    """Wake every process that runs this store; sockets that nobody listens to any more are swept away."""
    folder = bells_folder(store)
    try:
        names = os.listdir(folder)  # noqa: PTH208 - one system call on the path of every write
    except OSError:
        return
    for name in names:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
            sender.setblocking(False)
            try:
                sender.sendto(b"!", str(folder / name))
            except ConnectionRefusedError:
                with contextlib.suppress(OSError):
                    (folder / name).unlink()
            except OSError:
                continue  # a full socket has been rung already; one that is gone has no listener
