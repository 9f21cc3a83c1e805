import Crypto
import Foundation
import MusterKit
import MusterReplication
import Testing

/// MusterKit beside a real CouchDB. `COUCHDB_URL` names one, with an admin's credentials in it.
@Suite(.enabled(if: RealCouchDB.address != nil, "install Apache CouchDB 3.4 and set COUCHDB_URL: see CONTRIBUTING.md"))
struct RealCouchDBTests {
    private static let seed = ProcessInfo.processInfo.environment["MUSTER_SEED"].flatMap { UInt64($0) } ?? 1

    @Test(arguments: [seed])
    func `documents arrive once at the device, CouchDB and another device over a network that cuts`(
        _ seed: UInt64
    ) async throws {
        print("seed \(seed)")
        try await RealCouchDB.run { couch in
            let network = BadNetwork(to: try #require(URL(string: couch.database.root)?.port), seed: seed)
            try await network.run { port in
                let distant = try couch.peer(port: port)
                let device = try LocalStore(path: nil, key: SymmetricKey(size: .bits256))
                var dice = Dice(seed: seed)
                network.setBad(true)
                for round in 0..<2 {
                    try await Contents.fill(device, round, locations: 75, &dice)
                    try await replicate(from: device, to: distant, &dice)
                }
                let expected = try await Contents.picture(of: device)
                #expect(expected.count > 150)
                #expect(try await Contents.picture(of: couch.peer()) == expected)

                let other = try LocalStore(path: nil)
                try await replicate(from: distant, to: other, &dice)
                #expect(try await Contents.picture(of: other) == expected)
                #expect(network.cuts > 0)
            }
        }
    }

    @Test func `a second run reads nothing again, in either direction`() async throws {
        try await RealCouchDB.run { couch in
            let device = try LocalStore(path: nil)
            var dice = Dice(seed: 7)
            try await Contents.fill(device, 0, locations: 30, &dice)
            let peer = try couch.peer()
            for (source, target) in [(device as any ReplicationPeer, peer as any ReplicationPeer), (peer, device)] {
                _ = try await Replication(from: source, to: target).run()
                let again = try await Replication(from: source, to: target).run()
                #expect(again.counts.read == 0)
            }
            try await device.save(LocalStoreTests.Note(text: "new"), id: "new")
            let pushed = try await Replication(from: device, to: peer).run()
            #expect(pushed.counts.written == 1)
        }
    }

    private func replicate(
        from source: any ReplicationPeer, to target: any ReplicationPeer, _ dice: inout Dice
    ) async throws {
        let seed = UInt64.random(in: 0...UInt64.max, using: &dice)
        var pacing = ReplicationPacing(sleep: { _ in try Task.checkCancellation() })
        pacing.attempts = 1_000
        var options = Replication.Options()
        options.pageLimit = 40
        options.batchBytes = 50_000
        let done = try await Replication(from: source, to: target, options: options, pacing: pacing).run()
        #expect(done.counts.refused == 0, "seed \(seed)")
    }
}

/// A database of a CouchDB that this process did not start.
struct RealCouchDB: Sendable {
    let database: DatabaseAddress
    let connections: HTTPConnections

    static let address = ProcessInfo.processInfo.environment["COUCHDB_URL"]

    /// Makes a database, and removes it when `body` ended.
    static func run(_ body: (RealCouchDB) async throws -> Void) async throws {
        let server = try #require(address)
        let name = "muster-kit-\(UUID().uuidString.lowercased())"
        let database = try #require(DatabaseAddress("\(server)/\(name)"))
        let couch = RealCouchDB(database: database, connections: HTTPConnections())
        do {
            try await couch.ask("PUT")
            try await body(couch)
            try await couch.ask("DELETE")
        } catch {
            try? await couch.ask("DELETE")
            await couch.connections.close()
            throw error
        }
        await couch.connections.close()
    }

    private func ask(_ method: String) async throws {
        let (status, _) = try await connections.sendRequest(
            method, database.description, json: nil, credentials: database.credentials)
        try #require((200..<300).contains(status), "\(method) \(database): \(status)")
    }

    /// The database as one end of a replication.
    ///
    /// - Parameter port: of the way to it on this machine; nil: straight.
    func peer(port: Int? = nil) throws -> HTTPPeer {
        guard let port else { return HTTPPeer(database, connections: connections) }
        let passed = try #require(DatabaseAddress("http://127.0.0.1:\(port)/\(database.segment)"))
        return HTTPPeer(passed.authenticated(by: database.credentials), connections: connections)
    }
}
