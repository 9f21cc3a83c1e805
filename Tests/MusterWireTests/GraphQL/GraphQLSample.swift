import Foundation

@testable import MusterWire

/// A schema and data for the tests.
enum GraphQLSample {
    static let source = """
        scalar Moment @specifiedBy(url: "https://example.org/moment")
        interface Node { id: ID! }
        enum Role { ADMIN LEADER MEMBER @deprecated(reason: "use LEADER") }
        type Person implements Node {
          id: ID!
          name(upper: Boolean = false): String!
          age: Int
          role: Role
          team: Team
          friends(limit: Int = 10): [Person!]!
          failing: String
          strict: String!
        }
        type Team implements Node { id: ID!, name: String!, people(filter: Filter): [Person], lead: Person! }
        union Thing = Person | Team
        input Filter { name: String, minAge: Int = 0, roles: [Role!], not: Filter }
        input NewPerson { name: String!, role: Role! = MEMBER, tags: [String!]! = ["a"] }
        type Query {
          person(id: ID!): Person
          people(first: Int): [Person]
          team: Team
          things: [Thing]
          echo(value: Filter, list: [Int!], moment: Moment, float: Float, id: ID): String
        }
        type Mutation { create(input: NewPerson!): Person, count(by: Int! = 1): Int! }
        type Subscription { changed(id: ID): Person, ticks: Int! }
        directive @note(text: String!) repeatable on FIELD | QUERY
        """

    static let schema: GraphQLSchema = {
        do {
            return try GraphQLSchema(source)
        } catch {
            fatalError("the sample schema is faulty: \(error)")
        }
    }()

    /// The schema that is to be served.
    static func servedSchema() throws -> GraphQLSchema {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Corpus/served.graphql")
        return try GraphQLSchema(String(contentsOf: file, encoding: .utf8))
    }

    /// The errors of a query, each as `LINE:COLUMN,LINE:COLUMN MESSAGE`.
    static func faults(_ query: String, limits: GraphQLLimits = GraphQLLimits()) -> [String] {
        do {
            _ = try GraphQLRequest(query, schema: schema, limits: limits)
            return []
        } catch {
            return texts(error.errors)
        }
    }

    static func texts(_ errors: [GraphQLError]) -> [String] {
        errors.map { error in
            let places = error.locations.map { "\($0.line):\($0.column)" }.joined(separator: ",")
            return "\(places) \(error.message)"
        }
    }

    /// Executes a query, and returns the response as JSON.
    static func response(
        _ query: String, variables: String = "{}", operation: String? = nil, resolver: SampleResolver = SampleResolver()
    ) async throws -> String {
        let request = try GraphQLRequest(query, schema: schema)
        let members = try JSONValue(parsing: Array(variables.utf8)).members ?? []
        let prepared = try GraphQLOperation(request, named: operation, variables: members)
        let response = await GraphQLExecutor(resolver).execute(prepared, root: "")
        return String(decoding: response.json.bytes, as: UTF8.self)
    }
}

/// Resolves the sample's fields. An object is its identifier: `p1` to `p4` are people, `t1` is a team.
struct SampleResolver: GraphQLResolver {
    /// Called with each request: its type, field, and number of objects.
    var onResolve: @Sendable (String, String, Int) -> Void = { _, _, _ in }

    func resolve(_ request: GraphQLFieldRequest<String>) async throws -> [GraphQLResolved<String>] {
        onResolve(request.type, request.field, request.objects.count)
        if request.field == "count" { return [.value(request["by"] ?? .null)] }
        return request.objects.map { resolve(request, $0) }
    }

    private static let people = ["p1", "p2", "p3", "p4"]

    private func person(_ id: String) -> GraphQLResolved<String> {
        Self.people.contains(id) ? .object(id, type: "Person") : .null
    }

    private func resolve(
        _ request: GraphQLFieldRequest<String>, _ object: String
    ) -> GraphQLResolved<String> {
        switch (request.type, request.field) {
        case (_, "id"): .value(.string(object))
        case ("Query", "person"): person(request["id"]?.string ?? "")
        case ("Query", "people"), ("Team", "people"):
            .list(Self.people.prefix(Int(request["first"]?.integer ?? 4)).map { person($0) })
        case (_, "team"): object == "p4" ? .null : .object("t1", type: nil)
        case ("Query", "things"): .list([.object("p1", type: "Person"), .null, .object("t1", type: "Team")])
        case ("Query", "echo"):
            .value(
                .string(String(decoding: JSONValue.object(request.arguments).bytes, as: UTF8.self)))
        case ("Person", "name"): .value(.string(request["upper"] == .boolean(true) ? object.uppercased() : object))
        case ("Team", "name"): .value(.string("Red"))
        case ("Person", "age"): object == "p1" ? .value(.integer(30)) : .value(.string("old"))
        case ("Person", "role"): .value(.string(object == "p3" ? "NONE" : "ADMIN"))
        case ("Person", "friends"): .list(object == "p1" ? [person("p2"), person("p3")] : [])
        case ("Person", "failing"): .failure(GraphQLFieldFault("no \(object)", code: "Unauthorized"))
        case ("Person", "strict"): object == "p2" ? .null : .value(.string("ok"))
        case ("Team", "lead"): .null
        case ("Mutation", "create"): .object("p1", type: nil)
        case ("Subscription", "changed"): .object(object, type: "Person")
        default: .null
        }
    }
}
