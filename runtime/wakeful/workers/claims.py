from __future__ import annotations
from typing import NamedTuple
class Work(NamedTuple):
    num: int
    command: str
    source: str
    at: str
def enqueue(transaction, work):
    pass
