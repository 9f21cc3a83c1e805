import MusterKit
import MusterNearby
import MusterWire
import Testing

/// Two devices that reach each other through a whole server, and by nothing else.
@Suite(.timeLimit(.minutes(5))) struct RelayTests {
    private static func device(
        _ name: String, at server: RunningServer, key: String, east: Double
    ) throws -> Nearby {
        var options = Nearby.Options(name: name)
        (options.host, options.retrySeconds) = ("127.0.0.1", 0.1)
        let source = SimulatedRanging(
            .standing(east: east, north: 0, heading: 90), noise: .none, seed: 1, rate: 50)
        let relay = try RelayDiscovery(server: server.address) { "Bearer \(key)" }
        return try Nearby(options: options, source: source, store: try NearbyStore(), discovery: [relay]) { _ in true }
    }

    private static func key(of user: String, at server: RunningServer) async throws -> String {
        let made = try await server.ask("POST", "keys", #"{"label":"relay","user":"\#(user)"}"#)
        return try #require(made["key"]?.string)
    }

    @Test func `two devices of a team measure each other, and one learns that the other's account has ended`()
        async throws
    {
        try await RunningServer.run { server in
            try await server.ask("POST", "teams", #"{"name":"crew"}"#)
            for name in ["ana", "ben"] {
                try await server.ask("POST", "users", #"{"name":"\#(name)","role":"member","team":"crew"}"#)
            }
            let ana = try Self.device("Anas Handy", at: server, key: try await Self.key(of: "ana", at: server), east: 0)
            let ben = try Self.device("Bens Handy", at: server, key: try await Self.key(of: "ben", at: server), east: 4)
            let running = [Task { try await ana.run() }, Task { try await ben.run() }]
            defer { for task in running { task.cancel() } }
            var (account, isMeasured, isEnded, isLost): (String?, Bool, Bool, Bool) = (nil, false, false, false)
            events: for await event in ana.events {
                switch event {
                case .found(let peer): account = peer.account
                case .update(_, .measured(let measurement)) where !isMeasured:
                    isMeasured = true
                    #expect(measurement.distance == 4)
                    try await server.ask("DELETE", "users/ben")
                case .disconnected: isEnded = true
                case .lost: isLost = true
                default: break
                }
                // The relay and the channel tell of the end each by itself.
                if isEnded, isLost { break events }
            }
            #expect(account == "ben" && isMeasured)
            for await event in ben.events {
                guard case .discoveryFailed(let reason) = event else { continue }
                #expect(reason.contains("does not accept the credential"))
                break
            }
            for task in running { task.cancel() }
            for task in running { _ = await task.result }
        }
    }

    @Test func `a user without a team, and one without a server, receive the reason`() async throws {
        try await RunningServer.run { server in
            try await server.ask("POST", "users", #"{"name":"cyd","role":"member"}"#)
            let cyd = try Self.device("Cyd", at: server, key: try await Self.key(of: "cyd", at: server), east: 0)
            let running = Task { try await cyd.run() }
            for await event in cyd.events {
                guard case .discoveryFailed(let reason) = event else { continue }
                #expect(reason.contains("You belong to no team"))
                break
            }
            running.cancel()
            _ = await running.result
        }
        let relay = try RelayDiscovery(server: "http://127.0.0.1:9") { "Bearer none" }
        let (news, continuation) = AsyncStream.makeStream(of: DiscoveryNews.self)
        let running = Task {
            try await relay.run(announcing: Announcement(name: "ana", port: 1, key: "0a")) { continuation.yield($0) }
        }
        for await case .interrupted(let reason) in news {
            // A machine that is very busy may refuse a connection later than the device waits: both texts say this.
            #expect(reason.contains("it does not answer"))
            break
        }
        running.cancel()
        _ = await running.result
    }
}
