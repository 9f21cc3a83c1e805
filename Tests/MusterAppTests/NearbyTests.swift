import Foundation
import MusterCore
import MusterKit
import Testing

@testable import MusterApp

/// The people nearby, by the relay of a real server.
@MainActor @Suite(.timeLimit(.minutes(5))) struct NearbyTests {
    @Test func `two of a team see how far the other is once both have said yes`() async throws {
        try await RunningServer.serve { server in
            try await server.makeMeadow()
            try await server.make(["ann.nearby", "bob.nearby"], team: "crew")
            let ann = Phone(at: server.address, over: server.connections)
            let bob = Phone(at: server.address, over: server.connections)
            try await ann.signIn("ann.nearby")
            try await bob.signIn("bob.nearby")
            try await Self.locate(ann, metresNorth: 0)
            try await Self.locate(bob, metresNorth: 300)
            let models = [try ann.account.nearby, try bob.account.nearby]
            let runs = models.map { model in Task { await model.run(measuringBy: []) } }
            try await Self.meet(ann, bob, models)
            for run in runs { run.cancel() }
            for run in runs { await run.value }
            #expect(models.allSatisfy { $0.rows.isEmpty && $0.requests.isEmpty })
            await ann.app.close()
            await bob.app.close()
        }
    }

    private static func meet(_ ann: Phone, _ bob: Phone, _ models: [NearbyModel]) async throws {
        #expect(models.allSatisfy { $0.rows.isEmpty }, "nobody is measured before both have said yes")
        for (model, other) in zip(models, ["bob.nearby", "ann.nearby"]) {
            try await until { model.requests.contains { $0.text.hasPrefix(other) } }
            let request = try #require(model.requests.first { $0.text.hasPrefix(other) })
            #expect(request.digits.count == 39, "digits that both compare")
            model.answer(request.id, isAllowed: true)
        }
        for (model, other) in zip(models, ["bob.nearby", "ann.nearby"]) {
            try await until {
                ann.tick()
                bob.tick()
                return model.rows.contains { $0.name == other && $0.distanceText.hasPrefix("300 m") }
            }
            let row = try #require(model.rows.first { $0.name == other })
            #expect(row.arrowDegrees == nil, "without a compass there is no arrow")
            #expect(row.directionText == "No direction")
            #expect(row.spoken.contains(other))
        }
    }

    private static func locate(_ phone: Phone, metresNorth: Double) async throws {
        try await until {
            phone.tick()
            return phone.source.isRead
        }
        phone.source.give(.fix(try position(0, north: metresNorth)))
        let account = try phone.account
        try await until { account.phone.location != nil }
        phone.tick()
    }
}
