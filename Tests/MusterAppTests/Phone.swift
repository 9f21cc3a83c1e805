import Foundation
import MusterCore
import MusterGeometry
import MusterKit
import MusterReplication
import MusterServer
import MusterWire
import Synchronization
import Testing

@testable import MusterApp

/// A phone with the app on it: it may be killed and started again, lose its network, and have a clock of its own.
@MainActor final class Phone {
    let folder: URL
    let source = HandFedLocations()
    let notices = Notices()
    let processTime = HeldProcess()
    let address: String
    private(set) var app: AppModel
    private let options: Muster.Options
    private let keepers: @Sendable (String) -> any CredentialKeeper
    private let permissions: any PermissionKeeper

    /// A phone that has no app open yet.
    ///
    /// - Parameters:
    ///   - address: by which it reaches the server.
    ///   - now: its clock.
    ///   - keepers: what stores credentials; nil for files.
    ///   - permissions: what its person allows.
    ///   - longSeconds: from how many seconds on a wait lasts until it is cancelled; any other is a second at most.
    init(
        at address: String, over connections: HTTPConnections, folder: URL = URL(filePath: temporaryPath()),
        now: @escaping @Sendable () -> Instant = ReplicationPacing.systemNow,
        keepers: (@Sendable (String) -> any CredentialKeeper)? = nil,
        permissions: any PermissionKeeper = NoPermissions(), longSeconds: Double = .infinity
    ) {
        self.address = address
        self.folder = folder
        self.permissions = permissions
        var options = Muster.Options()
        options.foreground = .everything
        options.connections = connections
        options.followsDatasets = false
        options.pacing = ReplicationPacing(
            now: now,
            sleep: { seconds in
                let isLong = seconds >= longSeconds
                try await Task.sleep(for: isLong ? .seconds(3_600) : .milliseconds(max(20, min(1_000, seconds * 50))))
            })
        self.options = options
        self.keepers = keepers ?? { FileCredentialKeeper(path: folder.appending(path: "\($0).account").path) }
        app = AppModel(AppSystem(folder: folder))
        app = AppModel(system)
    }

    private var system: AppSystem {
        AppSystem(
            folder: folder, credentials: keepers, location: source, permissions: permissions, notifier: notices,
            processTime: processTime, options: options, preferredLanguages: ["en"],
            timeZone: TimeZone(secondsFromGMT: 0) ?? .current, version: "test")
    }

    /// The models of who is signed in.
    var account: AccountModel {
        get throws { try #require(app.account) }
    }

    /// Signs somebody in by the form.
    func signIn(_ user: String, _ password: String = RunningServer.memberPassword) async throws {
        app.signIn.server = address
        app.signIn.user = user
        app.signIn.password = password
        await app.signIn.signIn()
        try #require(app.account != nil, "\(user): \(app.signIn.problem ?? "no reason")")
    }

    /// Ends the app as a kill does: nothing more is stored.
    func kill() {
        app.account?.abandon()
        source.leaveReader()
        app = AppModel(system)
    }

    /// Starts the app again after a kill.
    func start() async {
        app = AppModel(system)
        await app.open()
    }

    /// Lets two of the longest waits go by in which the app would try again what it tries again by itself.
    func pause() async throws {
        for _ in 0..<2 { try await Task.sleep(for: .seconds(1)) }
    }

    /// Words everything as of now.
    func tick() { app.tick() }
}

/// Positions that a test gives, to whoever reads them now.
final class HandFedLocations: LocationUpdateSource {
    private struct Reader {
        var number = 0
        var continuation: AsyncStream<LocationUpdate>.Continuation?
    }

    private let reader = Mutex(Reader())

    /// Gives an update to the present reader.
    ///
    /// - Returns: whether somebody reads.
    @discardableResult
    func give(_ update: LocationUpdate) -> Bool {
        reader.withLock { reader in
            guard let continuation = reader.continuation else { return false }
            continuation.yield(update)
            return true
        }
    }

    /// Whether somebody reads.
    var isRead: Bool { reader.withLock { $0.continuation != nil } }

    /// Gives nothing more to the present reader, as when its app is killed.
    func leaveReader() { reader.withLock { $0.continuation = nil } }

    func fixes() -> AsyncStream<Position> { AsyncStream { $0.finish() } }

    func updates() -> AsyncStream<LocationUpdate> {
        AsyncStream { continuation in
            let number = reader.withLock { reader in
                reader = Reader(number: reader.number + 1, continuation: continuation)
                return reader.number
            }
            // The reader of an app that was killed may end after that of the next one has begun.
            continuation.onTermination = { [weak self] _ in
                self?.reader.withLock { reader in
                    if reader.number == number { reader.continuation = nil }
                }
            }
        }
    }
}

extension Phone {
    /// The leader's models after a tick; nil for a member, and before the server has said who leads.
    var tickedLeader: LeaderModel? {
        tick()
        return app.account?.leader
    }
}

/// The notifications that a phone was asked to show.
final class Notices: Notifier {
    private let shownNow = Mutex<[String: Notice]>([:])

    var shown: [String: Notice] { shownNow.withLock { $0 } }

    func show(_ notice: Notice) async { shownNow.withLock { $0[notice.id] = notice } }
    func remove(_ id: Notice.ID) async { shownNow.withLock { $0[id] = nil } }
}

/// Whether an app asks the system to let its process run.
@MainActor final class HeldProcess: ProcessTime {
    private(set) var isHeld = false
    private(set) var holds = 0

    nonisolated init() {}
    func hold() {
        if !isHeld { holds += 1 }
        isHeld = true
    }
    func release() { isHeld = false }
}

/// A clock that a test sets.
final class HandClock: Sendable {
    private let instant: Mutex<Instant>

    init(_ instant: Instant = ReplicationPacing.systemNow()) { self.instant = Mutex(instant) }

    var now: Instant { instant.withLock { $0 } }
    func advance(bySeconds seconds: Double) { instant.withLock { $0 = $0.advanced(bySeconds: seconds) } }
}

/// Waits until something is so, two minutes at most: longer than a busy machine takes.
@MainActor func until(
    _ isSo: @MainActor () async throws -> Bool, at place: SourceLocation = #_sourceLocation
) async throws {
    for _ in 0..<6_000 {
        if try await isSo() { return }
        try await Task.sleep(for: .milliseconds(20))
    }
    Issue.record("it did not come to be so in two minutes", sourceLocation: place)
    throw CancellationError()
}

extension RunningServer {
    /// Serves while a body of the main actor runs.
    ///
    /// - Parameter now: the server's clock; nil for the system's.
    static func serve(
        now: (@Sendable () -> Instant)? = nil,
        _ body: @escaping @MainActor @Sendable (RunningServer) async throws -> Void
    ) async throws {
        try await run(configuredBy: { if let now { $0.now = now } }, { try await body($0) })
    }

    /// Makes people of a team by name, each with the password of members.
    func make(_ names: [String], role: String = "member", team: String?) async throws {
        for name in names {
            let team = team.map { #","team":"\#($0)""# } ?? ""
            try await ask(
                "POST", "users",
                #"{"name":"\#(name)","role":"\#(role)","password":"\#(Self.memberPassword)"\#(team)}"#)
        }
    }

    /// The declarations about somebody, oldest first: kind and note.
    func declarations(of user: String) async throws -> [String] {
        var (said, cursor): ([String], String?) = ([], nil)
        repeat {
            let after = cursor.map { "&cursor=\($0)" } ?? ""
            let page = try await ask("GET", "users/\(user)/declarations?limit=1000\(after)")
            for item in page["items"]?.elements ?? [] {
                said.append([item["kind"]?.string, item["note"]?.string].compactMap(\.self).joined(separator: " "))
            }
            cursor = page["nextCursor"]?.string
        } while cursor != nil
        return said
    }
}

/// A position some metres north of 52° N 13° E, some seconds before a moment.
func position(_ secondsAgo: Double, north metres: Double, of now: Instant = ReplicationPacing.systemNow()) throws
    -> Position
{
    let place = try Coordinate(latitude: 52 + metres / 111_260, longitude: 13)
    let time = now.advanced(bySeconds: -secondsAgo)
    return Position(coordinate: place, sampleTime: time, receivedTime: time, accuracy: Metres(5))
}
