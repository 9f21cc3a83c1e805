"""What README.md and docs/ tell a reader to type works, page by page, on an empty folder with a network of its own."""

import pytest

from muster_process import root
from page_commands import blocks, check_page, commands, isolated, languages, missing, parse, run_page

pages = ["README.md", *sorted(str(path.relative_to(root)) for path in (root / "docs").rglob("*.md"))]
every_block = [block for page in pages for block in blocks(page)]
skipped = [block for block in every_block if block.is_command and block.not_run]
# test_command_page.py runs its page itself, to see which routes it reaches.
elsewhere = ["docs/command-line.md"]
runnable = list(dict.fromkeys(
    block.page for block in every_block if block.is_command and not block.not_run and block.page not in elsewhere))


@pytest.fixture(scope="module")
def isolation():
    """How a page gets a network of its own, where port 8080 is free and nothing outside is called."""
    command = isolated()
    if command is None:
        pytest.skip("this system gives no process a network of its own (unshare)")
    return command


@pytest.mark.parametrize("page", runnable)
def test_the_commands_of_a_page_work_in_order_and_print_what_it_says(page, tmp_path, isolation):
    check_page(page, tmp_path, isolation)


@pytest.mark.parametrize("block", skipped, ids=lambda block: block.name)
def test_a_block_that_cannot_run_here_states_why(block):
    pytest.skip(f"{block.name}: {block.not_run}")


@pytest.mark.parametrize("page", pages)
def test_every_block_of_a_page_has_a_language_so_that_every_command_is_tested(page):
    for block in blocks(page):
        assert block.language in languages, f"{block.name} has the language {block.language!r}: write ```sh or ```text"


def test_a_page_is_read_as_a_reader_sees_it():
    page = """
Text with <!-- a remark --> in it.

  <!-- not run: needs an
       iPhone -->

  ```sh
  echo a \\
     b
  ```
<!-- given
mkdir x
-->
<!-- stays running: ready -->
```console
$ ls x
nothing
$ printf '%s' \\
  a
a
```
"""
    first, second = parse(page, "page.md")
    assert (first.name, first.not_run, first.text) == ("page.md:7", "needs an iPhone", "echo a \\\n   b\n")
    assert (second.given, second.ready) == ("mkdir x\n", "ready")
    assert commands(second) == "ls x\nprintf '%s' \\\n  a\n"
    with pytest.raises(ValueError, match="no test knows"):
        parse("<!-- skip: why -->\n```sh\nfalse\n```\n", "page.md")


def test_a_documented_output_is_compared_with_the_printed_one():
    printed = "Added ana.\nana\tunknown\tsince 12:03\n"
    assert missing(["Added ana.", "ana   unknown   since …"], printed) is None
    assert missing(["ana safe …"], printed) == "ana safe …"
    assert missing(["ana unknown …", "Added ana."], printed) == "Added ana.", "the order counts"


def test_a_failing_command_fails_its_page(tmp_path, isolation, monkeypatch):
    monkeypatch.setattr("page_commands.root", tmp_path)
    (tmp_path / "page.md").write_text("```sh\necho fine\nfalse\necho never\n```\n")
    (tmp_path / "run").mkdir()
    with pytest.raises(AssertionError, match="failed with 1: false"):
        run_page("page.md", tmp_path / "run", isolation)
