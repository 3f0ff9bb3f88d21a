"""Print what the crash suites tried, at the end of a run."""

import pytest


@pytest.hookimpl(trylast=True)
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    totals: dict[str, dict[str, int]] = {}
    for report in terminalreporter.getreports("passed") + terminalreporter.getreports("failed"):
        for name, value in report.user_properties:
            if isinstance(value, dict):
                total = totals.setdefault(name, {})
                for key, count in value.items():
                    total[key] = total.get(key, 0) + int(count)
    for name, total in sorted(totals.items()):
        figures = ", ".join(f"{count} {key}" for key, count in total.items())
        terminalreporter.write_line(f"{name}: {figures}")
