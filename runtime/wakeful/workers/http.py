"""Calling an app over HTTP: one POST a call, within its time, trusting nothing that comes back."""

from __future__ import annotations

import json
import re
import threading
import time
from datetime import datetime
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

from wakeful_compiler.instants import format_instant

from ..errors import StoreError
from .answers import ANSWER_LIMIT, Failed, late, read_answer, too_large
from .claims import Claim
from .line import Line
from .signature import AT_HEADER, CALL_HEADER, SIGNATURE_HEADER, SOURCE_HEADER, Secrets, secrets_of, sign

if TYPE_CHECKING:
    import httpx

_VISIBLE = "".join(map(chr, range(0x21, 0x7F))).replace("%", "")
_SHOWN = 200


class HttpWorkers:
    """The app behind one base URL.  Raises StoreError for what is no such URL, and where httpx is missing."""

    def __init__(self, base: str, secret: Secrets | None) -> None:
        self.base = _checked(base)
        self._secrets = None if secret is None else secrets_of(secret)
        self._lock = threading.Lock()
        self._client: httpx.Client | None = None
        if find_spec("httpx") is None:
            raise StoreError("calling workers over HTTP needs httpx: pip install 'wakeful[workers]'")

    def call(self, claim: Claim, seconds: float, now: datetime, line: Line) -> dict[str, Any] | None:
        """Make a call; the value of its result.  Raises :class:`~.answers.Failed`."""
        import httpx

        url = self.base + claim.command.template
        body = json.dumps(claim.args, ensure_ascii=False, separators=(",", ":")).encode()
        deadline = time.monotonic() + seconds
        try:
            with self._open().stream(
                "POST", url, content=body, headers=self._headers(claim, body, now), timeout=seconds,
                extensions={"trace": line.trace},
            ) as response:  # fmt: skip
                content = _read(response, deadline, seconds)
        except httpx.TimeoutException:
            raise late(seconds) from None
        except httpx.TransportError as error:
            if time.monotonic() >= deadline:
                raise late(seconds) from None
            raise Failed(f"{url}: {_plain(error)}") from None
        return read_answer(content, response.headers.get("content-type", ""))

    def _headers(self, claim: Claim, body: bytes, now: datetime) -> dict[str, str]:
        headers = {
            "accept": "application/json",
            "accept-encoding": "identity",
            "content-type": "application/json",
            "user-agent": "wakeful",
            CALL_HEADER: _visible(claim.eid),
            AT_HEADER: format_instant(claim.at),
        }
        if claim.source is not None:
            headers[SOURCE_HEADER] = _visible(claim.source)
        if self._secrets is not None:
            headers[SIGNATURE_HEADER] = sign(self._secrets, body, now)
        return headers

    def _open(self) -> httpx.Client:
        import httpx

        with self._lock:
            if self._client is None:
                # A connection a call: one that was kept may be dead, and a call is never sent twice to find out.
                limits = httpx.Limits(max_connections=None, max_keepalive_connections=0)
                self._client = httpx.Client(
                    trust_env=False, follow_redirects=False, limits=limits, verify=self.base.startswith("https:")
                )
            return self._client

    def close(self) -> None:
        """Close what is open; calls under way end as they can."""
        with self._lock:
            if self._client is not None:
                self._client.close()
                self._client = None


def _checked(base: object) -> str:
    if not isinstance(base, str):
        raise StoreError(f"`workers` is the base URL of an app, such as https://app.example, not {base!r}")
    try:
        parts = urlsplit(base)
        sound = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        sound = False
    if not sound or re.search(r"[^\x21-\x7e]", base):
        raise StoreError(f"`workers` is the base URL of an app, such as https://app.example, not {base!r}")
    if "@" in parts.netloc:
        raise StoreError("`workers` holds no user and no password: the signature tells the app who calls")
    if parts.query or parts.fragment or "?" in base or "#" in base:
        raise StoreError("`workers` ends before any `?` or `#`: the route of a command is put behind it")
    return base.rstrip("/")


def _read(response: httpx.Response, deadline: float, seconds: float) -> bytes:
    status = response.status_code
    if 300 <= status < 400:
        to = response.headers.get("location")
        target = f" to {ascii(to[:_SHOWN])[1:-1]}" if to else ""
        raise Failed(f"answered {status}, a redirect{target}: redirects are not followed; name the final address")
    if not 200 <= status < 300:
        raise Failed(f"answered {status} {response.reason_phrase}".rstrip())
    if response.headers.get("content-encoding", "identity").strip().lower() not in ("identity", ""):
        raise Failed("answered in a compressed form, which was not asked for")
    length = response.headers.get("content-length", "")
    if re.fullmatch(r"[0-9]{1,18}", length) and int(length) > ANSWER_LIMIT:
        raise too_large(int(length))
    content = bytearray()
    for chunk in response.iter_raw():
        content += chunk
        if len(content) > ANSWER_LIMIT:
            raise Failed(f"the answer has more than {ANSWER_LIMIT:,} bytes (64 KiB): store it, and answer its eid")
        if time.monotonic() >= deadline:
            raise late(seconds)
    return bytes(content)


def _visible(eid: str) -> str:
    """An eid as a header can hold it: what is not a visible ASCII character is percent-encoded, as is `%`."""
    return quote(eid, safe=_VISIBLE)


def _plain(error: httpx.TransportError) -> str:
    """What went wrong with a connection, in plain words."""
    import httpx

    reason = re.sub(r"^\[Errno -?[0-9]+\] ", "", str(error)).strip()
    if isinstance(error, httpx.ConnectError):
        return f"nothing answers there ({reason[:_SHOWN].lower() or 'no connection'})"
    if isinstance(error, httpx.RemoteProtocolError):
        return f"what answers there does not speak HTTP, or hung up ({reason[:_SHOWN]})"
    return f"the connection broke off ({reason[:_SHOWN] or type(error).__name__})"
