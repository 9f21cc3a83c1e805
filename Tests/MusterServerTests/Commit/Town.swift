import MusterCore
import MusterGeometry
import MusterStore
import MusterTestSupport
import Synchronization

@testable import MusterServer

/// A coordinator over a store in memory, with a team of one in a town with one muster region; its clock stands still
/// until it is moved.
struct Town {
    let coordinator: StoreCoordinator
    let store: any Store
    let feeds: LogFeeds
    let clock: Clock

    static let ana = UserNumber(1)
    static let phone = DeviceNumber(1)

    final class Clock: Sendable {
        private let time = Mutex(Instant(seconds: 1_700_000_000))
        var now: Instant { time.withLock { $0 } }
        func advance(bySeconds seconds: Double) { time.withLock { $0 = $0.advanced(bySeconds: seconds) } }
    }

    /// A new town, or the same one after a restart when its store is given.
    init(store: any Store = MemoryStore(), clock: Clock = Clock()) async throws {
        let isNew = try store.directory().users.isEmpty
        let ring = Ring()
        let coordinator = try StoreCoordinator(store: store, now: { clock.now }, announce: { ring.announce($0) })
        self.coordinator = coordinator
        self.store = store
        self.clock = clock
        feeds = LogFeeds(coordinator: coordinator)
        ring.feeds.withLock { [feeds] in $0 = feeds }
        if isNew { try await found() }
    }

    private final class Ring: Sendable {
        let feeds = Mutex<LogFeeds?>(nil)
        func announce(_ sequence: MusterCore.LogSequence) { feeds.withLock { $0 }?.announce(sequence) }
    }

    private func found() async throws {
        let square = [(-1.0, -1.0), (-1, 1), (1, 1), (1, -1), (-1, -1)].map {
            Coordinate(validLatitude: 45 + $0.0 * 0.001, longitude: 14 + $0.1 * 0.001)
        }
        try await coordinator.edit { _, draft in
            let (tracker, team) = (try draft.transaction.nextTrackerNumber(), try draft.transaction.nextTeamNumber())
            let collection = try draft.transaction.nextCollectionNumber()
            draft.edits = [
                .putCollection(RegionCollection(number: collection, name: "town", policy: .raw)),
                .putTracker(Tracker(number: tracker, name: "crew", filter: .none, collections: [collection])),
                .putTeam(Team(number: team, name: "crew", tracker: tracker, silenceSeconds: 600)),
                .putUser(
                    User(number: try draft.transaction.nextUserNumber(), name: "ana", role: .member, team: team)),
                .putDevice(
                    Device(number: try draft.transaction.nextDeviceNumber(), name: "phone", user: Self.ana)),
                .putRegion(
                    Region(
                        number: try draft.transaction.nextRegionNumber(), collection: collection, id: "square",
                        name: "Square", shape: .polygon(Polygon(exterior: square)), isMuster: true)),
            ]
        }
    }

    /// Ana's phone at a latitude on the town's meridian, `seconds` after the world began.
    func fix(_ latitude: Double, at seconds: Double, accuracy: Metres? = Metres(5)) -> Observation {
        .position(
            Position(
                coordinate: Coordinate(validLatitude: latitude, longitude: 14),
                sampleTime: Instant(seconds: 1_700_000_000 + seconds), receivedTime: clock.now,
                accuracy: accuracy),
            of: Self.phone)
    }

    /// The crossings in the log, in words.
    func crossings() throws -> [String] {
        try store.changes(since: .zero, limit: 100_000).compactMap { logged in
            guard case .crossing(let crossing) = logged.change else { return nil }
            return "\(crossing.kind)"
        }
    }
}
