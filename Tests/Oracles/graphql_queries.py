"""Random GraphQL documents for a schema: right by the schema, or wrong with a given probability."""

import graphql as g

WRONG_LITERALS = [
    "1", "-7", "2.5", '"x"', "true", "null", "SAFE", '[1, "a"]', "{a: 1}", '{name: "n", x: 3}', "99999999999",
    '"""block"""', "[]", "{}", "RED",
]
LITERALS = {
    "Int": ["0", "1", "-5", "42", "2147483647"], "Float": ["1", "2.5", "-1e3", "0.0"],
    "ID": ['"p1"', '"t1"', "7"], "Boolean": ["true", "false"],
}
TEXTS = ['"a"', '"é ü"', '"\\u00e9\\n"', '"""\n  b\n   c\n"""', '"\\ud83d\\ude00"', '"😀"', '""']
WRONG_DIRECTIVES = [
    " @nope", " @nope(id: 1)", " @skip", " @deprecated", " @skip(if: true) @skip(if: false)", " @include(if: 1)",
]
WRONG_FIELDS = ["nope", "nam", "usernam", "getUsr", "person(id: 1) { id }", "__schema { description }"]
INTROSPECTION = [
    "__typename",
    '__type(name: "Person") { name kind fields { name type { name kind ofType { name } } } }',
    '__type(name: "CreateUserInput") { inputFields { name defaultValue type { kind name } } }',
    "__schema { queryType { name } mutationType { kind } }",
]
TOKENS = [
    "{", "}", "(", ")", "[", "]", "!", "$", "@", ":", "=", "...", "|", "&", '"', '"""', "\\", "query", "fragment", "on",
    "true", "null", "1", "-", "1.", "0x", '"a"', "id", "name", "\n", "\r\n", "#", "é", "😀", "\ufeff", "\x07",
    '"\\u{1F600}"', '"\\uD800"', '"\\u{110000}"', '"\\q"', "01", "1e", ".5", "'",
]


class Document:
    """Writes one document. `wrong` is the probability of a fault wherever one can be made."""

    def __init__(self, schema, random, wrong):
        self.schema, self.random, self.wrong = schema, random, wrong
        self.variables, self.fragments, self.fields_left = {}, {}, 14

    def chance(self, probability):
        return self.random.random() < probability

    def errs(self, factor=1):
        return self.chance(self.wrong * factor)

    def text(self):
        definitions = [self.operation(self.random.choice(["", "Op", "Q1"]))]
        while self.chance(0.12 * (self.wrong > 0)):
            definitions.append(self.operation(self.random.choice(["", "Op", "Other"])))
        fragments = [
            f"fragment {name} on {condition}{self.directives()} {body}"
            for name, (condition, body) in self.fragments.items() if not self.errs(0.2)
        ]
        fragments += [self.random.choice(["fragment Unused on Person { id }"] + fragments)] * self.errs(0.3)
        definitions += fragments
        if self.chance(0.3):
            self.random.shuffle(definitions)
        return self.random.choice(["\n", "\n\n", "\r\n", " # é comment\n", "\r"]).join(definitions)

    def operation(self, name):
        self.variables = {}
        kind = self.random.choice(["query"] * 4 + ["mutation", "subscription"])
        root = getattr(self.schema, f"{kind}_type")
        is_single = kind == "subscription" and not self.errs(2)
        body = "{ " + self.field(root, 0) + " }" if is_single else self.selections(root, 0)
        self.variables.update({"unused": "Int"} if self.errs(0.5) else {})
        declared = ", ".join(f"${name}: {kind}" for name, kind in self.variables.items() if not self.errs(0.3))
        if declared and self.errs(0.2):
            declared += ", " + declared.split(", ")[0]
        if kind == "query" and not declared and not name:
            return body
        return f"{kind} {name}" + f"({declared})" * bool(declared) + f"{self.directives()} {body}"

    def selections(self, parent, depth):
        kinds = [self.inline_fragment, self.spread, self.field]
        count = self.random.randint(1, 3 if depth < 3 else 2)
        parts = [kind(parent, depth) for kind in self.random.choices(kinds, [12, 12, 76], k=count)]
        return "{ }" if self.errs(0.1) else "{ " + self.random.choice([" ", "\n  ", ", "]).join(parts) + " }"

    def field(self, parent, depth):
        alias = self.random.choice(["a: ", "b: ", "id: ", "name: "]) if self.chance(0.15) else ""
        self.fields_left -= 1
        if self.errs(0.5):
            return alias + self.random.choice(WRONG_FIELDS)
        if self.chance(0.1):
            return alias + self.random.choice(INTROSPECTION if parent is self.schema.query_type else ["__typename"])
        names = list(parent.fields)
        if depth > 3 or self.fields_left < 0:
            names = [name for name in names if g.is_leaf_type(g.get_named_type(parent.fields[name].type))] or names
        name = self.random.choice(names)
        field = parent.fields[name]
        kind = g.get_named_type(field.type)
        text = alias + name + self.arguments(field.args) + self.directives("skip", "include")
        if g.is_leaf_type(kind) == self.errs(0.3):
            text += " " + (self.selections(kind, depth + 1) if g.is_composite_type(kind) else "{ x }")
        return text

    def condition(self, parent):
        """The name of a type that an object of `parent` may have."""
        kinds = [kind for kind in self.schema.type_map.values() if not kind.name.startswith("__")]
        if not self.errs():
            kinds = [
                kind for kind in kinds
                if g.is_composite_type(kind) and g.utilities.do_types_overlap(self.schema, parent, kind)
            ]
        return self.random.choice(kinds)

    def inline_fragment(self, parent, depth):
        kind = parent if self.chance(0.2) else self.condition(parent)
        name = "" if kind is parent else " on Nope" if self.errs(0.3) else f" on {kind.name}"
        body = self.selections(kind, depth + 1) if g.is_composite_type(kind) else "{ id }"
        return f"...{name}{self.directives('skip', 'include')} {body}"

    def spread(self, parent, depth):
        known = [
            name for name, (kind, body) in self.fragments.items() if self.errs() or
            body and g.is_composite_type(kind) and g.utilities.do_types_overlap(self.schema, parent, kind)
        ]
        if self.errs(0.5):
            name = "Nope"
        elif known and self.chance(0.5):
            name = self.random.choice(known)
        else:
            name, kind = f"F{len(self.fragments)}", self.condition(parent)
            self.fragments[name] = (kind, None)
            body = self.selections(kind, depth + 1) if g.is_composite_type(kind) else "{ id }"
            self.fragments[name] = (kind, body)
        return f"...{name}" + self.directives("skip", "include")

    def directives(self, *names):
        if names and self.chance(0.1):
            directive = self.schema.get_directive(self.random.choice(names))
            return f" @{directive.name}" + self.arguments(directive.args)
        return self.random.choice(WRONG_DIRECTIVES) if self.errs(0.3) else ""

    def arguments(self, arguments):
        given = []
        for name, argument in arguments.items():
            if self.errs(0.5) if g.is_required_argument(argument) else self.chance(0.6):
                continue
            given.append(f"{name}: {self.literal(argument.type)}")
        if self.errs():
            given.append(self.random.choice(["nope: 1", "idd: 2", "bogus: $undeclared"] + given))
        self.random.shuffle(given)
        return "(" + self.random.choice([", ", " ", "\n"]).join(given) + ")" if given else ""

    def literal(self, kind, depth=0, is_constant=False):
        if not is_constant and self.chance(0.15):
            return self.variable(kind)
        if self.errs():
            return self.random.choice(WRONG_LITERALS)
        if g.is_non_null_type(kind):
            kind = kind.of_type
        elif self.chance(0.06):
            return "null"
        if g.is_list_type(kind):
            if self.chance(0.15):
                return self.literal(kind.of_type, depth + 1, is_constant)
            items = [self.literal(kind.of_type, depth + 1, is_constant) for _ in range(self.random.randint(0, 2))]
            return "[" + ", ".join(items) + "]"
        if g.is_enum_type(kind):
            return self.random.choice(list(kind.values))
        if not g.is_input_object_type(kind):
            return self.random.choice(LITERALS.get(kind.name, TEXTS))
        given = [
            f"{name}: {self.literal(field.type, depth + 1, is_constant)}" for name, field in kind.fields.items()
            if (not self.errs(0.5) if g.is_required_input_field(field) else depth < 3 and self.chance(0.3))
        ]
        given += [self.random.choice(["unknown: 1"] + given)] * self.errs(0.5)
        return "{" + " ".join(given) + "}"

    def variable(self, kind):
        fitting = [name for name, declared in self.variables.items() if declared == str(kind) or self.errs(3)]
        if fitting and self.chance(0.3):
            return "$" + self.random.choice(fitting)
        name, declared = f"v{len(self.variables)}", str(kind)
        if self.errs():
            declared = self.random.choice(["Int", "String!", "[ID!]", "Person", "Nope", "[[Int]]", "DeclareInput"])
        elif self.chance(0.2):
            declared = declared.removesuffix("!") + "!"
        if self.chance(0.3):
            declared = declared.removesuffix("!") + " = " + self.literal(kind, 1, is_constant=True)
        self.variables[name] = declared
        return "$" + name


def mutated(text, random):
    """A document with up to three places cut, doubled, replaced or filled with a token."""
    for _ in range(random.randint(1, 3)):
        place, kind = random.randrange(len(text)), random.random()
        before, after = text[:place], text[place:]
        if kind < 0.3:
            text = before + after[random.randint(1, 4):]
        elif kind < 0.7:
            text = before + random.choice(TOKENS) + after
        elif kind < 0.85:
            text = before + after[:20] + after
        else:
            text = before + random.choice('{}()[]!$@:="abc1 ') + after[1:]
    return text
