import Testing

@testable import MusterWire

/// Requests that are made to be costly, and text that is no request at all.
struct GraphQLCostTests {
    /// Checks that a source is refused or accepted soon. The bound applies to the time for which the thread computes.
    private func check(
        _ query: String, _ expected: String?, within bound: Duration = .seconds(2),
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        var found: String?
        let spent = computingTime {
            do {
                _ = try GraphQLOperation(try GraphQLRequest(query, schema: GraphQLSample.schema))
            } catch let errors as GraphQLErrors {
                found = errors.errors.first?.message
            } catch {
                found = "\(error)"
            }
        }
        if let expected {
            #expect(found?.contains(expected) == true, "\(found ?? "accepted")", sourceLocation: sourceLocation)
        } else {
            #expect(found == nil, sourceLocation: sourceLocation)
        }
        #expect(spent < bound, sourceLocation: sourceLocation)
    }

    @Test func `depth and fields are counted with fragments expanded`() {
        check("{ person(id: 1) { friends { team { people { id } } } } }", nil)
        let chain =
            "{ person(id: 1) { ...F0 } } "
            + (0..<15).map { "fragment F\($0) on Person { friends { team { lead { ...F\($0 + 1) } } } } " }.joined()
            + "fragment F15 on Person { id }"
        check(chain, "nests fields deeper than 24 levels")
        let doubling =
            "{ person(id: 1) { ...F0 } } "
            + (0..<20).map {
                "fragment F\($0) on Person { a: friends { ...F\($0 + 1) } b: friends { ...F\($0 + 1) } } "
            }
            .joined() + "fragment F20 on Person { id }"
        check(doubling, "selects more than 5000 fields")
        check(
            "{ " + (0..<6_000).map { "a\($0): __typename " }.joined() + "}", "The document is longer than 65536 bytes")
        check("{ " + (0..<3_500).map { "a\($0):__typename" }.joined(separator: "\n") + "\n}", nil)
    }

    @Test func `fields that overlap in many ways are bounded`() {
        let same = "{ " + String(repeating: "team{id}", count: 8_000) + "}"
        check(same, "selects more than 5000 fields")
        let differing = "{ " + (0..<3_000).map { "a:echo(id:\($0))" }.joined(separator: " ") + "}"
        check(differing, "conflict because they have differing arguments")
        let spreads = (0..<200).map {
            "fragment F\($0) on Team { x\($0): name \((0..<200).map { "...F\($0)" }.joined()) }"
        }
        check("{ team { ...F0 } } " + spreads.joined().prefix(64_000), "Syntax Error")
        let exclusive =
            "{ things { "
            + (0..<1_500).map { $0 % 2 == 0 ? "...on Person{a:age}" : "...on Team{a:name}" }
            .joined() + "} }"
        check(exclusive, "conflict")
    }

    @Test func `fragments in circles and repeated names are refused soon`() {
        let circle =
            "{ team { ...F0 } } " + (0..<250).map { "fragment F\($0) on Team { ...F\(($0 + 1) % 250) } " }.joined()
        check(circle, "Cannot spread fragment 'F0' within itself via")
        check("{ people(" + String(repeating: "first:1 ", count: 250) + ") { id } }", "only one argument named 'first'")
        let names = (0..<9_000).map { "n\($0)" }.joined(separator: " ")
        check("{ \(names) }", "Cannot query field 'n0'")
        let long = String(repeating: "x", count: 60_000)
        check("{ \(long) }", "Cannot query field '\(long.prefix(100))…'")
        check("{ echo(value: \"\(long)\") }", "Expected value of type 'Filter', found \"xxx")
        check(String(repeating: "#\n", count: 30_000) + "{ team { id } }", nil)
        check("{ team { id } }" + String(repeating: ",", count: 60_000), nil)
    }

    @Test func `lists of introspection nest at most two deep`() {
        let types = "types { fields { type { "
        check("{ __schema { \(types) possibleTypes { name } } } } } }", nil)
        check("{ __schema { \(types) fields { type { interfaces { name } } } } } } } }", "nests lists of introspection")
        check(
            "{ __type(name: \"Team\") { ...A } } fragment A on __Type { fields { type { ...B } } }"
                + " fragment B on __Type { inputFields { type { ofType { interfaces { name } } } } }",
            "nests lists of introspection deeper than 2 levels")
        check(
            "query Q { ...R } fragment R on Query { s: __schema { queryType { fields { type { fields { type {"
                + " possibleTypes { name } } } } } } } }",
            "nests lists of introspection")
    }

    @Test func `each kind of costly request is refused in a moment`() {
        // A release build takes less than 10 ms for each; a debug build is some twenty times as slow.
        let moment = Duration.milliseconds(400)
        func repeated(_ count: Int, _ text: (Int) -> String) -> String { (0..<count).map(text).joined(separator: " ") }
        for (query, expected) in [
            (
                "{ team { people { " + repeated(30) { _ in "friends { team { people {" } + " id "
                    + repeated(30) { _ in "} } }" } + " } } }", "The document nests deeper"
            ),
            ("{ team { " + repeated(9_000) { _ in "id" } + " } }", "selects more than 5000 fields"),
            ("{ team { " + repeated(5_500) { "a\($0):id" } + " } }", "selects more than 5000 fields"),
            ("{ team { id } }" + String(repeating: " ", count: 1 << 20), "longer than 65536 bytes"),
            ("query (" + repeated(10_000) { "$v\($0): Int" } + ") { team { id } }", "longer than 65536 bytes"),
            ("query (" + repeated(4_000) { "$v\($0): Int" } + ") { team { id } }", "more than 128 variables"),
            ("{ team { id } people(first: 99999999999) { id } }", "non 32-bit signed integer"),
            ("{ echo(id: \"\\uD800\") }", "Syntax Error"),
        ] {
            check(query, expected, within: moment)
        }
    }

    @Test func `mutated requests and schemas never crash`() async throws {
        var random = Seeded(seed: 43)
        let queries = [
            "query Q($id: ID!, $f: Filter = {name: \"a\", not: {roles: [ADMIN]}}) { person(id: $id) { ...P"
                + " friends(limit: 3) { ...P } team @include(if: true) { people(filter: $f) { id } } } }"
                + " fragment P on Person { id name(upper: true) n: name }",
            "{ things { __typename ... on Team { name } ... on Node { id } }"
                + " echo(list: [1], moment: {a: \"\\u00e9\"}) }",
            "subscription { changed(id: \"\"\"\n x\n\"\"\") { id age } }",
            "{ __schema { types { name fields { name args { defaultValue } type { name ofType { name } } } } } }",
            GraphQLSample.source,
        ].map(\.bytes)
        let pieces = [
            "{", "}", "(", ")", "[", "]", "!", "$id", "@skip(if: true)", ":", "...P", "... on Team", "\"", "\"\"\"",
            "\\u",
            "\\uD83D", "1e9", "é", "😀", "\r\n", "#", "fragment P on Team {", "null", "id: name", "extend", "input",
        ].map(\.bytes)
        for _ in 0..<3_000 {
            guard var text = queries.randomElement(using: &random) else { return }
            for _ in 0..<Int.random(in: 1...3, using: &random) where !text.isEmpty {
                let place = Int.random(in: 0..<text.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: text[place] = UInt8.random(in: 0...255, using: &random)
                case 1: text.removeSubrange(place..<min(text.count, place + Int.random(in: 1...9, using: &random)))
                case 2: text.insert(contentsOf: pieces.randomElement(using: &random) ?? [], at: place)
                default:
                    let end = min(text.count, place + Int.random(in: 1...50, using: &random))
                    text.insert(contentsOf: Array(text[place..<end]), at: place)
                }
            }
            if text.starts(with: "scalar".utf8) { _ = try? GraphQLSchema(text.text) }
            guard let request = try? GraphQLRequest(text.text, schema: GraphQLSample.schema),
                let operation = try? GraphQLOperation(request, variables: [.init("id", .string("p1"))])
            else { continue }
            _ = await GraphQLExecutor(SampleResolver()).execute(operation, root: "p1")
        }
    }
}
