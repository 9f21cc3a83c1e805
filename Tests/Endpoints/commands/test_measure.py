"""`Benchmarks/measure`, which makes docs/performance.md, with small programs in place of the benches."""

import importlib.machinery
import importlib.util
import json

import pytest

from muster_process import root


def load_measure():
    loader = importlib.machinery.SourceFileLoader("measure", str(root / "Benchmarks/measure"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("measure", loader))
    loader.exec_module(module)
    return module


measure = load_measure()
from benches import Bench, Figure, Row  # noqa: E402  (measure has made its folder known)
from performance_page import PageError, Store, number, render  # noqa: E402


def bench(tmp_path, name, lines, *rows, status=0):
    """A bench that records lines, prints a word, and ends with a status."""
    program = tmp_path / f"{name}.py"
    text = "".join(json.dumps(each) + "\n" for each in lines)
    program.write_text(
        "import os, sys\n"
        f"open(os.environ['MUSTER_BENCH_FIGURES'], 'a').write({text!r})\n"
        f"print('spoken by {name}'); sys.exit({status})\n")
    return Bench(name, f"python {program}", 1, "all", list(rows))


def recorded(row, figure, value):
    return {"row": row, "figure": figure, "value": value}


def speed(goal=None):
    return [Figure("a second", "{} a second", "higher", goal)]


@pytest.fixture
def measured(tmp_path, monkeypatch, capsys):
    """Runs the benches; returns the stored rows, the page, what was printed, and the status."""
    monkeypatch.setattr(measure, "FIGURES", tmp_path / "figures.json")
    monkeypatch.setattr(measure, "TEMPLATE", tmp_path / "page.in")
    monkeypatch.setattr(measure, "PAGE", tmp_path / "page.md")
    monkeypatch.setattr(measure, "LOGS", tmp_path / "logs")
    monkeypatch.setattr(measure, "others_load", lambda: "0.1")
    measure.TEMPLATE.write_text("# Speed\n\n{{table: all}}\n\n{{machines}}\n")

    def run(benches, *words):
        monkeypatch.setattr(measure, "BENCHES", benches)
        monkeypatch.setattr("sys.argv", ["measure", *words])
        with pytest.raises(SystemExit) as ended:
            measure.main()
            raise SystemExit(0)
        rows = json.loads(measure.FIGURES.read_text())
        return rows, measure.PAGE.read_text(), capsys.readouterr().out, ended.value.code or 0

    return run


def test_the_page_is_made_of_its_template_and_the_stored_figures():
    page = render(measure.TEMPLATE.read_text(encoding="utf-8"), measure.BENCHES, Store(measure.FIGURES).rows)
    assert measure.PAGE.read_text(encoding="utf-8") == page, "run: Benchmarks/measure --render"


def test_the_whole_takes_less_than_half_an_hour():
    assert sum(each.seconds for each in measure.BENCHES) < 1_800


def test_no_two_rows_have_one_key():
    keys = [row.key for each in measure.BENCHES for row in each.rows]
    assert len(keys) == len(set(keys))


def test_a_row_has_its_date_commit_and_load_and_a_missed_goal_shows(tmp_path, measured):
    one = bench(tmp_path, "one", [recorded("run", "a second", 12_345.6)], Row("run", "running", speed(goal=20_000)))
    rows, page, printed, status = measured([one])
    assert status == 0
    row = rows["one: run"]
    assert row["figures"] == {"a second": 12_345.6}
    assert {"date", "commit", "machine", "load"} < row.keys()
    assert (f"| running | **12,300 a second** | at least 20,000 a second | {row['date']}, {row['commit']}, "
            f"load {row['load']} |\n") in page
    assert f"Machine: {row['machine']}." in page
    assert "miss their goals" in printed


def test_a_bench_that_fails_loses_its_rows_and_the_others_go_on(tmp_path, measured):
    def benches(status, value):
        return [bench(tmp_path, "bad", [recorded("run", "a second", 1)], Row("run", "a", speed()), status=status),
                bench(tmp_path, "good", [recorded("run", "a second", value)], Row("run", "b", speed()))]

    rows, _, _, status = measured(benches(0, 100))
    assert status == 0 and list(rows) == ["bad: run", "good: run"]
    rows, _, printed, status = measured(benches(3, 150))
    assert status == 1 and list(rows) == ["good: run"]
    assert "spoken by bad" in printed and "ended with status 3" in printed
    assert "good: run: a second     100  150   1.50  better" in printed


def test_a_figure_that_a_bench_does_not_make_is_a_failure(tmp_path, measured):
    one = bench(tmp_path, "one", [recorded("run", "a minute", 1)], Row("run", "running", speed()))
    rows, page, printed, status = measured([one])
    assert (rows, status) == ({}, 1)
    assert "No row of this table has been measured yet." in page and "makes no figure run: a second" in printed


def test_rows_that_were_not_chosen_stay_and_those_no_longer_listed_go(tmp_path, measured):
    def benches(value):
        return [bench(tmp_path, name, [recorded("run", "a second", value)], Row("run", name, speed()))
                for name in ("walk", "walk-fast", "swim")]

    measured(benches(1))
    rows, _, printed, _ = measured(benches(2)[:2], "walk")
    assert {key: row["figures"]["a second"] for key, row in rows.items()} == {"walk: run": 2, "walk-fast: run": 1}
    assert "[1/1] walk," in printed


def test_a_peer_that_is_not_installed_says_so(tmp_path, measured):
    one = bench(tmp_path, "one", [{"absent": "other"}], Row("run", "running", speed(), peer="other"))
    rows, page, _, status = measured([one])
    assert status == 0 and rows["one: run"]["absent"]
    assert "| running | not installed |" in page


def test_a_placeholder_that_no_bench_makes_and_a_table_left_out_are_errors(tmp_path):
    one = bench(tmp_path, "one", [], Row("run", "running", speed()))
    for template in ("{{table: all}}{{table: none}}", "{{table: all}}{{figure: one: run: a minute}}", "{{all}}", ""):
        with pytest.raises(PageError):
            render(template, [one], {})
    assert render("{{table: all}}{{figure: one: run: a second}}", [one], {}).endswith("(not measured)")


def test_numbers_have_three_digits():
    assert [number(each) for each in (0, 0.01234, 0.5, 9.96, 99.95, 123.4, 24_388, 751_675)] == [
        "0", "0.0123", "0.500", "9.96", "100.0", "123", "24,400", "752,000"]
