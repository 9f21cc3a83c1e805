"""The stored figures of `make bench`, and docs/performance.md, which is made of them."""

import json
import math
import re

# A figure is said with so many digits: more would be noise.
DIGITS = 3


class PageError(Exception):
    """The template names what no bench makes, or leaves out a table."""


class Store:
    """The rows of Benchmarks/figures.json, by their keys.

    A row has the figures, or "absent" for a peer that is not installed; and the date, commit, machine and load of its
    run.
    """

    def __init__(self, path):
        self.path = path
        self.rows = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}

    def write(self):
        lines = [f" {json.dumps(key, ensure_ascii=False)}: {json.dumps(self.rows[key], ensure_ascii=False)}"
                 for key in sorted(self.rows)]
        self.path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def number(value):
    """Returns a number as text with three significant digits, and thousands separated."""
    if value == 0:
        return "0"
    digits = DIGITS - 1 - math.floor(math.log10(abs(value)))
    return f"{round(value, digits):,.{max(0, digits)}f}"


def goal_text(figure):
    """Returns the goal of a figure in the words of the figure."""
    return figure.text.format(f"{'at least' if figure.better == 'higher' else 'at most'} {figure.goal:,}")


def figures_text(row, stored):
    """Returns the figures of a row as text, those that miss their goal in bold type."""
    if stored.get("absent"):
        return "not installed"
    parts = []
    for figure in row.figures:
        value = stored["figures"].get(figure.name)
        if value is None:
            continue
        text = figure.text.format(number(value))
        parts.append(f"**{text}**" if figure.misses_goal(value) else text)
    return "; ".join(parts)


def table(name, benches, rows, machines):
    """Returns a section's table as Markdown; a row that was never made is left out."""
    lines = ["| What | Figures | Goal | Measured |", "|---|---|---|---|"]
    for row in (row for bench in benches for row in bench.rows if row.table == name):
        stored = rows.get(row.key)
        if stored is None:
            continue
        goals = "; ".join(goal_text(figure) for figure in row.figures if figure.goal is not None)
        measured = f"{stored['date']}, {stored['commit']}, load {stored['load']}"
        if len(machines) > 1:
            measured += f", machine {machines.index(stored['machine']) + 1}"
        lines.append(f"| {row.says} | {figures_text(row, stored)} | {goals} | {measured} |")
    return "\n".join(lines) if len(lines) > 2 else "No row of this table has been measured yet."


def machines_text(machines):
    if not machines:
        return "Nothing has been measured yet."
    if len(machines) == 1:
        return f"Machine: {machines[0]}."
    return "\n".join(f"- Machine {index}: {machine}." for index, machine in enumerate(machines, 1))


def render(template, benches, rows):
    """Returns the page.

    Raises PageError for a placeholder that is not known, a figure that no bench makes, and a table that is left out.
    """
    used = [rows[row.key]["machine"] for bench in benches for row in bench.rows if row.key in rows]
    machines = list(dict.fromkeys(used))
    tables = dict.fromkeys(row.table for bench in benches for row in bench.rows)
    figures = {f"{row.key}: {figure.name}": (row, figure)
               for bench in benches for row in bench.rows for figure in row.figures}
    shown = set()

    def replace(match):
        kind, _, argument = match.group(1).strip().partition(": ")
        if kind == "machines" and not argument:
            return machines_text(machines)
        if kind == "table" and argument in tables:
            shown.add(argument)
            return table(argument, benches, rows, machines)
        if kind == "figure" and argument in figures:
            row, figure = figures[argument]
            value = rows.get(row.key, {}).get("figures", {}).get(figure.name)
            return "(not measured)" if value is None else figure.text.format(number(value))
        raise PageError(f"the template has {match.group(0)}, which no bench makes")

    page = re.sub(r"\{\{(.*?)\}\}", replace, template)
    missing = [name for name in tables if name not in shown]
    if missing:
        raise PageError(f"the template leaves out the tables {', '.join(missing)}")
    return page
