"""Whether a `pattern` is safe to run on any text of 10,000 characters.

Python's `re` backtracks: some patterns take exponential time on texts that nearly fit.  Nested quantifiers
are refused outright (the design's section 1); for what remains this pass bounds, from above, the steps that
a search can take, and refuses what lies beyond :data:`STEPS_LIMIT`.

The bound, along a sequence: a repetition that can tell from the next character alone whether to go on
(`[a-z]+-`) can end in one way; one that cannot (`.+@`) in as many ways as it has lengths; alternatives that
differ in a character that each must have add no ways, others count each.  Ways multiply along the sequence,
and what follows is done once for each of them; all of it once for each place where a search may begin.
"""

from __future__ import annotations

import re
import warnings
from itertools import combinations
from typing import assert_never

from wakeful_grammar.node import node
from wakeful_grammar.problems import Span

from .regex import ALL, Chars, Choice, Echo, Edge, Look, Node, Repeat, Sequence, UnreadPattern, parse_regex

LENGTH_LIMIT = 1_000
"""Characters that a pattern may have."""

GROUPS_LIMIT = 50
TEXT_LENGTH = 10_000
STEPS_LIMIT = 5 * TEXT_LENGTH**2
_ENDLESS = 10**30


@node
class BadPattern:
    """Why a pattern is not taken; `span` is the part of it that is to blame."""

    code: str
    message: str
    hint: str
    span: Span


def check_pattern(pattern: str) -> BadPattern | None:
    """Why the pattern is not taken, or None when it is."""
    whole = Span(0, len(pattern))
    if len(pattern) > LENGTH_LIMIT:
        return BadPattern(
            "limit-pattern",
            f"has {len(pattern):,} characters; the limit is {LENGTH_LIMIT:,}",
            "check shorter parts in properties of their own",
            whole,
        )
    if pattern.count("(") > GROUPS_LIMIT:
        return BadPattern(
            "limit-pattern",
            f"has {pattern.count('(')} opening brackets; the limit is {GROUPS_LIMIT}",
            "use fewer groups",
            whole,
        )
    try:
        with warnings.catch_warnings():
            # What Python only warns of (`[[`, `--` in a set) may mean something else one day.
            warnings.simplefilter("error")
            re.compile(pattern, re.ASCII)
    except re.error as error:
        at = min(error.pos or 0, len(pattern))
        return BadPattern(
            "vocab-pattern",
            f"is no regular expression: {error.msg}",
            "patterns are those of Python's re; a letter that means itself is written \\., \\(, \\[",
            Span(at, min(at + 1, len(pattern))),
        )
    except Warning as warning:
        return BadPattern(
            "vocab-pattern",
            f"is read in two ways: {warning}",
            "inside […] write \\[, \\-, \\&, \\~ and \\| for the characters themselves",
            whole,
        )
    except (OverflowError, RecursionError, ValueError, UnicodeError):
        return BadPattern(
            "limit-pattern",
            "repeats something more often than can be counted",
            f"a text under a pattern has at most {TEXT_LENGTH:,} characters",
            whole,
        )
    try:
        tree = parse_regex(pattern)
        return _nested(tree) or _too_slow(tree, whole)
    except UnreadPattern as unread:
        return BadPattern("vocab-pattern", str(unread), "a simpler pattern will do", unread.span)


def _nested(node: Node, outer: Repeat | None = None) -> BadPattern | None:
    match node:
        case Sequence(parts) | Choice(parts):
            return next((bad for part in parts if (bad := _nested(part, outer)) is not None), None)
        case Look(body):
            return _nested(body, outer)
        case Repeat(low, high, body, span):
            if outer is not None and low != high:
                return BadPattern(
                    "vocab-pattern",
                    "repeats what itself repeats",
                    "nested quantifiers take time without end on some texts: "
                    "write the inner part out, or check it in a property of its own",
                    outer.span,
                )
            repeats = node if high is None or high > 1 else outer
            inner = _nested(body, repeats)
            if inner is None and repeats is node and _least(body) == 0:
                return BadPattern(
                    "vocab-pattern",
                    "repeats a part that may match nothing",
                    "let the repeated part match at least one character",
                    span,
                )
            return inner
        case Chars() | Edge() | Echo():
            return None
        case _:
            assert_never(node)


def _too_slow(tree: Node, whole: Span) -> BadPattern | None:
    anchored = _anchored(tree)
    _, steps = _effort(tree, 0)
    if steps * (1 if anchored else TEXT_LENGTH) <= STEPS_LIMIT:
        return None
    hint = "let each repeated part exclude what follows it: [^@]+@ in place of .+@"
    return BadPattern(
        "vocab-pattern",
        "may take very long on a text that nearly fits",
        hint if anchored else "begin it with ^ so that it is tried in one place only; or " + hint,
        whole,
    )


def _effort(node: Node, after: int) -> tuple[int, int]:
    """In how many ways a node can match from one place, and the steps to try them all.

    `after` is the set of characters that may follow the node.
    """
    match node:
        case Chars() | Edge():
            return 1, 1
        case Echo():
            return 1, TEXT_LENGTH
        case Look(body):
            return 1, _effort(body, 0)[1]
        case Sequence(parts):
            efforts: list[tuple[int, int]] = []
            for part in reversed(parts):
                efforts.append(_effort(part, after))
                begins, nullable = _first(part)
                after = begins | after if nullable else begins
            ways, steps = 1, 0
            for part_ways, part_steps in reversed(efforts):
                steps = min(_ENDLESS, steps + ways * part_steps)
                ways = min(_ENDLESS, ways * part_ways)
            return ways, steps
        case Choice(branches):
            efforts = [_effort(branch, after) for branch in branches]
            prefixes = [_prefix(branch) for branch in branches]
            apart = all(_apart(left, right) for left, right in combinations(prefixes, 2))
            counts = [ways for ways, _ in efforts]
            return (max(counts) if apart else sum(counts)), sum(steps for _, steps in efforts) + len(branches)
        case Repeat(low, high, body, _):
            begins, _ = _first(body)
            most = TEXT_LENGTH // max(1, _least(body)) + 1
            times = most if high is None else min(high, most)
            ways, steps = _effort(body, after if high == 1 else begins | after)
            if ways > 1:
                ways = min(_ENDLESS, ways ** min(times, 100)) if times <= 100 else _ENDLESS
                steps = min(_ENDLESS, steps * ways)
            if begins & after:
                ways *= max(1, times - low + 1)
            return min(_ENDLESS, ways), min(_ENDLESS, steps * max(1, times))
        case _:
            assert_never(node)


def _first(node: Node) -> tuple[int, bool]:
    """The characters that a node may begin with, and whether it may match nothing."""
    match node:
        case Chars(mask):
            return mask, False
        case Edge() | Look():
            return 0, True
        case Echo():
            return ALL, True
        case Sequence(parts):
            begins = 0
            for part in parts:
                part_begins, nullable = _first(part)
                begins |= part_begins
                if not nullable:
                    return begins, False
            return begins, True
        case Choice(branches):
            firsts = [_first(branch) for branch in branches]
            begins = 0
            for branch_begins, _ in firsts:
                begins |= branch_begins
            return begins, any(nullable for _, nullable in firsts)
        case Repeat(low, _, body, _):
            begins, nullable = _first(body)
            return begins, nullable or low == 0
        case _:
            assert_never(node)


def _least(node: Node) -> int:
    """The fewest characters that a node matches."""
    match node:
        case Chars():
            return 1
        case Edge() | Look() | Echo():
            return 0
        case Sequence(parts):
            return sum(_least(part) for part in parts)
        case Choice(branches):
            return min(_least(branch) for branch in branches)
        case Repeat(low, _, body, _):
            return min(_ENDLESS, low * _least(body))
        case _:
            assert_never(node)


def _prefix(node: Node) -> list[int]:
    """The sets of characters that a node must begin with, one after the other, as far as that is plain."""
    match node:
        case Chars(mask):
            return [mask]
        case Sequence(parts):
            masks: list[int] = []
            for part in parts:
                if not isinstance(part, Chars):
                    break
                masks.append(part.mask)
            return masks
        case Repeat(low, _, Chars(mask), _):
            return [mask] * min(low, 1)
        case _:
            return []


def _apart(left: list[int], right: list[int]) -> bool:
    return any(one & other == 0 for one, other in zip(left, right, strict=False))


def _anchored(node: Node) -> bool:
    match node:
        case Edge(begins):
            return begins
        case Sequence(parts):
            return bool(parts) and _anchored(parts[0])
        case Choice(branches):
            return all(_anchored(branch) for branch in branches)
        case _:
            return False
