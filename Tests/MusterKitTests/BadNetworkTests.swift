import Crypto
import Foundation
import MusterKit
import MusterReplication
import Testing

/// A client and a server over sockets, and between them a network that cuts, holds and reorders.
@Suite struct BadNetworkTests {
    private static let locationCount = 150

    /// Another run: `MUSTER_SEED=7`.
    private static let seed = ProcessInfo.processInfo.environment["MUSTER_SEED"].flatMap { UInt64($0) } ?? 1

    @Test(arguments: [seed])
    func `documents and attachments arrive once over a network that cuts anywhere`(_ seed: UInt64) async throws {
        print("seed \(seed)")
        try await RunningServer.run { server in
            let network = BadNetwork(to: try #require(URL(string: server.address)?.port), seed: seed)
            try await network.run { port in
                let address = "http://127.0.0.1:\(port)"
                let session = try await server.member("ann", of: nil, at: address)
                #expect(session.database.root == "http://127.0.0.1:\(port)/")
                let straight = try #require(
                    DatabaseAddress(server: server.address, database: "lt_locations_user_ann"))
                let database = HTTPPeer(
                    straight.authenticated(by: session.database.credentials), connections: server.connections)
                let device = try LocalStore(path: nil, key: SymmetricKey(size: .bits256))
                var dice = Dice(seed: seed)
                network.setBad(true)
                for round in 0..<2 {
                    try await Contents.fill(device, round, locations: Self.locationCount / 2, &dice)
                    try await replicate(from: device, to: session.peer, &dice)
                }
                let expected = try await Contents.picture(of: device)
                #expect(expected.count > Self.locationCount)
                #expect(try await Contents.picture(of: database) == expected)
                #expect(try await server.positions(of: "ann") == Self.locationCount)

                for takesSnapshot in [true, false] {
                    let other = try LocalStore(path: nil)
                    try await replicate(from: session.peer, to: other, takesSnapshot: takesSnapshot, &dice)
                    #expect(try await Contents.picture(of: other) == expected)
                    #expect(try await other.count() == device.count())
                }
                #expect(network.cuts > 0)
            }
        }
    }

    private func replicate(
        from source: any ReplicationPeer, to target: any ReplicationPeer, takesSnapshot: Bool = true,
        _ dice: inout Dice
    ) async throws {
        let seed = UInt64.random(in: 0...UInt64.max, using: &dice)
        var pacing = ReplicationPacing(sleep: { _ in try Task.checkCancellation() })
        pacing.attempts = 1_000
        var options = Replication.Options()
        options.takesSnapshot = takesSnapshot
        options.pageLimit = 40
        options.batchBytes = 50_000
        let done = try await Replication(from: source, to: target, options: options, pacing: pacing).run()
        #expect(done.counts.refused == 0, "seed \(seed)")
    }
}
