"""Operands that a type cannot take and names that nothing has are refused when compiled; nothing else is."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from agreement.scenes import answer_or_kind, compiled
from oracles.query import Oracle
from oracles.values import OracleError
from strategies import NOWS, misfits, spell, vocabularies


@given(st.data())
def test_what_does_not_fit_is_refused_as_the_oracle_refuses_it(data: st.DataObject) -> None:
    vocab = data.draw(vocabularies())
    now = data.draw(st.sampled_from(NOWS))
    tree = data.draw(misfits(vocab, now))
    expected: Any = None
    try:
        Oracle(vocab, [], now).check(tree)
    except OracleError as error:
        expected = {"error": error.kind}
    assert answer_or_kind(lambda: compiled(spell(tree), vocab) and None) == expected
