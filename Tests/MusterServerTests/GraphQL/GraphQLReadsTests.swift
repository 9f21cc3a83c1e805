import Hummingbird
import Logging
import MusterCore
import MusterStore
import MusterWire
import NIOEmbedded
import Testing

@testable import MusterGraphQL
@testable import MusterServer

extension Office {
    /// The context of an operation of a user: it sees the directory as it is now.
    func operationContext(of name: String) throws -> OperationContext {
        var context = AppRequestContext(
            source: ApplicationRequestContextSource(channel: EmbeddedChannel(), logger: Logger(label: "test")))
        context.principal = Principal(try user(name), proof: .apiKey)
        return try OperationContext(parts, context)
    }
}

extension OperationContext {
    /// Executes an operation in this context.
    func execute(_ source: String) async throws -> GraphQLResponse {
        let request = try GraphQLRequest(source, schema: ServedSchema.schema, limits: ServedSchema.limits)
        let operation = try GraphQLOperation(request)
        return await GraphQLExecutor(ServedResolver(operation: self)).execute(operation, root: .operation)
    }
}

/// How often an operation reads the store and the engine.
@Suite struct GraphQLReadsTests {
    /// An office with so many more members in north, each with a phone.
    private func office(with count: Int) async throws -> Office {
        let office = try await Office()
        try await office.coordinator.edit(by: nil) { directory, draft in
            for number in 0..<count {
                let user = User(
                    number: try draft.transaction.nextUserNumber(), name: "p\(number)", role: .member,
                    team: directory.teams["north"]?.number)
                let device = Device(
                    number: try draft.transaction.nextDeviceNumber(), name: "phone", user: user.number)
                draft.edits += [.putUser(user), .putDevice(device)]
            }
        }
        return office
    }

    /// Operations over many objects, and the list that each fills.
    private static let operations: [(text: String, list: [String])] = [
        (
            """
            { people(first: 1000) { edges { node {
              id name safety safetySince team { name } crew { name } position { sampleTime }
              devices { id position { sampleTime } regions { name } positions(from: "2020-01-01T00:00:00Z", first: 1) {
                edges { cursor }
              } }
            } } } }
            """, ["people", "edges"]
        ),
        ("{ people(first: 1000, safety: UNKNOWN) { edges { node { name } } } }", ["people", "edges"]),
        (
            "{ devices(first: 1000) { edges { node { owner { name safety } position { sampleTime } } } } }",
            ["devices", "edges"]
        ),
        ("{ listUsers(limit: 1000) { items { id isSafe _version _lastChangedAt } } }", ["listUsers", "items"]),
        ("{ syncUsers(limit: 1000) { items { id isSafe _version _deleted } } }", ["syncUsers", "items"]),
    ]

    @Test func `ten times as many people are read in as many reads`() async throws {
        let (few, many) = (try await office(with: 90), try await office(with: 900))
        for (text, list) in Self.operations {
            var counts: [Int] = []
            for office in [few, many] {
                let context = try office.operationContext(of: "admin")
                let response = try await context.execute(text)
                #expect(response.errors == [])
                let found = list.reduce(response.data ?? .null) { $0[$1] ?? .null }.elements?.count ?? 0
                #expect(found >= office.coordinator.directory.users.count - 1)
                counts.append(context.readCount)
            }
            #expect(counts[0] == counts[1], "\(text)")
            #expect(counts[0] <= 6, "\(text)")
        }
        for office in [few, many] { try await office.coordinator.close() }
    }
}
