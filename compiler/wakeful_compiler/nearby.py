"""Near names: which of the known names a misspelt one may have meant.

Close is at most one slip for short names, two for middling, three for long ones, where a slip is a letter
left out, put in, changed, or swapped with its neighbour; or one name being the beginning of the other.
The cost is bounded however long the text is: a text longer than any name is near nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

_LONGEST = 64


def near(name: str, candidates: Iterable[str], most: int = 3) -> tuple[str, ...]:
    """The candidates that `name` may have meant, nearest first, at most `most` of them."""
    if not name or len(name) > _LONGEST:
        return ()
    wanted = _plain(name)
    allowed = 1 if len(wanted) <= 4 else 2 if len(wanted) <= 8 else 3
    found: list[tuple[int, str]] = []
    for candidate in candidates:
        if len(candidate) > _LONGEST or candidate == name:
            continue
        other = _plain(candidate)
        slips = _slips(wanted, other, allowed)
        if slips is not None and slips < max(len(wanted), len(other)):
            found.append((slips, candidate))
        elif min(len(wanted), len(other)) >= 3 and (other.startswith(wanted) or wanted.startswith(other)):
            found.append((allowed + 1, candidate))
    return tuple(candidate for _, candidate in sorted(found)[:most])


def nearest(name: str, candidates: Iterable[str]) -> str | None:
    """The one candidate that `name` most likely meant, or None."""
    return next(iter(near(name, candidates, 1)), None)


def alone(name: str, candidates: Iterable[str]) -> bool:
    """Whether one candidate alone is near: only then may a fix put it in the name's place."""
    return len(near(name, candidates, 2)) == 1


def only(names: Sequence[str], form: str = '"{}"') -> str | None:
    """The replacement that a fix makes of near names: the one that there is, None where several were meant."""
    return form.replace("{}", names[0]) if len(names) == 1 else None


def did_you_mean(name: str, candidates: Iterable[str], form: str = "`{}`") -> str:
    """A question for a hint, "did you mean `a` or `b`?", or "" when nothing is near; `form` spells a name."""
    return question(near(name, candidates), form)


def question(names: Sequence[str], form: str = "`{}`") -> str:
    """The question whether one of `names` was meant; "" when there is none."""
    spelled = [form.replace("{}", name) for name in names]
    if not spelled:
        return ""
    listed = spelled[0] if len(spelled) == 1 else ", ".join(spelled[:-1]) + " or " + spelled[-1]
    return f"did you mean {listed}?"


def _plain(name: str) -> str:
    """Spellings that people take for the same: case, and `-` or a blank for `_`."""
    return name.lower().replace("-", "_").replace(" ", "_")


def _slips(left: str, right: str, allowed: int) -> int | None:
    """The edit distance (optimal string alignment), or None above `allowed`; only a band is walked."""
    if abs(len(left) - len(right)) > allowed:
        return None
    far = allowed + 1
    before_last: list[int] = []
    last = [column if column <= allowed else far for column in range(len(right) + 1)]
    for row in range(1, len(left) + 1):
        here = [far] * (len(right) + 1)
        if row <= allowed:
            here[0] = row
        for column in range(max(1, row - allowed), min(len(right), row + allowed) + 1):
            same = left[row - 1] == right[column - 1]
            cost = min(last[column] + 1, here[column - 1] + 1, last[column - 1] + (0 if same else 1))
            swapped = row > 1 and column > 1 and left[row - 1] == right[column - 2]
            if swapped and left[row - 2] == right[column - 1]:
                cost = min(cost, before_last[column - 2] + 1)
            here[column] = cost
        if min(here) > allowed:
            return None
        before_last, last = last, here
    return last[-1] if last[-1] <= allowed else None
