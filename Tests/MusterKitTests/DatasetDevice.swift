import Foundation
import MusterCore
import MusterKit
import MusterReplication
import MusterWire
import Synchronization
import Testing

/// A device of ann's, with a store and credentials of its own.
final class DatasetDevice {
    private(set) var muster: Muster
    let clock = SetClock()
    private let address: String
    private let store = URL(filePath: temporaryPath())
    private let keeper = FileCredentialKeeper(path: temporaryPath())
    private let options: Muster.Options
    private let server: RunningServer

    /// Opens a device, and signs ann in.
    ///
    /// - Parameters:
    ///   - address: what it reaches the server by; nil: its own address.
    ///   - key: what its file is sealed with.
    init(
        _ server: RunningServer, at address: String? = nil, key: Data? = nil, followsDatasets: Bool = false
    ) async throws {
        self.server = server
        self.address = address ?? server.address
        var options = Muster.Options()
        options.key = key
        options.followsDatasets = followsDatasets
        options.connections = server.connections
        options.pacing.now = clock.now
        options.pacing.sleep = { _ in try await Task.sleep(for: .milliseconds(20)) }
        self.options = options
        muster = try await Muster.open(self.address, store: store, credentials: keeper, options: options)
        try await muster.signIn(user: "ann", password: RunningServer.memberPassword)
    }

    /// Makes ann, and two devices of hers.
    static func pair(
        at server: RunningServer, followsDatasets: Bool = false
    ) async throws -> (DatasetDevice, DatasetDevice) {
        _ = try await server.member("ann", of: nil)
        return (
            try await DatasetDevice(server, followsDatasets: followsDatasets),
            try await DatasetDevice(server, followsDatasets: followsDatasets)
        )
    }

    /// Makes ann, and a device of hers whose requests a network decides of while `body` runs.
    static func run(_ body: @escaping @Sendable (DatasetDevice, PickyNetwork) async throws -> Void) async throws {
        try await RunningServer.run { server in
            let network = PickyNetwork(to: server)
            try await network.run { address in
                _ = try await server.member("ann", of: nil)
                let device = try await DatasetDevice(server, at: address)
                try await body(device, network)
                try await device.close()
            }
        }
    }

    /// The files of its store and its credentials.
    var paths: [String] { [store.path(percentEncoded: false), keeper.path] }

    func close() async throws { try await muster.close() }

    /// Opens the device's store again.
    func reopen() async throws {
        muster = try await Muster.open(address, store: store, credentials: keeper, options: options)
    }

    /// What is in the files of the store, as text.
    func storedBytes() throws -> String {
        let path = store.path(percentEncoded: false)
        return ["", "-wal"].map { end in
            String(decoding: FileManager.default.contents(atPath: path + end) ?? Data(), as: UTF8.self)
        }.joined()
    }

    /// Asks the native API as ann.
    func ask(_ path: String) async throws -> JSONValue {
        let (status, body) = try await server.connections.sendRequest(
            "GET", "\(server.address)/api/v1/\(path)",
            credentials: .basic(name: "ann", password: RunningServer.memberPassword))
        try #require(status == 200)
        return try JSONValue(parsing: body)
    }
}

/// A clock that a test sets; until then the system's.
final class SetClock: Sendable {
    private let seconds = Mutex<Double?>(nil)

    func set(_ seconds: Double) { self.seconds.withLock { $0 = seconds } }

    var now: @Sendable () -> Instant {
        { self.seconds.withLock { $0 }.map { Instant(seconds: $0) } ?? ReplicationPacing.systemNow() }
    }
}

/// Counts what happens on any thread.
final class Counter: Sendable {
    private let value = Mutex(0)

    var count: Int { value.withLock { $0 } }

    func add() { value.withLock { $0 += 1 } }
}

/// Requests that were sent, from any thread.
final class Requests: Sendable {
    private let texts = Mutex<[String]>([])

    /// Whether one of them is so.
    func haveOne(_ isSo: (String) -> Bool) -> Bool { texts.withLock { $0.contains(where: isSo) } }

    func add(_ text: String) { texts.withLock { $0.append(text) } }
}
