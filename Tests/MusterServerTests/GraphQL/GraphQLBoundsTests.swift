import MusterCore
import Testing

@testable import MusterGraphQL
@testable import MusterServer
@testable import MusterWire

/// What one request may take of a server that others need: mutations, errors, bytes, turns.
@Suite struct GraphQLBoundsTests {
    @Test func `one operation executes at most twenty mutations`() async throws {
        let declarations = (0..<22).map {
            #"m\#($0): declare(input: {person: "Person:mia", declaration: SAFE}) { name }"#
        }
        try await Office().open { desk in
            let reply = try await desk.graphQL("mutation { \(declarations.joined(separator: " ")) }", as: "mia")
            #expect(reply.faults == ["m20 LimitExceeded", "m21 LimitExceeded"])
            #expect(reply["m19", "name"].string == "mia")
        }
    }

    @Test func `one operation reports as many positions as one request of the native API`() async throws {
        let query = """
            mutation ($input: [PositionInput!]!) { a: reportPositions(input: $input) { storedCount repeatedCount }
              b: reportPositions(input: $input) { storedCount } }
            """
        let office = try await Office()
        let now = office.identity.now().rfc3339
        let position = JSONValue.object([
            .init("device", .string("Device:mia/phone")), .init("latitudeDegrees", .integer(45)),
            .init("longitudeDegrees", .integer(14)), .init("sampleTime", .string(now)),
        ])
        try await office.open { desk in
            let input = JSONValue.array(Array(repeating: position, count: 600))
            let reply = try await desk.graphQL(query, as: "mia", variables: .object([.init("input", input)]))
            #expect(reply.faults == ["b LimitExceeded"], "\(reply.reply.text.prefix(500))")
            #expect(reply["a"] != .null)
        }
    }

    @Test func `an answer lists at most a thousand errors, and then says that there are more`() async throws {
        let ids = JSONValue.array(Array(repeating: .string("Team:north"), count: 1_000))
        let query = """
            query ($ids: [ID!]!) { nodes(ids: $ids) { ... on Team { name a: crews { id } b: crews { id } } } }
            """
        try await FurnishedOffice().office.open { desk in
            let reply = try await desk.graphQL(query, as: "mia", variables: .object([.init("ids", ids)]))
            #expect(reply.faults.count == 1_001)
            #expect(reply.faults.first == "nodes.0.a Unauthorized")
            #expect(reply.faults.last == " LimitExceeded")
            #expect(reply["nodes"].texts("name").count == 1_000)
        }
    }

    @Test func `the text of a region is not sent a hundred thousand times`() async throws {
        let ids = JSONValue.array(Array(repeating: .string("Region:north/square"), count: 1_000))
        let fields = (0..<150).map { "a\($0): geoJSON" }.joined(separator: " ")
        let query = "query ($ids: [ID!]!) { nodes(ids: $ids) { ... on Region { \(fields) } } }"
        try await FurnishedOffice().office.open { desk in
            let reply = try await desk.graphQL(query, as: "mia", variables: .object([.init("ids", ids)]))
            #expect(reply.faults.contains { $0.hasSuffix(" LimitExceeded") })
            #expect(reply.reply.text.utf8.count < 20 << 20)
        }
    }

    @Test func `a document that only looks like a known one is executed as it was sent`() throws {
        let cache = DocumentCache()
        let known = #"{ node(id: "Person:K") { id } }"#
        let other = known.replacing("K", with: "\u{212A}")
        #expect(known == other)
        #expect(Array(known.utf8) != Array(other.utf8))
        let sources = try [known, other].map { try cache.document($0).document.source.bytes }
        #expect(sources == [known, other].map { Array($0.utf8) })
    }

    @Test func `of one user as many operations run as may, some wait, and further ones are refused`() async throws {
        let gate = OperationGate(running: 1, waiting: 1)
        let (mia, ben) = (UserNumber(1), UserNumber(2))
        let (entered, enter) = AsyncStream.makeStream(of: String.self)
        let (released, release) = AsyncStream.makeStream(of: Void.self)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await gate.run(mia) {
                    enter.yield("first")
                    for await _ in released { break }
                }
            }
            var entries = entered.makeAsyncIterator()
            #expect(await entries.next() == "first")
            // Nobody waits for the operations of others.
            try await gate.run(ben) {}
            group.addTask {
                try await gate.run(mia) { () -> Void in enter.yield("second") }
            }
            while gate.waitingCount(of: mia) == 0 { await Task.yield() }
            await #expect(throws: Problem.self) { try await gate.run(mia) {} }
            release.yield()
            #expect(await entries.next() == "second")
            try await group.waitForAll()
        }
        try await gate.run(mia) {}
    }

    @Test func `a person in doubt is not called safe`() {
        let since = Instant(milliseconds: 1)
        #expect(Safety(state: .safe, since: since).served == "SAFE")
        #expect(Safety(state: .safe, since: since, doubt: .checking).served == "CHECKING")
    }
}
