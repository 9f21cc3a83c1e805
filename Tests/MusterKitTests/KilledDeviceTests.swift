import Crypto
import Foundation
import MusterCore
import MusterKit
import MusterReplication
import Testing

/// A device whose process is killed with -9 again and again, in the middle of replications with a server over a socket.
extension KilledProcessTests.KilledDeviceTests {
    enum Way: String, CaseIterable, Sendable {
        case push, pull, snapshot
    }

    private static let locations = 60
    private static let kills = 6

    /// Another run: `MUSTER_SEED=7`.
    private static let seed = ProcessInfo.processInfo.environment["MUSTER_SEED"].flatMap { UInt64($0) } ?? 1

    @Test(arguments: Way.allCases)
    func `a device that is killed at any point ends with what the server has, once`(_ way: Way) async throws {
        print("seed \(Self.seed)")
        let path = temporaryPath()
        defer { for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + end) } }
        try await RunningServer.run { server in
            _ = try await server.member("ann", of: nil)
            var dice = Dice(seed: Self.seed)
            let origin = try Self.store(way == .push ? path : nil)
            for round in 0..<2 { try await Contents.fill(origin, round, locations: Self.locations / 2, &dice) }
            let expected = try await Contents.picture(of: origin)
            let database = try Self.database(at: server.address, over: server.connections)
            if way != .push { try await Self.replicate(from: origin, to: database, .push) }
            try origin.close()

            for _ in 0..<Self.kills {
                let address = server.address
                let steps = Int.random(in: 4...24, using: &dice)
                let turns = Int.random(in: 0...2_000, using: &dice)
                await #expect(processExitsWith: .signal(SIGKILL)) {
                    [
                        path = path as String, address = address as String, way = way.rawValue as String,
                        steps = steps as Int, turns = turns as Int,
                    ] in
                    try await Self.run(path, address, try #require(Way(rawValue: way)), steps, turns)
                }
            }

            let device = try Self.store(path)
            try await Self.replicate(device, database, way)
            #expect(try await Contents.picture(of: device) == expected)
            #expect(try await Contents.picture(of: database) == expected)
            #expect(try await server.positions(of: "ann") == Self.locations)
            if way != .push {
                // A number for every leaf that came, and none for what came again.
                let last = try await device.changes(ChangesRequest(since: .start, limit: 10_000)).last
                #expect(last == PeerSequence(Int64(expected.values.reduce(0) { $0 + $1.count })))
            }
            try device.close()
        }
    }

    /// What the process does that is killed: at a step, or when all is done.
    private static func run(_ path: String, _ address: String, _ way: Way, _ steps: Int, _ turns: Int) async throws {
        let fate = DoomedPeer.Fate(steps: steps, turns: turns)
        let device = DoomedPeer(inner: try store(path), fate: fate)
        let database = DoomedPeer(inner: try database(at: address, over: .shared), fate: fate)
        try await replicate(device, database, way)
        DoomedPeer.Fate.die()
    }

    private static func store(_ path: String?) throws -> LocalStore {
        try LocalStore(path: path, key: SymmetricKey(data: [UInt8](repeating: 7, count: 32)))
    }

    private static func database(at address: String, over connections: HTTPConnections) throws -> HTTPPeer {
        let place = try #require(
            DatabaseAddress(
                server: address, database: "lt_locations_user_ann",
                credentials: .basic(name: "ann", password: RunningServer.memberPassword)))
        return HTTPPeer(place, connections: connections)
    }

    private static func replicate(
        _ device: some ReplicationPeer, _ database: some ReplicationPeer, _ way: Way
    ) async throws {
        if way == .push {
            try await replicate(from: device, to: database, way)
        } else {
            try await replicate(from: database, to: device, way)
        }
    }

    private static func replicate(
        from source: some ReplicationPeer, to target: some ReplicationPeer, _ way: Way
    ) async throws {
        var options = Replication.Options()
        options.takesSnapshot = way == .snapshot
        options.pageLimit = 20
        options.batchBytes = 30_000
        var pacing = ReplicationPacing()
        // With every batch, so that one may die between what both sides remember.
        pacing.logSeconds = 0
        let done = try await Replication(from: source, to: target, options: options, pacing: pacing).run()
        try #require(done.counts.refused == 0)
    }
}
