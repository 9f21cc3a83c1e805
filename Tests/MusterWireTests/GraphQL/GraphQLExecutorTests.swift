import Synchronization
import Testing

@testable import MusterWire

struct GraphQLExecutorTests {
    private func check(
        _ query: String, _ expected: String, variables: String = "{}",
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let response = try await GraphQLSample.response(query, variables: variables)
        #expect(response == expected, sourceLocation: sourceLocation)
    }

    /// The faults with which an operation is refused before anything is read.
    private func refusals(_ query: String, variables: String = "{}", operation: String? = nil) async -> [String] {
        do {
            _ = try await GraphQLSample.response(query, variables: variables, operation: operation)
            return []
        } catch let errors as GraphQLErrors {
            return GraphQLSample.texts(errors.errors)
        } catch {
            return ["\(error)"]
        }
    }

    @Test func `fields are answered in the order of the source, fragments and aliases included`() async throws {
        try await check(
            "{ b: team { name id } ...Q person(id: \"p1\") { n: name(upper: true) friends { id } } }"
                + " fragment Q on Query { __typename person(id: \"p1\") { age } }",
            #"{"data":{"b":{"name":"Red","id":"t1"},"__typename":"Query","#
                + #""person":{"age":30,"n":"P1","friends":[{"id":"p2"},{"id":"p3"}]}}}"#)
        try await check(
            "{ things { __typename ... on Person { name } ... on Node { id } } }",
            #"{"data":{"things":[{"__typename":"Person","name":"p1","id":"p1"},null,{"__typename":"Team","id":"t1"}]}}"#
        )
    }

    @Test func `a level is read at once, however many objects it has`() async throws {
        let calls = Mutex<[String]>([])
        let resolver = SampleResolver { type, field, count in
            calls.withLock { $0.append("\(type).\(field) \(count)") }
        }
        _ = try await GraphQLSample.response(
            "{ people { name team { people { id } } friends { name } } }", resolver: resolver)
        #expect(
            calls.withLock { $0 } == [
                "Query.people 1", "Person.name 4", "Person.team 4", "Person.friends 4", "Team.people 3",
                "Person.name 2", "Person.id 12",
            ])
    }

    @Test func `a null that must not be takes the nearest object that may be null`() async throws {
        try await check(
            "{ people { id strict } }",
            #"{"errors":[{"message":"Cannot return null for non-nullable field Person.strict.","#
                + #""locations":[{"line":1,"column":15}],"path":["people",1,"strict"]}],"#
                + #""data":{"people":[{"id":"p1","strict":"ok"},null,{"id":"p3","strict":"ok"},"#
                + #"{"id":"p4","strict":"ok"}]}}"#
        )
        try await check(
            "{ person(id: \"p1\") { friends { strict } } team { lead { id } } }",
            #"{"errors":[{"message":"Cannot return null for non-nullable field Team.lead.","#
                + #""locations":[{"line":1,"column":50}],"path":["team","lead"]},"#
                + #"{"message":"Cannot return null for non-nullable field Person.strict.","#
                + #""locations":[{"line":1,"column":32}],"path":["person","friends",0,"strict"]}],"#
                + #""data":{"person":null,"team":null}}"#)
    }

    @Test func `errors have a path, places and a code`() async throws {
        try await check(
            "{ person(id: \"p1\") { a: failing ...F } } fragment F on Person { a: failing }",
            #"{"errors":[{"message":"no p1","locations":[{"line":1,"column":22},{"line":1,"column":65}],"#
                + #""path":["person","a"],"extensions":{"errorType":"Unauthorized"}}],"data":{"person":{"a":null}}}"#)
        let response = try await GraphQLSample.response("{ people { age role } }")
        #expect(response.contains(#"Int cannot represent non-integer value: \"old\""#))
        #expect(response.contains(#"Enum 'Role' cannot represent value: \"NONE\""#))
    }

    @Test func `conditions leave fields out`() async throws {
        let query = """
            query ($yes: Boolean!, $no: Boolean = false) {
              team @skip(if: $yes) { id }
              a: team @include(if: $no) { id }
              ... @include(if: $yes) { b: team { id name @skip(if: true) } }
            }
            """
        try await check(query, #"{"data":{"b":{"id":"t1"}}}"#, variables: #"{"yes":true}"#)
    }

    @Test func `arguments are coerced, with defaults at every level`() async throws {
        try await check(
            "query ($f: Filter, $n: Int, $missing: String) { echo(value: $f, list: [1, 2], id: 7, float: 3) b:"
                + " echo(value: {name: $missing, not: {minAge: $n}}) c: echo(list: 5, value: null) }",
            #"{"data":{"echo":"{\"value\":{\"minAge\":0,\"roles\":[\"ADMIN\"]},\"list\":[1,2],"#
                + #"\"float\":3,\"id\":\"7\"}","#
                + #""b":"{\"value\":{\"minAge\":0,\"not\":{\"minAge\":4}}}","c":"{\"value\":null,\"list\":[5]}"}}"#,
            variables: #"{"f":{"roles":"ADMIN"},"n":4}"#)
        try await check("mutation { count a: count(by: 3) }", #"{"data":{"count":1,"a":3}}"#)
    }

    @Test func `variables that do not fit are refused with their paths`() async {
        let query = "query Q($f: Filter, $id: ID!, $n: Int) { echo(value: $f, list: [$n], id: $id) }"
        #expect(
            await refusals(
                query.replacing("list: [$n], ", with: "").replacing(", $n: Int", with: ""),
                variables: #"{"f":{"not":{"roles":["ADMIN",3]},"nme":1}}"#) == [
                    "1:9 Variable '$f' got invalid value 3 at 'f.not.roles[1]'; Enum 'Role' cannot represent non-string"
                        + " value: 3.",
                    #"1:9 Variable '$f' got invalid value {"not":{"roles":["ADMIN",3]},"nme":1}; Field 'nme' is not"#
                        + " defined by type 'Filter'. Did you mean 'name' or 'not'?",
                    "1:21 Variable '$id' of required type 'ID!' was not provided.",
                ])
        #expect(
            await refusals("query ($n: Int!) { people(first: $n) { id } }", variables: #"{"n":null}"#) == [
                "1:8 Variable '$n' of non-null type 'Int!' must not be null."
            ])
    }

    @Test func `the operation is chosen by its name`() async {
        let query = "query A { team { id } } query B { team { name } }"
        #expect(
            await refusals(query) == [" Must provide operation name if query contains multiple operations."])
        #expect(await refusals(query, operation: "C") == [" Unknown operation named 'C'."])
        #expect(await refusals(query, operation: "B").isEmpty)
        #expect(await refusals("fragment F on Team { id }").first == "1:1 Fragment 'F' is never used.")
    }

    @Test func `a subscription says what it subscribes to`() throws {
        let request = try GraphQLRequest(
            "subscription ($id: ID) { c: changed(id: $id) { id } }", schema: GraphQLSample.schema)
        let operation = try GraphQLOperation(request, variables: [.init("id", .integer(7))])
        let field = try operation.subscriptionField()
        #expect(field.name == "changed")
        #expect(field.arguments == [.init("id", .string("7"))])
    }

    @Test func `a response that grows too large is given up`() async throws {
        var limits = GraphQLLimits()
        limits.responseValues = 10
        let request = try GraphQLRequest("{ people { id name } }", schema: GraphQLSample.schema, limits: limits)
        let operation = try GraphQLOperation(request)
        let response = await GraphQLExecutor(SampleResolver()).execute(operation, root: "")
        #expect(response.data == .null)
        #expect(response.errors.map(\.message) == ["The response has more than 10 values."])
    }
}
