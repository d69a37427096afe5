"""The connection of one call over HTTP, held where another thread can cut it."""

from __future__ import annotations

import socket
import threading
from typing import Any


class Line:
    """The connection of one call, which another thread may cut when the time is up."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._socket: socket.socket | None = None
        self._cut = False

    def trace(self, event: str, info: dict[str, Any]) -> None:
        """What httpx tells of its doings: the connection is taken from it as soon as there is one."""
        if event in ("connection.connect_tcp.complete", "connection.start_tls.complete"):
            found = info["return_value"].get_extra_info("socket")
            with self._lock:
                self._socket = found
                if self._cut:
                    self._shut()

    def cut(self) -> None:
        """End the call, wherever it stands."""
        with self._lock:
            self._cut = True
            self._shut()

    def _shut(self) -> None:
        if self._socket is not None:
            try:
                self._socket.shutdown(socket.SHUT_RDWR)
            except OSError:
                return  # it has ended by itself
