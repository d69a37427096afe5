"""What the whole run shares: how hard Hypothesis looks, and the count of specification vectors at the end."""

from __future__ import annotations

import os
from collections import Counter

import pytest
from hypothesis import HealthCheck, settings

from cases import loader


def _profile(name: str, examples: int, *, repeatable: bool) -> None:
    """Looks as long as it must: a shared machine stalls at will, so no single example has a deadline."""
    settings.register_profile(
        name,
        max_examples=examples,
        stateful_step_count=30,
        derandomize=repeatable,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
    )


_profile("quick", 60, repeatable=False)
_profile("ci", 60, repeatable=True)
_profile("deep", 2000, repeatable=False)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if os.environ.get("CI") else "quick"))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-goldens", action="store_true", help="write the golden messages of tests/goldens anew")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "vector(id): the case of spec/cases that this test runs")


def pytest_itemcollected(item: pytest.Item) -> None:
    for mark in item.iter_markers("vector"):
        item.user_properties.append(("vector", mark.args[0]))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    run = {
        value
        for outcome in ("passed", "failed")
        for report in terminalreporter.getreports(outcome)
        for name, value in getattr(report, "user_properties", ())
        if name == "vector"
    }
    waiting = Counter(reason for _, reason in loader.awaiting())
    reasons = ", ".join(f"{count} {reason}" for reason, count in waiting.most_common())
    terminalreporter.write_line(
        f"spec vectors: {len(run)} run, {waiting.total()} await a later version: {reasons or 'none'}"
    )
