"""The signature of a call over HTTP: made by the store, checked by the app that is called.

    x-wakeful-signature: t=1789981200,v1=5257a869e7ec…

`t` is when the call was sent, in whole seconds since 1970, and each `v1` an HMAC-SHA256, in hexadecimal, of
`<t>.<body>` under one secret.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from wakeful_grammar.problems import WakefulError

CALL_HEADER = "x-yak-command-call"
"""The eid of the call: the same in each attempt, so it is the key by which to do a call's work once."""
SOURCE_HEADER = "x-yak-command-source"
"""The eid of the schedule, or the row, that asked for the call; left out where nobody else asked for it."""
AT_HEADER = "x-yak-command-at"
"""When the call was written, as an RFC 3339 instant."""
SIGNATURE_HEADER = "x-wakeful-signature"
"""Time and signature of what is sent."""

Secret = str | bytes
Secrets = Secret | Sequence[Secret]

_TIME = re.compile(r"[0-9]{1,12}", re.ASCII)
_LONGEST_HEADER = 4096


class BadSignature(WakefulError):
    """A call that no store with this secret has sent, or not now; the message says what is wrong with it."""


def secrets_of(given: Secrets) -> tuple[bytes, ...]:
    """The secrets as bytes, a text as its UTF-8.  Raises WakefulError for none, an empty one, or another type."""
    listed = [given] if isinstance(given, str | bytes) else list(given) if isinstance(given, Sequence) else [None]
    secrets = []
    for secret in listed:
        if not isinstance(secret, str | bytes):
            raise WakefulError("a secret is bytes or text, or a list of them")
        if not secret:
            raise WakefulError("a secret is empty: is the variable set that it comes from?")
        secrets.append(secret.encode() if isinstance(secret, str) else secret)
    if not secrets:
        raise WakefulError("a list of secrets has at least one")
    return tuple(secrets)


def sign(secret: Secrets, body: bytes, at: datetime) -> str:
    """The value of `x-wakeful-signature` for a body sent at an instant; one `v1` for each secret."""
    seconds = str(int(at.timestamp()))
    return ",".join([f"t={seconds}", *(f"v1={_hmac(known, seconds, body)}" for known in secrets_of(secret))])


def verify(
    secret: Secrets,
    headers: Mapping[Any, Any] | Iterable[tuple[Any, Any]],
    body: bytes,
    now: datetime | None = None,
    tolerance: float = 300,
) -> None:
    """Check that a store with this secret has sent `body`, at most `tolerance` seconds from `now`.

    `secret` may be a list while one is being replaced: any of them will do.  `headers` are those of the request: a
    mapping or pairs, text or bytes, in upper or lower case, or the environ of WSGI; `body` is what was received, byte
    for byte, before it is read as JSON.  `now` is an aware datetime, the machine's own by default.

    Raises BadSignature.
    """
    known = secrets_of(secret)
    if not isinstance(body, bytes | bytearray | memoryview):
        raise WakefulError("the body is the bytes of the request as they were received, before any reading")
    seconds, signatures = _read(_header(headers))
    body = bytes(body)
    sound = False
    # Every pair is compared, so that the time it takes tells nothing of which one it was.
    for key in known:
        expected = _hmac(key, seconds, body).encode()
        for signature in signatures:
            sound |= hmac.compare_digest(expected, signature.encode())
    if not sound:
        raise BadSignature("the signature is not that of this body under this secret")
    age = ((now or datetime.now(UTC)) - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds() - int(seconds)
    if not -tolerance <= age <= tolerance:
        when = "ago" if age > 0 else "in the future"
        raise BadSignature(f"the call was signed {abs(age):.0f} s {when}; at most {tolerance:g} s are let pass")


def _hmac(secret: bytes, seconds: str, body: bytes) -> str:
    return hmac.new(secret, seconds.encode() + b"." + body, hashlib.sha256).hexdigest()


def _header(headers: Mapping[Any, Any] | Iterable[tuple[Any, Any]]) -> str:
    pairs = headers.items() if isinstance(headers, Mapping) else headers
    found = [_text(value) for name, value in pairs if _plain(name) == SIGNATURE_HEADER]
    if not found:
        raise BadSignature(f"there is no {SIGNATURE_HEADER}: the store that calls has no secret, or it is not a store")
    if len(found) > 1:
        raise BadSignature(f"there are {len(found)} of {SIGNATURE_HEADER}")
    return found[0]


def _plain(name: Any) -> str:
    """The name of a header in lower case; WSGI writes it HTTP_X_WAKEFUL_SIGNATURE."""
    text = _text(name).lower()
    return text.replace("_", "-").removeprefix("http-") if text.startswith("http_") else text


def _text(value: Any) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)


def _read(header: str) -> tuple[str, list[str]]:
    times: list[str] = []
    signatures: list[str] = []
    for part in header[:_LONGEST_HEADER].split(","):
        name, _, value = part.strip().partition("=")
        if name == "t":
            times.append(value)
        elif name == "v1":
            signatures.append(value)
    if len(header) > _LONGEST_HEADER or len(times) != 1 or not _TIME.fullmatch(times[0]) or not signatures:
        raise BadSignature(f"{SIGNATURE_HEADER} is not of the form t=1789981200,v1=5257a869…")
    return times[0], signatures
