"""What docs/cognito.md says is served."""

import re

from muster_process import root

page = (root / "docs/cognito.md").read_text()


def served(text):
    """The operations that the page says are served, as (service, operation)."""
    table = text.split("## What is served")[1].split("\n## ")[0]
    rows = [line.split("|")[1:3] for line in table.splitlines() if line.startswith("| cognito-")]
    return sorted((row[0].split(",")[0].strip(), operation)
                  for row in rows for operation in re.findall(r"`(\w+)`", row[1]))
