import Foundation
import MusterCore
import MusterKit
import MusterReplication
import MusterWire
import Testing

/// Two devices of one person that write to one dataset, while their network cuts and their processes are killed.
///
/// Each device writes numbers to records of its own, in rising order, and both write to records that they share.
extension KilledProcessTests.DatasetConvergenceTests {
    /// Another run: `MUSTER_SEED=7`.
    private static let seed = ProcessInfo.processInfo.environment["MUSTER_SEED"].flatMap { UInt64($0) } ?? 1
    private static let rounds = 40
    private static let kills = 6

    @Test(arguments: [seed])
    func `two devices converge over a network that cuts anywhere, and lose nothing`(_ seed: UInt64) async throws {
        print("seed \(seed)")
        try await RunningServer.run { server in
            let network = BadNetwork(to: try #require(URL(string: server.address)?.port), seed: seed)
            try await network.run { port in
                _ = try await server.member("ann", of: nil)
                let devices = [
                    try await DatasetDevice(server, at: "http://127.0.0.1:\(port)"),
                    try await DatasetDevice(server, at: "http://127.0.0.1:\(port)"),
                ]
                var dice = Dice(seed: seed)
                var last: [String: String] = [:]
                network.setBad(true)
                for round in 0..<Self.rounds {
                    let number = Int.random(in: 0..<2, using: &dice)
                    let dataset = try devices[number].muster.dataset("state")
                    for _ in 0..<Int.random(in: 1...4, using: &dice) {
                        let key = "own \(number) \(Int.random(in: 0..<5, using: &dice))"
                        try await dataset.put("\(round)", for: key)
                        last[key] = "\(round)"
                        let shared = "shared \(Int.random(in: 0..<3, using: &dice))"
                        if Bool.random(using: &dice) {
                            try await dataset.put("\(round) of \(number)", for: shared)
                        } else {
                            try await dataset.remove(shared)
                        }
                    }
                    do {
                        try await dataset.synchronize()
                    } catch MusterError.away {
                        // What was not sent is sent later.
                    }
                }
                network.setBad(false)
                #expect(network.cuts > 0)
                try await Self.expectConvergence(of: devices, with: last, "seed \(seed)")
                for device in devices { try await device.close() }
            }
        }
    }

    @Test(arguments: [seed])
    func `a device that is killed anywhere keeps what it acknowledged, and converges`(_ seed: UInt64) async throws {
        print("seed \(seed)")
        let progress = temporaryPath()
        defer { try? FileManager.default.removeItem(atPath: progress) }
        try await RunningServer.run { server in
            let (doomed, other) = try await DatasetDevice.pair(at: server)
            try await doomed.close()
            var dice = Dice(seed: seed)
            for round in 0..<Self.kills {
                let shared = try other.muster.dataset("state")
                try await shared.put("\(round) of the other", for: "shared 0")
                try await shared.synchronize()
                let (address, paths) = (server.address, doomed.paths)
                let steps = Int.random(in: 2...12, using: &dice)
                let turns = Int.random(in: 0...2_000, using: &dice)
                await #expect(processExitsWith: .signal(SIGKILL)) {
                    [
                        address = address as String, paths = paths as [String], progress = progress as String,
                        round = round as Int, steps = steps as Int, turns = turns as Int,
                    ] in
                    try await Self.write(
                        at: address, paths, progress, round, .init(steps: steps, turns: turns, isBegun: false))
                }
            }
            try await doomed.reopen()
            let text = FileManager.default.contents(atPath: progress).map { String(decoding: $0, as: UTF8.self) } ?? ""
            var last: [String: String] = [:]
            for line in text.split(separator: "\n") {
                let words = line.split(separator: "=").map(String.init)
                try #require(words.count == 2)
                last[words[0]] = words[1]
            }
            #expect(!last.isEmpty)
            // What the dying process did not get to say may be there too; it is of a later number.
            let stored = try await doomed.muster.dataset("state").all()
            for (key, value) in last {
                let found = stored.first { $0.key == key }.flatMap { Int($0.value) }
                #expect(try #require(found) >= Int(value) ?? .max, "seed \(seed): \(key)")
            }
            let own = stored.filter { $0.key.hasPrefix("own") }.map { ($0.key, $0.value) }
            try await Self.expectConvergence(
                of: [doomed, other], with: Dictionary(uniqueKeysWithValues: own), "seed \(seed)")
            try await doomed.close()
            try await other.close()
        }
    }

    /// What the process does that is killed: it writes, says what it wrote, and synchronizes, until it dies.
    private static func write(
        at address: String, _ paths: [String], _ progress: String, _ round: Int, _ fate: DoomedPeer.Fate
    ) async throws {
        var options = Muster.Options()
        options.followsDatasets = false
        options.connections = HTTPConnections(DoomedTransport(inner: AsyncHTTPTransport(), fate: fate))
        let muster = try await Muster.open(
            address, store: URL(filePath: paths[0]), credentials: FileCredentialKeeper(path: paths[1]),
            options: options)
        let dataset = try muster.dataset("state")
        if !FileManager.default.fileExists(atPath: progress) {
            _ = FileManager.default.createFile(atPath: progress, contents: nil)
        }
        let file = try #require(FileHandle(forWritingAtPath: progress))
        try file.seekToEnd()
        for number in 0..<100 {
            let (key, value) = ("own \(number % 5)", "\(round * 100 + number)")
            try await dataset.put(value, for: key)
            try file.write(contentsOf: Data("\(key)=\(value)\n".utf8))
            // From the first number on that was acknowledged: one that says nothing proves nothing.
            fate.begin()
            try await dataset.put("\(round) of the doomed", for: "shared 0")
            // On a busy machine an answer may come too late; the next number tries again.
            _ = try? await dataset.synchronize()
        }
        DoomedPeer.Fate.die()
    }

    /// Synchronizes until both devices have sent and read everything, and compares them with each other, the server,
    /// and what each wrote last to its own records.
    private static func expectConvergence(
        of devices: [DatasetDevice], with last: [String: String], _ comment: Comment
    ) async throws {
        for _ in 0..<2 {
            for device in devices { try await device.muster.dataset("state").synchronize() }
        }
        let stored = try await devices[0].ask("datasets/state?limit=1000")
        let server = try #require(stored["records"]?.elements).reduce(into: [String: String]()) { found, record in
            if let key = record["key"]?.string, let value = record["value"]?.string { found[key] = value }
        }
        for device in devices {
            let dataset = try device.muster.dataset("state")
            let records = try await dataset.all()
            #expect(records.reduce(into: [:]) { $0[$1.key] = $1.value } == server, comment)
            #expect(try await dataset.lastSyncCount == stored["syncCount"]?.integer, comment)
            #expect(try await !dataset.isUnsynchronized, comment)
        }
        for (key, value) in last { #expect(server[key] == value, comment) }
    }
}

/// A transport whose process dies, by kill -9, at one of its steps.
struct DoomedTransport: HTTPTransport {
    let inner: any HTTPTransport
    let fate: DoomedPeer.Fate

    func send(_ request: HTTPTransportRequest) async throws -> HTTPTransportResponse {
        fate.step()
        var response = try await inner.send(request)
        fate.step()
        let next = response.nextPiece
        response.nextPiece = {
            let piece = try await next()
            fate.step()
            return piece
        }
        return response
    }

    func close() async { await inner.close() }
}
