"""Emitters: one predicate plan as a Python function and as SQL, with the same answer."""
