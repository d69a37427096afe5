"""Text to tree to text: the grammars of queries, rule matches, time operands and `every` expressions.

This package knows no vocabulary: it says what was written, not what it means.
"""
