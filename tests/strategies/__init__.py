"""Hypothesis strategies: vocabularies, rows that fit them, and queries that fit both.

Values come from small pools of troublemakers more often than from everywhere.
"""

from strategies.pools import NOWS, ZONES, instants, spelled_instant, texts, values
from strategies.queries import comparisons, filters, misfits, queries, times
from strategies.spelling import quote, spell
from strategies.vocabularies import GONE, Bundle, document, own, rows, vocabularies

__all__ = [
    "GONE",
    "NOWS",
    "ZONES",
    "Bundle",
    "comparisons",
    "document",
    "filters",
    "instants",
    "misfits",
    "own",
    "queries",
    "quote",
    "rows",
    "spell",
    "spelled_instant",
    "texts",
    "times",
    "values",
    "vocabularies",
]
