"""What graphql-core 3.2, the reference of GraphQL in Python, says about documents, with two corrections.

- Lines end as the specification has it, and as graphql-js counts them. The package counts a token at the beginning of
  a line into the line before, and takes U+2028 and others for ends of lines.
- A set of fields is compared with each fragment that it reaches. The package remembers pairs of fragments where it
  should remember pairs of a set and a fragment, and so misses conflicts; graphql-js 16.11 finds them.
"""

import json
import re

import graphql as g
from graphql.validation import ExecutableDefinitionsRule
from graphql.validation.rules import overlapping_fields_can_be_merged as overlap

if not g.version.startswith("3.2."):
    raise SystemExit(f"needs graphql-core 3.2, not {g.version}")

compared, sets_of_fields = {}, []
find_within = overlap.find_conflicts_within_selection_set


def location(source, position):
    line, start = 1, 0
    for end in re.finditer(r"\r\n|[\n\r]", source.body):
        if end.start() >= position:
            break
        line, start = line + 1, end.end()
    return g.SourceLocation(line, position + 1 - start)


def compare_with_fragment(context, conflicts, cache, pairs, are_exclusive, fields, name):
    before = compared.get((id(fields), name))
    fragment = context.get_fragment(name)
    if not fragment or before is not None and (are_exclusive or not before):
        return
    compared[(id(fields), name)] = are_exclusive
    sets_of_fields.append(fields)  # An identifier stays the set's own while the set lives.
    others, names = overlap.get_referenced_fields_and_fragment_names(context, cache, fragment)
    if fields is others:
        return
    overlap.collect_conflicts_between(context, conflicts, cache, pairs, are_exclusive, fields, others)
    for other in names:
        compare_with_fragment(context, conflicts, cache, pairs, are_exclusive, fields, other)


def find_within_set(*arguments):
    compared.clear()
    sets_of_fields.clear()
    return find_within(*arguments)


g.Source.get_location = location
overlap.collect_conflicts_between_fields_and_fragment = compare_with_fragment
overlap.find_conflicts_within_selection_set = find_within_set


def places(error):
    return ",".join(f"{place.line}:{place.column}" for place in error.locations or [])


def faults(schema, text):
    """The locations of each fault of a document, sorted; None where the package itself fails."""
    try:
        document = g.parse(text)
    except g.GraphQLSyntaxError as error:
        return ["syntax " + places(error)]
    except IndexError:
        return None
    is_executable = all(hasattr(definition, "selection_set") for definition in document.definitions)
    try:
        errors = g.validate(schema, document, None if is_executable else [ExecutableDefinitionsRule])
    except g.GraphQLError:
        return None
    return sorted(map(places, errors))


def mixed(number, text):
    for byte in text.encode():
        number = (number * 31 + byte) % 1009
    return number


def plain(item):
    """A value with its whole numbers as integers, as JSON writes them."""
    if isinstance(item, (dict, list)):
        return {key: plain(item[key]) for key in item} if isinstance(item, dict) else [plain(each) for each in item]
    return int(item) if isinstance(item, float) and item.is_integer() else item


def compact(item):
    return json.dumps(plain(item), ensure_ascii=False, separators=(",", ":"))


def resolve(parent, info, **arguments):
    """The value of a field follows from a number: that of its object, the field's name and the arguments."""
    number = mixed(parent[1], f"{info.parent_type}.{info.field_name}{compact(arguments)}")
    if number % 19 == 0:
        raise ValueError("no value")
    return resolved(info.schema, info.return_type, number)


def resolved(schema, kind, number):
    kind = kind.of_type if g.is_non_null_type(kind) else kind
    if number % 17 == 0:
        return None
    if g.is_list_type(kind):
        return [resolved(schema, kind.of_type, mixed(number, str(index))) for index in range(number % 3)]
    if g.is_enum_type(kind):
        return list(kind.values)[number % len(kind.values)]
    if g.is_leaf_type(kind):
        values = {"Int": number, "Float": number + 0.5, "Boolean": number % 2 == 1}
        return values.get(kind.name, f"{kind} {number}")
    names = sorted(each.name for each in schema.get_possible_types(kind)) if g.is_abstract_type(kind) else [kind.name]
    return names[number % len(names)], number


def response(schema, document, variables):
    """The data and the nulls that errors caused, each as a path; or the locations of the variables' faults."""
    result = g.execute(
        schema, document, ("", 1), variable_values=variables, field_resolver=resolve,
        type_resolver=lambda parent, *_: parent[0])
    errors = result.errors or []
    if any(not error.path for error in errors):
        return {"refused": sorted(map(places, errors))}
    return {"data": plain(result.data), "nulls": sorted({null(error.path, result.data) for error in errors})}


def null(path, data):
    """The first null on a path, as text. Which of several errors below it is reported is the executor's choice."""
    for length, step in enumerate(path):
        if data is None:
            return "/".join(map(str, path[:length]))
        data = data[step]
    return "/".join(map(str, path))
