"""The signature of a call over HTTP, as an app checks it."""

from __future__ import annotations

import hashlib
import hmac
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import wakeful
from runtime.garden import at
from wakeful.workers import SIGNATURE_HEADER, BadSignature, sign, verify

NOW = at("2026-09-20T08:00:00Z")
BODY = b'{"n": 1}'


def signed(secret: Any = b"s3cret", body: bytes = BODY) -> dict[str, str]:
    return {SIGNATURE_HEADER: sign(secret, body, NOW)}


def test_the_form_is_time_and_an_hmac_over_time_and_body() -> None:
    seconds = str(int(NOW.timestamp()))
    expected = hmac.new(b"s3cret", f"{seconds}.".encode() + BODY, hashlib.sha256).hexdigest()
    assert sign(b"s3cret", BODY, NOW) == f"t={seconds},v1={expected}"


@pytest.mark.parametrize(
    "headers",
    [
        lambda value: {"X-Wakeful-Signature": value},
        lambda value: {"HTTP_X_WAKEFUL_SIGNATURE": value, "wsgi.version": (1, 0), "REQUEST_METHOD": "POST"},
        lambda value: [(b"x-wakeful-signature", value.encode()), (b"host", b"app")],
        lambda value: [("X-WAKEFUL-SIGNATURE", value)],
    ],
)
def test_headers_are_taken_in_every_usual_form(headers: Any) -> None:
    verify(b"s3cret", headers(sign(b"s3cret", BODY, NOW)), BODY, NOW)


def test_a_secret_is_replaced_while_both_sides_run() -> None:
    verify(["new", "old"], signed("old"), BODY, NOW)
    verify("new", signed(["old", "new"]), BODY, NOW)
    verify([b"new", b"old"], signed([b"older", b"old"]), BODY, NOW)


@pytest.mark.parametrize("off", [-301, 301, -(10**9), 10**9])
def test_an_old_or_early_one_is_refused(off: int) -> None:
    with pytest.raises(BadSignature, match="signed"):
        verify(b"s3cret", signed(), BODY, NOW + timedelta(seconds=off))
    verify(b"s3cret", signed(), BODY, NOW + timedelta(seconds=off), tolerance=2 * 10**9)


@pytest.mark.parametrize("off", [-300, 0, 300])
def test_one_within_the_tolerance_is_let_pass(off: int) -> None:
    verify(b"s3cret", signed(), BODY, NOW + timedelta(seconds=off))


@pytest.mark.parametrize(
    ("secret", "headers", "body", "reason"),
    [
        (b"other", signed(), BODY, "is not that of this body"),
        (b"s3cret", signed(), BODY + b" ", "is not that of this body"),
        (b"s3cret", {}, BODY, "there is no x-wakeful-signature"),
        (b"s3cret", [*signed().items(), ("X-Wakeful-Signature", "t=1,v1=00")], BODY, "there are 2"),
        (b"s3cret", {SIGNATURE_HEADER: "v1=00"}, BODY, "is not of the form"),
        (b"s3cret", {SIGNATURE_HEADER: "t=1,t=2,v1=00"}, BODY, "is not of the form"),
        (b"s3cret", {SIGNATURE_HEADER: "t=1"}, BODY, "is not of the form"),
        (b"s3cret", {SIGNATURE_HEADER: "t=١,v1=00"}, BODY, "is not of the form"),
        (b"s3cret", {SIGNATURE_HEADER: "t=1,v1=" + "0" * 10_000}, BODY, "is not of the form"),
        (b"s3cret", {SIGNATURE_HEADER: "t=1,v1=é"}, BODY, "is not that of this body"),
    ],
)
def test_what_is_wrong_is_said(secret: bytes, headers: Any, body: bytes, reason: str) -> None:
    with pytest.raises(BadSignature, match=reason):
        verify(secret, headers, body, NOW)


@pytest.mark.parametrize("secret", ["", b"", [], [b""], None, 5, [5]])
def test_a_secret_that_is_none_is_an_error_and_no_signature(secret: Any) -> None:
    with pytest.raises(wakeful.WakefulError) as caught:
        verify(secret, signed(), BODY, NOW)
    assert not isinstance(caught.value, BadSignature)


def test_a_body_that_was_read_already_is_an_error() -> None:
    text: Any = BODY.decode()
    with pytest.raises(wakeful.WakefulError, match="the bytes of the request"):
        verify(b"s3cret", signed(), text, NOW)


@given(st.text(max_size=60))
def test_no_header_is_more_than_refused(header: str) -> None:
    with pytest.raises(BadSignature):
        verify(b"s3cret", {SIGNATURE_HEADER: header}, BODY, NOW)
