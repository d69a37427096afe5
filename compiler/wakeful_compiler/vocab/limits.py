"""How large a vocabulary may be (the design's section 6)."""

SIZE_LIMIT = 1024 * 1024
"""Bytes that a vocab.json may have."""

DEPTH_LIMIT = 64
"""Levels in which its objects and lists may nest."""

DIGITS_LIMIT = 400
"""Characters that one number in it may have: no double needs more."""

COMPONENTS_LIMIT = 1_000
"""Components that it may declare."""

RULES_LIMIT = 1_000
"""Rules that it may declare."""

COMMANDS_LIMIT = 1_000
"""Commands that it may declare."""

PROPERTIES_LIMIT = 200
"""Properties that a component may have."""

PROBLEMS_LIMIT = 1_000
"""Problems that one report lists: a file with more is broken in one way, many times."""
