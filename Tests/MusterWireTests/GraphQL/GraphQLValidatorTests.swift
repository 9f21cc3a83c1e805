import Testing

@testable import MusterWire

struct GraphQLValidatorTests {
    private func check(_ query: String, _ expected: String..., sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(GraphQLSample.faults(query).sorted() == expected.sorted(), sourceLocation: sourceLocation)
    }

    @Test func `a valid document has no errors`() {
        check(
            """
            query Q($id: ID!, $with: Boolean = true, $filter: Filter) @note(text: "a") @note(text: "b") {
              person(id: $id) { ...P friends { ...P } team @include(if: $with) { people(filter: $filter) { id } } }
              things { __typename ... on Team { name } ... on Node { id } }
              echo(value: {name: "x", not: {roles: ADMIN}}, list: 3, moment: {any: [1]}, float: 2, id: 7)
              __schema { queryType { name } }
            }
            fragment P on Person { id name(upper: true) n: name }
            """)
    }

    @Test func `operations and fragments have their own names`() {
        check(
            "query A { team { id } } query A { team { id } }",
            "1:7,1:31 There can be only one operation named 'A'.")
        check(
            "{ team { id } } query A { team { id } }",
            "1:1 This anonymous operation must be the only defined operation.")
        check(
            "{ team { ...F } } fragment F on Team { id } fragment F on Team { id }",
            "1:28,1:54 There can be only one fragment named 'F'.")
        check("type T { a: Int } { team { id } }", "1:1 The 'T' definition is not executable.")
    }

    @Test func `fields are those of their type`() {
        check("{ tem { id } }", "1:3 Cannot query field 'tem' on type 'Query'. Did you mean 'team'?")
        check(
            "{ things { name } }",
            "1:12 Cannot query field 'name' on type 'Thing'. Did you mean to use an inline fragment on 'Person'"
                + " or 'Team'?"
        )
        check(
            "{ team } ",
            "1:3 Field 'team' of type 'Team' must have a selection of subfields. Did you mean 'team { ... }'?")
        check(
            "{ team { id { x } } }",
            "1:13 Field 'id' must not have a selection since type 'ID!' has no subfields.")
    }

    @Test func `arguments are known, unique and complete`() {
        check(
            "{ person(idd: 1) { id } }",
            "1:10 Unknown argument 'idd' on field 'Query.person'. Did you mean 'id'?",
            "1:3 Field 'person' argument 'id' of type 'ID!' is required, but it was not provided.")
        check(
            "{ people(first: 1, first: 2) { id } }", "1:10,1:20 There can be only one argument named 'first'.")
        check(
            "{ team @skip { id } people @note(text: 1) { id } }",
            "1:8 Directive '@skip' argument 'if' of type 'Boolean!' is required, but it was not provided.",
            "1:40 String cannot represent a non string value: 1")
    }

    @Test func `values have their types`() {
        check("{ people(first: 1.5) { id } }", "1:17 Int cannot represent non-integer value: 1.5")
        check(
            "{ people(first: 2147483648) { id } }",
            "1:17 Int cannot represent non 32-bit signed integer value: 2147483648")
        check("{ person(id: null) { id } }", "1:14 Expected value of type 'ID!', found null.")
        check(
            "{ echo(value: {roles: [ADMN], nme: 1, not: 3, name: \"a\", name: \"b\"}) }",
            "1:24 Value 'ADMN' does not exist in 'Role' enum. Did you mean the enum value 'ADMIN'?",
            "1:31 Field 'nme' is not defined by type 'Filter'. Did you mean 'name' or 'not'?",
            "1:44 Expected value of type 'Filter', found 3.",
            "1:47,1:58 There can be only one input field named 'name'.")
        check(
            "mutation { create(input: {}) { id } }",
            "1:26 Field 'NewPerson.name' of required type 'String!' was not provided.")
        check("{ echo(float: 1e999) }", "1:15 Float cannot represent non numeric value: 1e999")
    }

    @Test func `variables are declared, used, and fit`() {
        check(
            "query ($a: Int, $a: Int) { people(first: $a) { id } }",
            "1:9,1:18 There can be only one variable named '$a'.")
        check("query Q($a: Int) { team { id } }", "1:9 Variable '$a' is never used in operation 'Q'.")
        check(
            "{ person(id: $x) { ...F } } fragment F on Person { friends(limit: $y) { id } }",
            "1:14,1:1 Variable '$x' is not defined.", "1:67,1:1 Variable '$y' is not defined.")
        check(
            "query ($a: Team) { team { id } }", "1:12 Variable '$a' cannot be non-input type 'Team'.",
            "1:8 Variable '$a' is never used.")
        check(
            "query ($a: ID, $b: [Int]) { person(id: $a) { id } echo(list: $b) }",
            "1:8,1:40 Variable '$a' of type 'ID' used in position expecting type 'ID!'.",
            "1:16,1:62 Variable '$b' of type '[Int]' used in position expecting type '[Int!]'.")
        check("query ($a: ID = 1) { person(id: $a) { id } }")
        check("query ($a: Mo) { team { id } }", "1:12 Unknown type 'Mo'.", "1:8 Variable '$a' is never used.")
    }

    @Test func `fragments are known, used, possible, and spread no circle`() {
        check("{ team { ...F } }", "1:13 Unknown fragment 'F'.")
        check("{ team { id } } fragment F on Team { id }", "1:17 Fragment 'F' is never used.")
        check("{ team { ... on Int { id } } }", "1:17 Fragment cannot condition on non composite type 'Int'.")
        check(
            "{ team { ... on Person { id } ...P } } fragment P on Person { id }",
            "1:10 Fragment cannot be spread here as objects of type 'Team' can never be of type 'Person'.",
            "1:31 Fragment 'P' cannot be spread here as objects of type 'Team' can never be of type 'Person'.")
        check(
            "{ team { ...A } } fragment A on Team { ...B } fragment B on Team { ...A ...B }",
            "1:40,1:68 Cannot spread fragment 'A' within itself via 'B'.",
            "1:73 Cannot spread fragment 'B' within itself.")
    }

    @Test func `directives stand where they may`() {
        check("{ team @nope { id } }", "1:8 Unknown directive '@nope'.")
        check("query @skip(if: true) { team { id } }", "1:7 Directive '@skip' may not be used on QUERY.")
        check(
            "{ team @skip(if: true) @skip(if: false) { id } }",
            "1:8,1:24 The directive '@skip' can only be used once at this location.")
    }

    @Test func `a subscription selects one field`() {
        check(
            "subscription { ticks changed { id } }", "1:22 Anonymous Subscription must select only one top level field."
        )
        check(
            "subscription S { __typename }", "1:18 Subscription 'S' must not select an introspection top level field.")
        check("subscription { ...S } fragment S on Subscription { ticks t: ticks @skip(if: true) }")
    }

    @Test func `fields of one name must be the same`() {
        check(
            "{ team { n: id n: name } }",
            "1:10,1:16 Fields 'n' conflict because 'id' and 'name' are different fields. Use different aliases on the"
                + " fields to fetch both if this was intentional.")
        check(
            "{ person(id: 1) { id } ... on Query { person(id: 2) { id } } }",
            "1:3,1:39 Fields 'person' conflict because they have differing arguments. Use different aliases on the"
                + " fields to fetch both if this was intentional.")
        check("{ things { ... on Person { x: name(upper: true) } ... on Team { x: name } } }")
        check(
            "{ things { ... on Person { x: id } ... on Team { x: lead { id } } } }",
            "1:28,1:50 Fields 'x' conflict because they return conflicting types 'ID!' and 'Person!'. Use different"
                + " aliases on the fields to fetch both if this was intentional.")
        check("{ echo(value: {name: \"a\", minAge: 1}) echo(value: {minAge: 1, name: \"a\"}) }")
        check(
            "{ team { lead { id } } team { lead { id: name } } }",
            "1:3,1:10,1:17,1:24,1:31,1:38 Fields 'team' conflict because subfields 'lead' conflict because subfields"
                + " 'id' conflict because 'id' and 'name' are different fields. Use different aliases on the fields"
                + " to fetch both if this was intentional.")
    }

    @Test func `validation stops after its limit of errors`() {
        let faults = GraphQLSample.faults("{ " + (0..<300).map { "f\($0) " }.joined() + "}")
        #expect(faults.count == 101)
        #expect(faults.last == " Too many validation errors, error limit reached. Validation aborted.")
    }
}
