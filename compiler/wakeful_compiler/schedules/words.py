"""A schedule in plain words: when in the day, on which days, in which zone."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from wakeful_grammar.cron import Cron, Duration, Field
from wakeful_grammar.cron_days import LastDay, LastWeekday, LastWorkday, NearestWorkday, NthWeekday
from wakeful_grammar.every import SECONDS

from .canonical import runs
from .months import values_mask

MONTH_NAMES = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
WEEKDAY_NAMES = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
_NTH = ("", "first", "second", "third", "fourth", "fifth")
_UNIT_NAMES = {"w": "week", "d": "day", "h": "hour", "m": "minute", "s": "second"}
_MOST_TIMES = 6


def describe(tree: Duration | Cron) -> str:
    """The schedule in words; a calendar ends with its zone."""
    if isinstance(tree, Duration):
        return f"every {duration_words(tree.seconds)}"
    zone = "UTC" if tree.zone is None else tree.zone.name
    times = _times(values_of(tree.minute, 0, 59), values_of(tree.hour, 0, 23))
    days = _days(tree)
    if days == "every day" and "every " in times:
        return f"{times}, {zone}"
    return f"{times}{',' if times.startswith('every ') or days[0].isupper() else ''} {days}, {zone}"


def duration_words(seconds: int) -> str:
    """An elapsed time in words, to follow `every`: `hour`, `2 weeks`, `1 hour and 30 minutes`."""
    parts: list[tuple[int, str]] = []
    for unit in "dhms" if seconds % SECONDS["w"] else "w":
        amount, seconds = divmod(seconds, SECONDS[unit])
        if amount:
            parts.append((amount, _UNIT_NAMES[unit]))
    if len(parts) == 1 and parts[0][0] == 1:
        return parts[0][1]
    return listed([f"{amount} {name}{'s' if amount > 1 else ''}" for amount, name in parts])


def values_of(field: Field, low: int, high: int) -> list[int]:
    """The values of a field, rising."""
    if not field.restricted:
        return list(range(low, high + 1))
    mask = values_mask(field, 7 if high == 6 else 64)
    return [value for value in range(low, high + 1) if mask >> value & 1]


def listed(parts: Sequence[str], word: str = "and") -> str:
    """`a`, `a and b`, `a, b and c`."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} {word} {parts[-1]}"


# --- the time of day ----------------------------------------------------------------------------


def _times(minutes: list[int], hours: list[int]) -> str:
    all_day = len(hours) == 24
    if not all_day and len(minutes) * len(hours) <= _MOST_TIMES:
        return "at " + listed([_clock(hour, minute) for hour in hours for minute in minutes])
    pace = even_pace(minutes, 60)
    if len(minutes) == 1 and minutes[0] == 0:
        past = "on the hour"
    else:
        past = f"at {listed([str(minute) for minute in minutes])} minutes past"
    if all_day:
        if pace == 60:
            return "every hour, on the hour" if minutes[0] == 0 else f"every hour, {past}"
        if pace:
            lag = f", from {minutes[0]} minutes past the hour on" if minutes[0] else ""
            return f"every {'minute' if pace == 1 else f'{pace} minutes'}{lag}"
        return f"{past} every hour"
    if (hour_pace := even_pace(hours, 24)) and hours[0] == 0 and len(minutes) == 1:
        return f"every {hour_pace} hours from {_clock(0, minutes[0])} on"
    if pace and pace < 60 and len(runs(hours)) == 1:
        first, last = _clock(hours[0], minutes[0]), _clock(hours[-1], minutes[-1])
        return f"every {'minute' if pace == 1 else f'{pace} minutes'} from {first} to {last}"
    spans = [
        f"{first} to {last}" if last > first + 1 else listed([str(hour) for hour in range(first, last + 1)])
        for first, last in runs(hours)
    ]
    if pace and pace < 60:
        return f"every {'minute' if pace == 1 else f'{pace} minutes'} in the hours {listed(spans)}"
    return f"{past}{' in' if past == 'on the hour' else ''} the hours {listed(spans)}"


def even_pace(values: list[int], size: int) -> int | None:
    """The distance between values that are spread evenly over the whole of `size`, or None."""
    pace = size // len(values)
    even = pace * len(values) == size and all(value == values[0] + n * pace for n, value in enumerate(values))
    return pace if even else None


def _clock(hour: int, minute: int) -> str:
    return f"{hour:02}:{minute:02}"


# --- the days -----------------------------------------------------------------------------------


def _days(tree: Cron) -> str:
    months = values_of(tree.month, 1, 12)
    in_months = "" if len(months) == 12 else f" in {_month_list(months)}"
    of_months = "every month" if len(months) == 12 else _month_list(months)
    by_date = _dates(tree.day, of_months) if tree.day.restricted else ""
    by_weekday = _weekdays(tree.weekday, of_months, in_months) if tree.weekday.restricted else ""
    if by_date and by_weekday:
        return f"{by_date}, and also {by_weekday}"
    return by_date or by_weekday or f"every day{in_months}"


def _month_list(months: list[int]) -> str:
    return _run_list(months, lambda month: MONTH_NAMES[month - 1])


def _dates(field: Field, of_months: str) -> str:
    match field.items[0]:
        case LastDay(0):
            return f"on the last day of {of_months}"
        case LastDay(back):
            return f"{back} day{'s' if back > 1 else ''} before the last day of {of_months}"
        case LastWorkday():
            return f"on the last weekday (Monday to Friday) of {of_months}"
        case NearestWorkday(day):
            return f"on the weekday (Monday to Friday) nearest the {ordinal(day)} of {of_months}"
        case _:
            days = _run_list(values_of(field, 1, 31), ordinal)
            return f"on the {days} of {of_months}"


def _weekdays(field: Field, of_months: str, in_months: str) -> str:
    match field.items[0]:
        case LastWeekday(weekday):
            return f"on the last {WEEKDAY_NAMES[weekday]} of {of_months}"
        case NthWeekday(weekday, nth):
            return f"on the {_NTH[nth]} {WEEKDAY_NAMES[weekday]} of {of_months}"
        case _:
            days = values_of(field, 0, 6)
            if len(days) == 7:
                return f"every day{in_months}"
            # Sunday closes a week in words, so that 5-7 reads Friday to Sunday.
            ordered = sorted(day or 7 for day in days)
            text = _run_list(ordered, lambda day: WEEKDAY_NAMES[day % 7])
            return f"{text if ' to ' in text else f'every {text}'}{in_months}"


def ordinal(number: int) -> str:
    """`1st`, `2nd`, `3rd`, `11th`."""
    suffix = "th" if number in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{suffix}"


def _run_list(values: list[int], name: Callable[[int], str]) -> str:
    parts: list[str] = []
    for first, last in runs(values):
        if last > first + 1:
            parts.append(f"{name(first)} to {name(last)}")
        else:
            parts += [name(value) for value in range(first, last + 1)]
    return listed(parts)
