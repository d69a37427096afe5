"""Hostile input: an answer or a ScheduleError, soon, and never anything else."""

from __future__ import annotations

from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wakeful_compiler.schedules import ScheduleError, cron_trigger, every

PATIENCE = 0.1
"""Seconds, ten times what is promised: a shared machine stalls."""

MONSTERS = {
    "20,000 digits": "1" * 20_000 + "s",
    "200 digits": "1" * 200 + "s",
    "200 digits in a field": "1" * 200 + " * * * *",
    "a huge step": "*/" + "9" * 200 + " * * * *",
    "a huge range": "0-" + "9" * 200 + "/1 * * * *",
    "ten thousand fields": "* " * 10_000,
    "a hundred fields": "* " * 100,
    "a long list": ",".join("0" * 120) + " * * * x",
    "a list of mistakes": ",".join("x" * 120) + " * * * *",
    "commas": "," * 250,
    "commas in fields": ",,,,,,,,,, " * 5,
    "a path": "0 9 * * * " + "../" * 60 + "etc/passwd",
    "a long name": "0 9 * * * " + "America/" * 30,
    "NUL": "0 9 * * *\0",
    "NUL in a zone": "0 9 * * * America/Detroit\0",
    "lone surrogates": "\ud800 \udfff * * *",
    "Arabic-Indic digits": "١ ٢ ٣ ٤ ٥",
    "superscripts": "² * * * *",
    "no-break spaces": "0\u00a09\u00a0*\u00a0*\u00a0*",
    "other blanks": "0\x1c9\x1d*\x1e*\x85*",
    "line separators": "0 9 * * *\u2028",
    "slashes": "/" * 256,
    "dashes": "-" * 256,
    "units": "1h" * 128,
    "names": "MON-" * 64,
    "at signs": "@" * 256,
    "a right-to-left override": "\u202e0 9 * * *",
}


@pytest.mark.parametrize("text", MONSTERS.values(), ids=MONSTERS.keys())
def test_monsters_are_refused_soon(text: str) -> None:
    for compile_text in (every, cron_trigger):
        begun = perf_counter()
        with pytest.raises(ScheduleError) as caught:
            compile_text(text)
        assert perf_counter() - begun < PATIENCE
        str(caught.value)


ALPHABET = st.sampled_from(
    [
        *"0123456789*/,-# @LW?:.+_smhdw\t\n\0",
        "SUN",
        "MON",
        "JAN",
        "@daily",
        "Europe/Berlin",
        "٣",
        "\u00a0",
        "\ud800",
    ]
)


@given(text=st.one_of(st.lists(ALPHABET, max_size=30).map("".join), st.text(max_size=40)))
def test_any_text_is_an_answer_or_a_schedule_error(text: str) -> None:
    for compile_text in (every, cron_trigger):
        try:
            schedule = compile_text(text)
        except ScheduleError as error:
            for problem in error.problems:
                assert problem.code.startswith(("schedule-", "limit-"))
                assert problem.message and problem.hint
                assert 0 <= problem.span.start <= problem.span.end <= len(text)
        else:
            assert compile_text(str(schedule)) == schedule
