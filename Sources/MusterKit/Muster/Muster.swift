import Crypto
public import Foundation
import MusterCore
import MusterGeometry
import MusterMutex
import MusterReplication

/// The device of one person. It records the person's locations, decides without a network which regions they are in and
/// whether they are safe, and sends recorded locations when there is a network.
///
/// ```
/// let muster = try await Muster.open("https://muster.example")
/// try await muster.signIn(user: "ann", password: password)
/// for await event in muster.track(source) { print(event) }
/// ```
///
/// Its functions may be called in any order and from any task. Tracking that begins before a person has signed in waits
/// for the sign-in. Recorded locations are on this device's disk and stay there until the server has them.
public final class Muster: Sendable {
    struct State: Sendable {
        var session: Session?
        /// Counts the beginnings and ends of sessions of this object.
        var sessionNumber = 0
        /// The value of `accountCalls` of the sign-in that the present session comes from; renewals do not change it.
        var sessionCall = 0
        var run: TrackerRun?
        /// The account that the store belongs to.
        var owner: StoreOwner?
        /// Counts the calls that change the account: sign-ins, sign-outs, and `close`. A sign-in that is not the newest
        /// of them has no effect.
        var accountCalls = 0
        /// The sign-in that is under way.
        var signIn: SignIn?
        /// The present account apart from a sign-in that is under way.
        var settledAccount = Account.signedOut
        /// The task that signs in again with the stored password, after the server refused the key.
        var renewal: Task<Bool, Never>?
        /// Whether the present session comes from a renewal and no request with it has succeeded yet.
        var isRenewed = false
        var tracking: Task<Void, Never>?
        /// The filter of the source that is tracked.
        var monitor: LocationMonitor
        /// The monitor of beacons, while there is one.
        var beaconMonitor: BeaconMonitor?
        /// The datasets that the app has opened, by their names.
        var datasets: [String: Dataset] = [:]
        /// Synchronizes the open datasets when the server reports changes.
        var follower: DatasetFollower?
        /// Finds places for the present session, once the app has asked for some.
        var places: Places?
        /// Reports ranges, once the app has asked for it.
        var rangeReporter: RangeReporter?
        /// The newest sign-out; the next one, or `close`, begins when it has ended.
        var signingOut: Task<Void, any Error>?
        /// The task of `close`, for which every caller waits; nil again when it has ended.
        var closing: Task<Void, any Error>?
        var isClosed = false
    }

    /// The store of this device. The app may read its documents, and save documents of its own.
    public let store: LocalStore
    let server: String
    /// The file in which ranges wait for the server.
    let rangePath: String
    let keeper: any CredentialKeeper
    let options: Options
    let state: Mutex<State>
    /// Held while a session, and with it the stored credentials, begins or ends. It is taken before `state`.
    let accountChange = Mutex(())
    let events = Broadcast<Event>()
    let crossingEvents = Broadcast<Crossing>()
    let presentAccount = ObservedValue(Account.signedOut)
    let presentSafety = ObservedValue(Safety.unknown)
    let presentRegions = ObservedValue<[Region]>([])
    let presentIncident = ObservedValue<Incident?>(nil)
    let presentAvailability = ObservedValue(LocationAvailability.available)

    /// The largest number of values that wait for a slow reader of a stream; beyond it the reader loses the oldest.
    public static let waitingLimit = 10_000

    /// The default file of the store, in the user's application support folder.
    public static var defaultStore: URL {
        let folders = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask)
        return (folders.first ?? URL(filePath: ".")).appending(path: "Muster/locations.sqlite")
    }

    /// Opens this device's store and, if a person is signed in, their session. It needs no network.
    ///
    /// - Parameters:
    ///   - server: the server's address, for example `https://muster.example`.
    ///   - store: the store's file; it and its folder are made where they do not exist.
    ///   - credentials: stores the credentials between two starts; nil for the keychain on an Apple device, and
    ///     elsewhere for a file beside the store that only its owner can read.
    ///   - options: how to record and send.
    /// - Throws: `.illegalServer`, `.illegalKey`, `.wrongKey`, `.deviceFull`, `.storeUnavailable`,
    ///   `.credentialsUnavailable`; `.storeOfAnother` if credentials and store belong to different persons.
    public static func open(
        _ server: String, store: URL = defaultStore, credentials: (any CredentialKeeper)? = nil,
        options: Options = Options()
    ) async throws(MusterError) -> Muster {
        try await inWords {
            let muster = try Muster(server, store, credentials, options)
            try await muster.resume()
            return muster
        }
    }

    private init(
        _ server: String, _ path: URL, _ credentials: (any CredentialKeeper)?, _ options: Options
    ) throws {
        self.server = try Session.checked(server)
        if let key = options.key, ![16, 24, 32].contains(key.count) { throw MusterError.illegalKey }
        let file = path.path(percentEncoded: false)
        try Self.makeFolder(path.deletingLastPathComponent())
        store = try LocalStore(path: file, key: options.key.map { SymmetricKey(data: $0) })
        rangePath = file + ".ranges"
        #if canImport(Security)
            keeper = credentials ?? KeychainCredentialKeeper()
        #else
            keeper = credentials ?? FileCredentialKeeper(path: file + ".account")
        #endif
        self.options = options
        state = Mutex(State(monitor: Self.monitor(options, last: nil)))
    }

    private static func makeFolder(_ folder: URL) throws(MusterError) {
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        } catch CocoaError.fileWriteOutOfSpace {
            throw .deviceFull
        } catch {
            throw .storeUnavailable(reason: error.localizedDescription)
        }
    }

    deinit {
        state.withLock { state in
            state.run?.cancel()
            state.follower?.cancel()
        }
    }

    /// Restores the stored session, and starts its tracker.
    private func resume() async throws {
        let owner = try await store.storedValue(of: StoreOwner.note, as: StoreOwner.self)
        var newest = LocalStore.Query.newest(1)
        newest.before = options.pacing.now().advanced(bySeconds: LocationMonitor.aheadSeconds)
        newest.idPrefix = RecordedLocation.idPrefix
        let last = try await store.documents(newest, as: RecordedLocation.self).first?.value.fix
        state.withLock { state in
            state.owner = owner
            state.monitor = Self.monitor(options, last: last)
        }
        let session = try useCredentials { try Session.open($0, connections: options.connections) }
        guard let session, session.server == server else { return }
        if let owner, owner.user != session.user { throw MusterError.storeOfAnother(user: owner.user) }
        try await adopt(session, storing: nil, from: .open)
    }

    // MARK: Present state

    /// The present account, and then each change.
    public var account: AsyncStream<Account> { presentAccount.values() }

    /// The person's safety by what this device knows, and then each change.
    public var safety: AsyncStream<Safety> { presentSafety.values() }

    /// The regions near the device with its presence in each, and then each change.
    public var regions: AsyncStream<[Region]> { presentRegions.values() }

    /// The open incident of the person's team, nil if there is none, and then each change.
    public var incident: AsyncStream<Incident?> { presentIncident.values() }

    /// Whether the tracked source delivers locations, and then each change, for example when the person withdraws the
    /// permission. A source that does not report it counts as available.
    public var availability: AsyncStream<LocationAvailability> { presentAvailability.values() }

    /// A stream of the crossings from now on.
    public var crossings: AsyncStream<Crossing> { crossingEvents.subscribe(limit: Self.waitingLimit) }

    /// The session of the person who is signed in, for requests that `Muster` has no function for; nil if nobody is
    /// signed in, and after `close()`.
    public var session: Session? { state.withLock { $0.session } }

    /// Whether the app is in the background. If so, `Options.background` decides which locations are recorded.
    public var isInBackground: Bool {
        get { state.withLock { $0.monitor.mode == .background } }
        set { state.withLock { $0.monitor.mode = newValue ? .background : .foreground } }
    }

    /// Returns the muster regions, the nearest first. It needs no network.
    ///
    /// - Returns: an empty list if the regions are not known yet, or the location is not valid.
    public func musterRegions(near location: Location, limit: Int = 10) -> [MusterRegion] {
        guard let run = state.withLock({ $0.run }), let place = try? location.fix().coordinate else { return [] }
        return run.watch.musterRegions(near: place, limit: limit).map {
            MusterRegion(id: $0.region, title: $0.title, distanceMetres: $0.distance.value)
        }
    }

    /// Returns the recorded locations, the newest first.
    ///
    /// - Throws: `.storeUnavailable`, `.closed`.
    public func recentLocations(limit: Int = 100) async throws(MusterError) -> [Location] {
        try await unlessClosed {
            var query = LocalStore.Query.newest(limit)
            query.idPrefix = RecordedLocation.idPrefix
            return try await store.documents(query, as: RecordedLocation.self).compactMap {
                $0.value.fix.map { Location($0) }
            }
        }
    }

    // MARK: Pieces

    static func monitor(_ options: Options, last: Position?) -> LocationMonitor {
        LocationMonitor(
            foreground: options.foreground, background: options.background, last: last, now: options.pacing.now)
    }

    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Runs a body, and converts each error that it throws into a `MusterError`.
    ///
    /// - Throws: `.closed` before `body` if this object is closed, and in place of its error if it was closed
    ///   meanwhile.
    func unlessClosed<Success: Sendable>(_ body: () async throws -> Success) async throws(MusterError) -> Success {
        if isClosed { throw .closed }
        do {
            return try await body()
        } catch {
            throw isClosed ? .closed : MusterError(error)
        }
    }

    /// Accesses the stored credentials.
    ///
    /// - Throws: `.credentialsUnavailable` in place of each error of the keeper.
    func useCredentials<Success>(_ body: (any CredentialKeeper) throws -> Success) throws(MusterError) -> Success {
        do {
            return try body(keeper)
        } catch let error as CredentialError {
            throw MusterError(error)
        } catch {
            throw .credentialsUnavailable(reason: error.localizedDescription)
        }
    }

    /// Publishes the regions, safety and incident of a watch, if it is the watch of the present session.
    func publish(_ watch: RegionWatch) {
        guard state.withLock({ $0.run?.watch === watch }) else { return }
        presentRegions.value = watch.nearbyRegions().map { Region($0.presence, title: $0.title, isMuster: $0.isMuster) }
        presentSafety.value = Safety(watch.safety)
        presentIncident.value = watch.incident
    }
}

/// The account that a store belongs to.
struct StoreOwner: Codable, Hashable, Sendable {
    /// The user's name.
    var user: String
    /// The server's id of the account; nil if the server sends none.
    var account: String?

    /// The id of the note in the store.
    static let note = "owner"
}
