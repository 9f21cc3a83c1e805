"""Writes Tests/MusterWireTests/Golden/GraphQL: what the reference says about random requests of GraphQL.

    python3 Tests/Oracles/graphql_vectors.py

The tests read only the files that are written; this script needs graphql-core 3.2 (see graphql_reference.py). The
schema is Tests/MusterWireTests/GraphQL/Corpus/served.graphql, and everything is seeded. A line of either file is an
array of JSON:

- requests.txt: the document, and the locations of each of its faults (`LINE:COLUMN,LINE:COLUMN`), sorted; `syntax`
  stands before the location of a fault of the grammar.
- responses.txt: the document, its variables, and what executing it with the resolver of graphql_reference.py gives:
  the data, and the paths of the nulls that errors caused; or the locations of the variables' faults.
"""

import json
import random
from pathlib import Path

import graphql
from graphql.execution.values import get_variable_values
from graphql_queries import Document, mutated
from graphql_reference import faults, response

TESTS = Path(__file__).resolve().parent.parent / "MusterWireTests"
SCHEMA = graphql.build_schema((TESTS / "GraphQL/Corpus/served.graphql").read_text())
REQUESTS, RESPONSES = 2_000, 200
WRONG = [0, 0, 0.03, 0.08, 0.2]  # The probability of a fault, by turns.


def requests():
    source, lines = random.Random(43), {}
    while len(lines) < REQUESTS:
        text = Document(SCHEMA, source, WRONG[len(lines) % len(WRONG)]).text()
        text = mutated(text, source) if len(lines) % 10 == 9 else text
        found = faults(SCHEMA, text) if len(text) < 400 else None
        if found is not None:
            lines[text] = [text, found]
    return lines.values()


def variables(document, source):
    given = {}
    for variable in document.definitions[0].variable_definitions:
        kind = graphql.type_from_ast(SCHEMA, variable.type)
        is_optional = variable.default_value is not None or not graphql.is_non_null_type(kind)
        if source.random() > (0.4 if is_optional else 0.02):
            literal = Document(SCHEMA, source, 0.05).literal(kind, is_constant=True)
            given[variable.variable.name.value] = graphql.value_from_ast_untyped(graphql.parse_value(literal))
    return given


def fit(document, given):
    """Whether the variables have their types."""
    declared = document.definitions[0].variable_definitions
    return isinstance(get_variable_values(SCHEMA, declared, given), dict)


def responses():
    source, lines = random.Random(44), {}
    while len(lines) < RESPONSES:
        text = Document(SCHEMA, source, 0).text()
        if len(text) > 400 or faults(SCHEMA, text) != [] or not text.startswith(("query", "mutation", "sub", "{")):
            continue
        document = graphql.parse(text)
        given = variables(document, source)
        result = response(SCHEMA, document, given)
        if "refused" in result and fit(document, given):
            continue  # A null variable is the `if` of a directive: data is null either way, but for another reason.
        if len(json.dumps(result)) < 800:
            lines[text] = [text, given, result]
    return lines.values()


for name, lines in (("requests", requests()), ("responses", responses())):
    written = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
    (TESTS / "Golden/GraphQL" / f"{name}.txt").write_text(written)
