import Foundation
import MusterKit
import MusterWire
import Synchronization
import Testing

@testable import MusterApp

/// How the app follows its team where answers overlap, are refused, or take long.
@MainActor @Suite(.timeLimit(.minutes(5))) struct TeamFollowerTests {
    /// Runs `body` with the phone of the leader lea, who follows the team of ann.
    private static func follow(
        _ body: @escaping @MainActor @Sendable (AccountModel, RunningServer, PickyNetwork) async throws -> Void
    ) async throws {
        try await RunningServer.serve { server in
            try await server.makeMeadow()
            try await server.make(["lea"], role: "leader", team: "crew")
            try await server.make(["ann"], team: "crew")
            let network = PickyNetwork(to: server)
            try await network.run { @MainActor address in
                let phone = Phone(at: address, over: server.connections)
                try await phone.signIn("lea")
                let account = try phone.account
                try await until { account.follower.isLive && account.follower.state.people.count == 2 }
                try await body(account, server, network)
                await phone.app.close()
            }
        }
    }

    /// Holds the first request back that follows the team's people, and counts all of them.
    private static func holdAnswers(_ network: PickyNetwork, by gate: PickyNetwork.Gate) -> Requests {
        let requests = Requests()
        network.decide { request in
            guard request.hasPrefix("GET /api/v1/teams/crew/incidents") else { return .passes }
            return requests.add() == 1 ? .passesLater(gate) : .passes
        }
        return requests
    }

    private final class Requests: Sendable {
        private let number = Mutex(0)

        var count: Int { number.withLock { $0 } }

        /// - Returns: how many there were, with this one.
        func add() -> Int {
            number.withLock { number in
                number += 1
                return number
            }
        }
    }

    @Test func `answers of an earlier request that come later replace no newer ones`() async throws {
        try await Self.follow { account, server, network in
            let follower = account.follower
            let gate = PickyNetwork.Gate()
            let requests = Self.holdAnswers(network, by: gate)
            let older = Task { await follower.reload() }
            try await until { requests.count == 1 }
            // The older answers were given before this, which no change of the feed says whole.
            try await server.ask("PATCH", "users/ann", #"{"phone":"+34985555010"}"#)
            await follower.reload()
            #expect(follower.state.people["ann"]?.phone == "+34985555010")
            gate.open()
            _ = await older.value
            #expect(follower.state.people["ann"]?.phone == "+34985555010")
        }
    }

    @Test func `a refusal that is over asks again by itself`() async throws {
        try await Self.follow { account, server, network in
            let follower = account.follower
            // As a proxy does for a moment: the credentials are good.
            let requests = Requests()
            network.decide { request in
                guard request.hasPrefix("GET /api/v1/positions") else { return .passes }
                return requests.add() == 1 ? .isAnswered(status: 401, body: "{}") : .passes
            }
            try await server.ask("POST", "teams/crew/incidents", #"{"kind":"drill"}"#)
            try await until { requests.count > 1 && follower.isLive && !follower.state.isOutdated }
            #expect(follower.state.people["ann"]?.roll?.incident == 1)
        }
    }

    @Test func `of more changes than are held during a request none is lost, and the team is asked for again`()
        async throws
    {
        try await Self.follow { account, server, network in
            let follower = account.follower
            follower.heldLimit = 3
            let gate = PickyNetwork.Gate()
            let requests = Self.holdAnswers(network, by: gate)
            let asking = Task { await follower.reload() }
            try await until { requests.count == 1 }
            for kind in ["safe", "offSite", "safe", "sos"] {
                try await server.ask("POST", "users/ann/declarations", #"{"kind":"\#(kind)"}"#)
            }
            try await until { follower.state.people["ann"]?.state == .sos }
            #expect(follower.heldCount <= 3)
            gate.open()
            _ = await asking.value
            // The answers are from before the call. Adopted alone, they would take it back.
            #expect(follower.state.people["ann"]?.state == .sos)
            try await until { requests.count > 1 && !follower.state.isOutdated && follower.heldCount == 0 }
            #expect(follower.state.people["ann"]?.state == .sos)
        }
    }
}
