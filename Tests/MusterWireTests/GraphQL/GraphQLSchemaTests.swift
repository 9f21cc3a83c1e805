import Testing

@testable import MusterWire

struct GraphQLSchemaTests {
    private func faults(_ source: String) -> [String] {
        do {
            _ = try GraphQLSchema(source)
            return []
        } catch {
            return GraphQLSample.texts(error.errors)
        }
    }

    private func check(_ source: String, _ expected: String..., sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(faults(source).sorted() == expected.sorted(), sourceLocation: sourceLocation)
    }

    @Test func `a schema prints as its source`() throws {
        let source = #"""
            """
            A schema with
              an indented line
            """
            schema {
              query: Root
            }

            "Marks a field."
            directive @mark(
              "How strongly."
              strength: Int = 1
            ) repeatable on FIELD | OBJECT

            interface Node {
              id: ID!
            }

            type Root implements Node {
              id: ID!

              """The \"many\" of """
              many(filter: In = {text: "é\n", level: HIGH, ids: [1, "x"]}): [[Root!]!]! @deprecated
              old: U @deprecated(reason: "no \"more\"")
            }

            union U = Root

            enum Level {
              LOW

              "Not low."
              HIGH @deprecated
            }

            input In {
              text: String = "x"
              level: Level
              ids: [ID!]
            }

            scalar Moment @specifiedBy(url: "https://example.org/")

            """#
        let printed = try GraphQLSchema(source).source
        #expect(try GraphQLSchema(printed).source == printed)
        #expect(
            printed.contains(
                "many(filter: In = {text: \"é\\n\", level: HIGH, ids: [1, \"x\"]}): [[Root!]!]! @deprecated"))
        #expect(printed.hasSuffix("scalar Moment @specifiedBy(url: \"https://example.org/\")\n"))
    }

    @Test func `names are known and defined once`() {
        check("type Query { a: Nope }", "1:17 Unknown type 'Nope'.")
        check(
            "type Query { a: Int a: Int } enum E { A A } type Query { b: Int }",
            "1:14,1:21 Field 'Query.a' can only be defined once.",
            "1:39,1:41 Enum value 'E.A' can only be defined once.",
            "1:6,1:50 There can be only one type named 'Query'.")
        check("type Query { a(x: Int, x: Int): Int }", "1:16,1:24 Argument 'Query.a(x:)' can only be defined once.")
        check(
            "extend type Nope { a: Int } type Query { a: Int }",
            "1:13 Cannot extend type 'Nope' because it is not defined.")
        check("extend enum Query { A } type Query { a: Int }", "1:25,1:1 Cannot extend non-enum type 'Query'.")
        check("type Query { a: Int @nope }", "1:21 Unknown directive '@nope'.")
        check("{ a }", "1:1 A schema's source must not have operations.")
    }

    @Test func `types keep the rules of their kind`() {
        check("type A { a: Int }", " Query root type must be provided.")
        check("enum Query { A }", "1:1 Query root type must be Object type, it cannot be Query.")
        check("type Query { a: In } input In { a: Int }", "1:17 The type of Query.a must be Output Type but got: In.")
        check(
            "type Query { a(b: Query): Int }", "1:19 The type of Query.a(b:) must be Input Type but got: Query.")
        check(
            "type Query { __a: Int }",
            "1:14 Name '__a' must not begin with '__', which is reserved by GraphQL introspection.")
        check(
            "type Query { a: Int } union U = Int",
            "1:33 Union type U can only include Object types, it cannot include Int.")
        check(
            "type Query { a: Int } input A { b: B! } input B { a: A! }",
            "1:33,1:51 Cannot reference Input Object 'A' within itself through a series of non-null fields: 'b.a'.")
        check(
            "type Query { a(b: Int! @deprecated): Int }",
            "1:24,1:19 Required argument Query.a(b:) cannot be deprecated.")
        check("type Query { a(b: Int = \"x\"): Int }", "1:25 The default \"x\" of 'b' does not have the type 'Int'.")
    }

    @Test func `a type has what its interfaces promise`() {
        let node = "type Query { a: Node } interface Node { id(short: Boolean): ID! } "
        check(node + "type A implements Node { id(short: Boolean): ID! more: Int }")
        check(
            node + "type A implements Node { a: Int }",
            "1:41,1:67 Interface field Node.id expected but A does not provide it.")
        check(
            node + "type A implements Node { id(short: Boolean): ID }",
            "1:61,1:112 Interface field Node.id expects type ID! but A.id is type ID.")
        check(
            node + "type A implements Node { id: ID! }",
            "1:44,1:92 Interface field argument Node.id(short:) expected but A.id does not provide it.")
        check(
            node + "type A implements Node { id(short: Boolean, long: Int!): ID! }",
            "1:111,1:41 Object field A.id includes required argument long that is missing from the Interface"
                + " field Node.id."
        )
        check(
            node + "type A implements Query { a: Node }",
            "1:85 Type A must only implement Interface types, it cannot implement Query.")
    }

    @Test func `extensions add to their types`() throws {
        let schema = try GraphQLSchema(
            "type Query { a: U } enum E { A } union U = Query extend type Query implements N { b(e: E = B): Int } "
                + "extend enum E { B } interface N { b(e: E): Int } extend union U = T type T { x: Int }")
        let source = schema.source
        #expect(source.contains("type Query implements N {\n  a: U\n  b(e: E = B): Int\n}"))
        #expect(source.contains("union U = Query | T"))
        #expect(source.contains("enum E {\n  A\n  B\n}"))
    }

    @Test func `introspection describes the schema`() async throws {
        let response = try await GraphQLSample.response(
            """
            {
              __type(name: "Person") {
                kind name interfaces { name }
                fields { name args { name defaultValue } type { kind ofType { kind name } } }
              }
              role: __type(name: "Role") {
                enumValues { name }
                all: enumValues(includeDeprecated: true) { name isDeprecated deprecationReason }
              }
              scalar: __type(name: "Moment") { specifiedByURL }
              none: __type(name: "Nope") { name }
              __schema { queryType { name } subscriptionType { name } directives { name isRepeatable locations } }
            }
            """)
        #expect(
            response.contains(
                #"{"name":"name","args":[{"name":"upper","defaultValue":"false"}],"type":"#
                    + #"{"kind":"NON_NULL","ofType":{"kind":"SCALAR","name":"String"}}}"#
            ))
        #expect(response.contains(#""role":{"enumValues":[{"name":"ADMIN"},{"name":"LEADER"}],"all":[{"name":"ADMIN""#))
        #expect(response.contains(#"{"name":"MEMBER","isDeprecated":true,"deprecationReason":"use LEADER"}"#))
        #expect(response.contains(#""scalar":{"specifiedByURL":"https://example.org/moment"},"none":null"#))
        #expect(response.contains(#"{"name":"note","isRepeatable":true,"locations":["FIELD","QUERY"]}"#))
    }

    @Test func `the schema to be served answers what Amplify's clients ask`() throws {
        let schema = try GraphQLSample.servedSchema()
        let fields = "id username isSafe createdAt updatedAt _version _deleted _lastChangedAt __typename"
        let queries = [
            "query GetUser($id: ID!) { getUser(id: $id) { \(fields) } }",
            "query ListUsers($filter: ModelUserFilterInput, $limit: Int, $nextToken: String) {"
                + " listUsers(filter: $filter, limit: $limit, nextToken: $nextToken) {"
                + " items { \(fields) } nextToken startedAt } }",
            "mutation UpdateUser($input: UpdateUserInput!, $condition: ModelUserConditionInput) {"
                + " updateUser(input: $input, condition: $condition) { \(fields) } }",
            "subscription OnUpdateUser($filter: ModelSubscriptionUserFilterInput) {"
                + " onUpdateUser(filter: $filter) { \(fields) } }",
        ]
        for query in queries {
            #expect(throws: Never.self, "\(query)") { try GraphQLRequest(query, schema: schema) }
        }
        #expect(throws: GraphQLErrors.self) {
            try GraphQLRequest("{ listUsers(first: 1) { nextToken } }", schema: schema)
        }
        let printed = schema.source
        #expect(try GraphQLSchema(printed).source == printed)
    }

    @Test func `custom scalars check their values`() throws {
        let even = GraphQLScalar { value throws(GraphQLScalarFault) in
            guard let integer = value.integer, integer % 2 == 0 else { throw GraphQLScalarFault("It must be even.") }
            return value
        }
        let schema = try GraphQLSchema("scalar Even type Query { a(b: Even): Even }", scalars: ["Even": even])
        #expect(throws: Never.self) { try GraphQLRequest("{ a(b: 2) }", schema: schema) }
        do {
            _ = try GraphQLRequest("{ a(b: 3) }", schema: schema)
            Issue.record("an odd number is accepted")
        } catch {
            #expect(
                GraphQLSample.texts(error.errors) == ["1:8 Expected value of type 'Even', found 3; It must be even."])
        }
    }
}
