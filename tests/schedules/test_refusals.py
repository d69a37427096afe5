"""What is refused, where the caret stands, and what the hint offers."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from wakeful_compiler.schedules import Schedule, ScheduleError, cron_trigger, every
from wakeful_grammar.problems import Problem

# text | the stretch that is wrong, between markers | code | a piece of the hint
WAKE = [
    ("[]", "schedule-empty", "@daily"),
    ("[0 9 * *]", "schedule-fields", "minute, hour, day of month"),
    ("[5]", "schedule-duration", "30s"),
    ("0 0 9 * * [*]", "schedule-fields", "`0 9 * * *`"),
    ("0 0 9 * * [* 2026]", "schedule-fields", "`0 9 * * *`"),
    ("0 0 12 ? * [MON-FRI]", "schedule-fields", "seconds"),
    ("[60] * * * *", "schedule-value", "0 to 59"),
    ("0 [24] * * *", "schedule-value", "write 0"),
    ("0 0 [0] * *", "schedule-value", "1 to 31"),
    ("0 0 1-[32] * *", "schedule-value", "1 to 31"),
    ("0 0 * [13] *", "schedule-value", "JAN to DEC"),
    ("0 0 * * [8]", "schedule-value", "SUN to SAT"),
    ("0 0 * [MON] *", "schedule-value", "JAN to DEC"),
    ("0 0 * * [JAN]", "schedule-value", "SUN to SAT"),
    ("0 0 * [JANUARY] *", "schedule-value", "write JAN"),
    ("0 0 * * [Monday]", "schedule-value", "write MON"),
    ("[JAN] * * * *", "schedule-value", "0 to 59"),
    ("0 [22-2] * * *", "schedule-range", "write 22,23,0-2"),
    ("0 0 * * [FRI-MON]", "schedule-range", "write FRI,SAT,SUN,MON"),
    ("0 [20-4]/2 * * *", "schedule-range", "20-23,0-4"),
    ("*/[0] * * * *", "schedule-step", "1 or more"),
    ("*/[61] * * * *", "schedule-step", "60"),
    ("0 0 * * 1-5/[8]", "schedule-step", "7"),
    ("[5/15] * * * *", "schedule-form", "5-59/15"),
    ("0 0 * * [MON/2]", "schedule-form", "MON-SAT/2"),
    ("1,[*] * * * *", "schedule-form", "leave it out"),
    ("0,[,]5 * * * *", "schedule-form", "both sides"),
    ("5[,] * * * *", "schedule-form", "both sides"),
    ("0 12 * * [?]", "schedule-form", "write `*`"),
    ("0 0 [L] * *", "schedule-form", "0 0 1 * *"),
    ("0 0 [15W] * *", "schedule-form", "0 0 1 * *"),
    ("0 0 * * [MON#2]", "schedule-form", "MON-FRI"),
    ("[+5] * * * *", "schedule-form", "without it"),
    ("[1_0] * * * *", "schedule-form", "0 to 59"),
    ("[٣] * * * *", "schedule-form", "digits 0 to 9"),
    ("[*/x] * * * *", "schedule-form", "*/2"),
    ("[*-6/3] * * * *", "schedule-form", "a-b/n"),
    ("[5.5] * * * *", "schedule-form", "0 to 59"),
    ("0[\N{NO-BREAK SPACE}]9 * * *", "schedule-form", "ordinary spaces"),
    ("[@Daily]", "schedule-name", "write @daily"),
    ("[@reboot]", "schedule-name", "`at`"),
    ("[@every] 5m", "schedule-name", "5m"),
    ("[@fortnightly]", "schedule-name", "@weekly"),
    ("@daily Europe/Berlin [please]", "schedule-form", "@daily America/Detroit"),
    ("[daily]", "schedule-name", "write @daily"),
    ("[1mo]", "schedule-duration", "@monthly"),
    ("[2 years]", "schedule-duration", "@yearly"),
    ("[1.5h]", "schedule-duration", "1h30m"),
    ("[-5m]", "schedule-duration", "5m"),
    ("[5 minutes]", "schedule-duration", "write 5m"),
    ("[30M]", "schedule-duration", "write 30m"),
    ("[5x]", "schedule-duration", "s, m, h, d and w"),
    ("[1h 30m]", "schedule-duration", "without blanks"),
    ("[PT5M]", "schedule-duration", "1h30m"),
    ("1h[1h]", "schedule-duration", "once"),
    ("[0s]", "limit-duration", "1s or more"),
    ("2h [America/New_York]", "schedule-zone", "alone"),
    ("[2026-01-01T09:00:00Z]", "schedule-form", "`at`"),
    ("[5m] * * * *", "schedule-form", "*/5"),
    ("[now and then]", "schedule-form", "@daily"),
    ("0 9 * * * [America/Nowhere]", "schedule-zone", "tz database"),
    ("0 9 * * * [america/detroit]", "schedule-zone", "write America/Detroit"),
    ("0 9 * * * [Detroit]", "schedule-zone", "write America/Detroit"),
    ("0 9 * * * [Europe/Berln]", "schedule-zone", "write Europe/Berlin"),
    ("0 9 * * * [PST]", "schedule-zone", "write America/Los_Angeles"),
    ("@daily [+02:00]", "schedule-zone", "Etc/GMT-2"),
    ("@daily [Z]", "schedule-zone", "write UTC"),
    ("@daily [../../etc/passwd]", "schedule-zone", "tz database"),
    ("@daily [localtime]", "schedule-zone", "every machine"),
    ("0 9 * * * Europe/Berlin [x]", "schedule-fields", "minute, hour"),
    ("x" * 256 + "[xxxx]", "limit-schedule-length", "ranges and steps"),
]
TRIGGER = [
    ("[]", "schedule-empty", "0 9 * * MON-FRI"),
    ("0 0 * * [0]", "schedule-value", "1 is Sunday"),
    ("0 0 * * [8]", "schedule-value", "1 is Sunday"),
    ("0 0 * * [7-1]", "schedule-range", "write SAT,SUN"),
    ("*/[60] * * * *", "schedule-step", "59"),
    ("0 0 [L-0] * *", "schedule-value", "write L "),
    ("0 0 [L-31] * *", "schedule-value", "L-30"),
    ("0 0 [lw] * *", "schedule-form", "upper case"),
    ("0 0 1,[L] * *", "schedule-form", "second trigger"),
    ("0 0 [L-1W] * *", "schedule-form", "LW"),
    ("0 0 [32]W * *", "schedule-value", "1 to 31"),
    ("0 0 * * [L]", "schedule-form", "SATL"),
    ("0 0 * * [0]L", "schedule-value", "SUN"),
    ("0 0 * * MON#[6]", "schedule-value", "#5"),
    ("0 0 * * [MON#]", "schedule-form", "MON#2"),
    ("0 [L] * * *", "schedule-form", "0 to 23"),
    ("[@weekly]", "schedule-name", "0 0 * * SUN"),
    ("[5m]", "schedule-duration", "*/5"),
    ("0 0 * * MON [America/New_York]", "schedule-zone", "UTC"),
    ("0 0 0 * * [*]", "schedule-fields", "seconds"),
]


MENDED = [
    "0 22-2 * * *", "0 24 * * *", "0 0 * JANUARY *", "0 0 * * FRI-MON", "5 minutes", "@Daily", "hourly",
    "0 9 * * * Detroit", "@daily +02:00", "0 12 * * ?", "0\N{NO-BREAK SPACE}9 * * *",
]  # fmt: skip


def problems(compile_text: Callable[[str], Schedule], text: str) -> tuple[Problem, ...]:
    with pytest.raises(ScheduleError) as caught:
        compile_text(text)
    return caught.value.problems


def marked(text: str) -> tuple[str, int, int]:
    """The text without the brackets around its wrong stretch, and where that stretch lies."""
    before, _, rest = text.partition("[")
    wrong, _, after = rest.partition("]")
    return before + wrong + after, len(before), len(before) + len(wrong)


@pytest.mark.parametrize(("text", "code", "hint"), WAKE, ids=[text[:40] for text, _, _ in WAKE])
def test_every_points_at_what_is_wrong(text: str, code: str, hint: str) -> None:
    plain, start, end = marked(text)
    first = problems(every, plain)[0]
    assert (first.code, first.span.start, first.span.end) == (code, start, end)
    assert hint in first.hint


@pytest.mark.parametrize(("text", "code", "hint"), TRIGGER, ids=[text[:40] or "empty" for text, _, _ in TRIGGER])
def test_a_trigger_points_at_what_is_wrong(text: str, code: str, hint: str) -> None:
    plain, start, end = marked(text)
    first = problems(cron_trigger, plain)[0]
    assert (first.code, first.span.start, first.span.end) == (code, start, end)
    assert hint in first.hint


def test_every_mistake_is_found_at_once() -> None:
    found = problems(every, "*/61 25 0 FOO 8 Nowhere/City")
    assert [problem.span.start for problem in found] == [2, 5, 8, 10, 14, 16]
    assert "1:17: error schedule-zone" in str(ScheduleError(found))


def test_a_fix_put_in_place_mends_the_text() -> None:
    for text in MENDED:
        (problem,) = problems(every, text)
        assert problem.fix is not None
        every(text[: problem.span.start] + problem.fix + text[problem.span.end :])


@pytest.mark.parametrize("value", [None, 5, b"1h", ["1h"]])
def test_no_text_is_a_type_error(value: object) -> None:
    for compile_text in (every, cron_trigger):
        with pytest.raises(TypeError):
            compile_text(value)  # the annotation says str; callers without a type checker learn it here
