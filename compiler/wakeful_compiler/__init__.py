"""Tree and vocabulary to plans: names, types, rule analysis, schedules, and the SQL and Python emitters.

No I/O beyond reading a vocab.json that it is given, and no clock: `now` is always an argument.
"""
