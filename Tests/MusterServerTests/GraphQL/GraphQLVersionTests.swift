import Hummingbird
import Logging
import MusterCore
import MusterStore
import NIOEmbedded
import Testing

@testable import MusterGraphQL
@testable import MusterServer

/// The versions by which a client's copy of the people orders what it hears.
@Suite struct GraphQLVersionTests {
    private func declare(_ kind: String, at desk: Desk) async throws {
        let reply = try await desk.send(.post, "/users/mia/declarations", as: "admin", #"{"kind":"\#(kind)"}"#)
        #expect(reply.status < 300)
    }

    private func operation(at office: Office) throws -> OperationContext {
        var context = AppRequestContext(
            source: ApplicationRequestContextSource(channel: EmbeddedChannel(), logger: Logger(label: "test")))
        context.principal = Principal(try office.user("lena"), proof: .apiKey)
        return try OperationContext(office.parts, context)
    }

    @Test func `no version is higher than that of the state it is shown with`() async throws {
        let office = try await Office()
        try await office.open { desk in
            try await declare("needsHelp", at: desk)
            let mia = try office.user("mia")
            let operation = try operation(at: office)
            let before = try #require(try await operation.versions(of: [mia])[mia.number])
            try await declare("safe", at: desk)
            // The operation goes on showing what it read first. With the new version a client would drop the change.
            let shown = try await operation.safety(of: [mia])[mia.number]
            #expect(shown?.state == .needsHelp)
            let version = try #require(try await operation.versions(of: [mia])[mia.number])
            let report = try #require(try await operation.lastReports(of: [mia])[mia.number])
            #expect(report.isSafe == true)
            #expect(version.number < report.sequence.rawValue)
            #expect(version.number >= before.number)
            let newest = try await self.operation(at: office).versions(of: [mia])[mia.number]
            #expect(newest?.number == report.sequence.rawValue)
        }
    }

    @Test func `somebody of whom the server never heard has the first version`() async throws {
        let office = try await Office()
        try await office.open { _ in
            let mia = try office.user("mia")
            #expect(try await operation(at: office).versions(of: [mia])[mia.number] == .first)
        }
    }
}
