import Crypto
public import Foundation
import MusterCore
import MusterGeometry
import MusterReplication
import Synchronization

/// One person's device: it records where they are, knows without a network which regions they are in and whether they
/// are safe, and sends what was recorded when there is a network.
///
/// ```
/// let muster = try await Muster.open("https://muster.example")
/// try await muster.signIn(user: "ann", password: password)
/// for await event in muster.track(source) { print(event) }
/// ```
///
/// Calls may come in any order and from any task. Tracking that begins before anybody has signed in waits for that.
/// What was recorded is on this device's disk and stays there; the server receives it sooner or later.
public final class Muster: Sendable {
    struct State {
        var session: Session?
        /// Counts the sessions of this object.
        var sessionNumber = 0
        var run: TrackerRun?
        /// Whose the store is.
        var owner: StoreOwner?
        /// Counts sign-outs: a sign-in that was begun before one is void.
        var signOuts = 0
        /// Signs in again with the stored password, after the server refused the key.
        var renewal: Task<Bool, Never>?
        /// Whether the present session came of a renewal and has sent nothing yet.
        var isRenewed = false
        var tracking: Task<Void, Never>?
        /// The filter of the source that is tracked.
        var monitor: LocationMonitor
        var isClosed = false
    }

    /// The store of this device: documents that the app may read, and save its own in.
    public let store: LocalStore
    let server: String
    let keeper: any CredentialKeeper
    let options: Options
    let state: Mutex<State>
    let events = Broadcast<Event>()
    let crossingEvents = Broadcast<Crossing>()
    let presentAccount = ObservedValue(Account.signedOut)
    let presentSafety = ObservedValue(Safety.unknown)
    let presentRegions = ObservedValue<[Region]>([])
    let presentIncident = ObservedValue<Incident?>(nil)
    let presentAvailability = ObservedValue(LocationAvailability.available)

    /// Values of a stream that wait for a slow reader at most; then the oldest are lost to that reader.
    public static let waitingLimit = 10_000

    /// Where a store is unless the app says otherwise: in the folder for what an app needs and does not show.
    public static var defaultStore: URL {
        let folders = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask)
        return (folders.first ?? URL(filePath: ".")).appending(path: "Muster/locations.sqlite")
    }

    /// Opens what this device has: the store and, where somebody is signed in, their session. It needs no network.
    ///
    /// - Parameters:
    ///   - server: the server's address, for example `https://muster.example`.
    ///   - store: the store's file; it and its folder are made where they do not exist.
    ///   - credentials: what keeps the credentials between two starts; nil: the keychain on an Apple device, and
    ///     elsewhere a file beside the store that its owner alone can read.
    ///   - options: how to record and send.
    /// - Throws: `.illegalServer`, `.illegalKey`, `.wrongKey`, `.deviceFull`, `.storeUnavailable`,
    ///   `.credentialsUnavailable`, `.storeOfAnother` where the credentials and the store are two persons'.
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
        try FileManager.default.createDirectory(
            at: path.deletingLastPathComponent(), withIntermediateDirectories: true)
        store = try LocalStore(path: file, key: options.key.map { SymmetricKey(data: $0) })
        #if canImport(Security)
            keeper = credentials ?? KeychainCredentialKeeper()
        #else
            keeper = credentials ?? FileCredentialKeeper(path: file + ".account")
        #endif
        self.options = options
        state = Mutex(State(monitor: Self.monitor(options, last: nil)))
    }

    deinit { state.withLock { $0.run?.cancel() } }

    /// Goes on where the last start ended.
    private func resume() async throws {
        let owner = try await store.note(StoreOwner.note, as: StoreOwner.self)
        var newest = LocalStore.Query.newest(1)
        newest.before = options.pacing.now().advanced(bySeconds: LocationMonitor.aheadSeconds)
        newest.idPrefix = RecordedLocation.idPrefix
        let last = try await store.documents(newest, as: RecordedLocation.self).first?.value.fix
        state.withLock { state in
            state.owner = owner
            state.monitor = Self.monitor(options, last: last)
        }
        guard let session = try Session.open(keeper, connections: options.connections), session.server == server else {
            return
        }
        if let owner, owner.user != session.user { throw MusterError.storeOfAnother(user: owner.user) }
        try await start(session, unlessSignedOutSince: 0)
    }

    /// Ends tracking and sending, records what waits, and closes the store. Streams end; later calls throw `.closed`.
    /// Whoever is signed in stays so for the next `open`.
    public func close() async throws(MusterError) {
        let (tracking, run) = state.withLock { state in
            state.isClosed = true
            state.signOuts += 1
            defer { state.run = nil }
            return (state.tracking, state.run)
        }
        tracking?.cancel()
        await tracking?.value
        await run?.stop()
        events.finish()
        crossingEvents.finish()
        presentAccount.finish()
        presentSafety.finish()
        presentRegions.finish()
        presentIncident.finish()
        presentAvailability.finish()
        try await inWords { try store.close() }
    }

    // MARK: What it knows

    /// Who is signed in, and each change of that.
    public var account: AsyncStream<Account> { presentAccount.values() }

    /// Whether the person is safe as far as this device can tell, and each change of that.
    public var safety: AsyncStream<Safety> { presentSafety.values() }

    /// The regions near the device and how it stands to them, and each change of that.
    public var regions: AsyncStream<[Region]> { presentRegions.values() }

    /// The incident of the person's team that is open, and each change of that.
    public var incident: AsyncStream<Incident?> { presentIncident.values() }

    /// Whether the source that is tracked delivers locations, and each change of that: the person withdrew the
    /// permission, say. A source that does not tell counts as available.
    public var availability: AsyncStream<LocationAvailability> { presentAvailability.values() }

    /// Each crossing from now on.
    public var crossings: AsyncStream<Crossing> { crossingEvents.subscribe(limit: Self.waitingLimit) }

    /// The session of whoever is signed in, for what `Muster` has no call for; nil where nobody is.
    public var session: Session? { state.withLock { $0.session } }

    /// Whether nobody looks at the app: then `Options.background` decides which locations are recorded.
    public var isInBackground: Bool {
        get { state.withLock { $0.monitor.mode == .background } }
        set { state.withLock { $0.monitor.mode = newValue ? .background : .foreground } }
    }

    /// The muster regions, the nearest first. It needs no network.
    ///
    /// - Returns: none where the regions are not known yet, and where the location is not valid.
    public func musterRegions(near location: Location, limit: Int = 10) -> [MusterRegion] {
        guard let run = state.withLock({ $0.run }), let place = try? location.fix().coordinate else { return [] }
        return run.watch.musterRegions(near: place, limit: limit).map {
            MusterRegion(id: $0.region, title: $0.title, distanceMetres: $0.distance.value)
        }
    }

    /// The locations that were recorded last, the newest first.
    public func recentLocations(limit: Int = 100) async throws(MusterError) -> [Location] {
        try await inWords {
            var query = LocalStore.Query.newest(limit)
            query.idPrefix = RecordedLocation.idPrefix
            return try await store.documents(query, as: RecordedLocation.self).compactMap {
                $0.value.fix.map { Location($0) }
            }
        }
    }

    // MARK: Working for a person

    static func monitor(_ options: Options, last: Position?) -> LocationMonitor {
        LocationMonitor(
            foreground: options.foreground, background: options.background, last: last, now: options.pacing.now)
    }

    /// Works for the person of a session from now on.
    ///
    /// - Parameter signOuts: how often somebody had signed out when the sign-in began.
    /// - Throws: `MusterError.cancelled` where somebody has signed out since.
    func start(_ session: Session, unlessSignedOutSince signOuts: Int) async throws {
        let owner = StoreOwner(user: session.user, account: session.account)
        if let run = state.withLock({ $0.run }), run.user == session.user {
            try setSession(session, owner, run, ifSignOutsAre: signOuts)
            run.tracker.reauthenticate(as: session)
        } else {
            let watch = RegionWatch(session: session, store: store, now: options.pacing.now)
            try await watch.restore()
            let tracker = LocationTracker(
                store: store, monitor: LocationMonitor(), server: session.peer, user: session.user,
                session: options.run, watch: watch, pace: options.pace, observer: { [weak self] in self?.receive($0) })
            let run = TrackerRun(
                user: session.user, tracker: tracker, watch: watch, pace: options.pace,
                onChange: { [weak self, weak watch] in
                    if let self, let watch { self.publish(watch) }
                },
                onFailure: { [weak self] in self?.events.send(.failed(MusterError($0))) })
            do {
                let before = try setSession(session, owner, run, ifSignOutsAre: signOuts)
                publish(watch)
                await before?.stop()
            } catch {
                run.cancel()
                throw error
            }
        }
        try await store.keep(owner, note: StoreOwner.note)
        setAccount(.signedIn(user: session.user))
    }

    /// Makes a session and its run the present ones.
    ///
    /// - Returns: the run of before.
    /// - Throws: `MusterError.cancelled` where somebody has signed out since the sign-in began.
    @discardableResult
    private func setSession(
        _ session: Session, _ owner: StoreOwner, _ run: TrackerRun, ifSignOutsAre signOuts: Int
    ) throws -> TrackerRun? {
        try state.withLock { state in
            guard state.signOuts == signOuts else { throw MusterError.cancelled }
            let before = state.run === run ? nil : state.run
            state.session = session
            state.sessionNumber += 1
            state.isRenewed = false
            state.owner = owner
            state.run = run
            return before
        }
    }

    func setAccount(_ account: Account) {
        guard presentAccount.value != account else { return }
        presentAccount.value = account
        events.send(.account(account))
    }

    /// Makes what a watch knows the present values, where it is the watch of whoever is signed in.
    private func publish(_ watch: RegionWatch) {
        guard state.withLock({ $0.run?.watch === watch }) else { return }
        presentRegions.value = watch.nearbyRegions().map { Region($0.presence, title: $0.title, isMuster: $0.isMuster) }
        presentSafety.value = Safety(watch.safety)
        presentIncident.value = watch.incident
    }
}

/// Whose a store is.
struct StoreOwner: Codable, Hashable, Sendable {
    /// The user's name.
    var user: String
    /// Which account it is, by the server's word; nil where it says nothing of that.
    var account: String?

    /// What the note is called.
    static let note = "owner"
}
