import Foundation
import MusterCore
import MusterKit
import MusterReplication
import MusterWire
import Testing

@testable import MusterApp

/// What the phone computes by itself of a walk, beside what the server decides of the same walk.
@MainActor @Suite(.timeLimit(.minutes(5))) struct StandingTests {
    @Test(arguments: [3, 5] as [UInt64])
    func `the phone's standing in each region is the server's, with and without a network`(_ seed: UInt64) async throws
    {
        print("seed \(seed)")
        let end = ReplicationPacing.systemNow()
        try await RunningServer.serve(now: { end }) { server in
            var walk = NoisyWalk(seed: seed)
            try await server.ask("POST", "teams", #"{"name":"crew"}"#)
            for policy in ["raw", "confident"] {
                try await server.ask("POST", "collections", #"{"name":"\#(policy)","policy":"\#(policy)"}"#)
                try await server.ask("POST", "collections/\(policy)/regions", walk.regions(12, policy))
            }
            try await server.make(["ann"], team: "crew")
            let fixes = try walk.fixes(300, until: end)
            let network = PickyNetwork(to: server)
            try await network.run { @MainActor address in
                let phone = Phone(at: address, over: server.connections, now: { end })
                try await phone.signIn("ann")
                try await Self.follow(fixes, on: phone, network, server)
                await phone.app.close()
            }
        }
    }

    private static func follow(
        _ fixes: [Position], on phone: Phone, _ network: PickyNetwork, _ server: RunningServer
    ) async throws {
        var compared = 0
        for start in stride(from: 0, to: fixes.count, by: 60) {
            let account = try phone.account
            try await until { account.muster.regionsVersion > 0 && phone.source.isRead }
            network.decide { _ in .isAnswered(status: 503, body: "{}") }
            let part = fixes[start..<min(fixes.count, start + 60)]
            for fix in part { phone.source.give(.fix(fix)) }
            try await until { account.phone.location?.time == part.last?.sampleTime.date }
            try await until { try await account.muster.recentLocations(limit: 1_000).count == start + part.count }
            // The app is killed without a network, and knows what it knew.
            phone.kill()
            await phone.start()
            try await until { try await inside(phone.account.phone.regions) == published(by: account) }
            let own = await published(by: account)
            network.decide { _ in .passes }
            try await phone.account.waiting.sendNow()
            try await until { try await server.positions(of: "ann") == start + part.count }
            let items = try await server.ask("GET", "presences?limit=1000&user=ann")["items"]?.elements ?? []
            let told = Set(
                items.filter { $0["standing"]?.string == "inside" }.compactMap { item -> String? in
                    guard let region = item["region"] else { return nil }
                    return "\(region["collection"]?.string ?? "")/\(region["id"]?.string ?? "")"
                })
            #expect(own == told, "after \(start + part.count) fixes")
            compared += told.count
        }
        #expect(compared > 1, "a walk that is in no region proves nothing")
    }

    /// The regions by MusterKit, which a task of its own publishes after the fixes were recorded, or before.
    private static func published(by account: AccountModel) async -> Set<String> {
        for await regions in account.muster.regions { return inside(regions) }
        return []
    }

    private static func inside(_ regions: [Muster.Region]) -> Set<String> {
        Set(regions.filter { $0.standing == .inside }.map { "\($0.id.collection)/\($0.id.id)" })
    }
}
