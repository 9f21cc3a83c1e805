import Logging
import MusterCore
import MusterHTTP
import MusterServer
import MusterStore
import MusterWire
import ServiceLifecycle
import Synchronization

/// Follows the feeds of official warnings: asks each from time to time, stores the warnings' areas as regions of the
/// team's raw collection `warnings-TEAM`, and removes them when they end.
///
/// Nothing here starts an incident or makes anybody safe or unsafe: a warning is a region that people enter, which
/// is never a muster region. Warnings of a feed that fails stay until their own time.
final class WarningFollower: Service {
    private let parts: ServerParts
    private let settings: Configuration.Warnings
    private let fetcher: WarningFetcher
    private let jitter: @Sendable () -> Double
    private let expiry = Mutex(Expiry())

    /// When the next region expires, as far as that is known.
    private struct Expiry {
        var isKnown = false
        var next: Instant?
    }

    /// What is known of a feed between two looks at it.
    private struct Memory {
        let id: WarningSourceID
        var book = WarningBook()
        var validators = WarningFetcher.Validators()
    }

    /// Seconds after which one look at a feed follows no further entry; the next look does.
    private static let lookSeconds = 60.0
    /// After so many documents in a row that cannot be had or read, a look follows no further entry.
    private static let failureLimit = 5

    /// - Parameter jitter: returns random numbers in [0, 1).
    init(_ parts: ServerParts, jitter: @escaping @Sendable () -> Double = { .random(in: 0..<1) }) {
        self.parts = parts
        self.jitter = jitter
        settings = parts.configuration.warnings
        fetcher = WarningFetcher(client: parts.client)
        let now = parts.configuration.now()
        parts.warnings.begin(
            settings.sources.map { WarningStatus(team: $0.team, host: $0.address.shown, since: now) })
    }

    func run() async throws {
        for team in Set(settings.sources.map(\.team)).sorted() where coordinator.directory.teams[team] == nil {
            parts.logger.warning("Official warnings are for a team that does not exist", metadata: ["team": "\(team)"])
        }
        await cancelWhenGracefulShutdown { [self] in
            // What expired while the server was down goes before anything else.
            await endWarnings()
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await self.watchExpiry() }
                for index in self.settings.sources.indices { group.addTask { await self.follow(index) } }
            }
        }
    }

    private var coordinator: StoreCoordinator { parts.coordinator }
    private var now: Instant { parts.configuration.now() }

    // MARK: Ends

    private func watchExpiry() async {
        while !Task.isCancelled {
            let isDue = expiry.withLock { expiry in !expiry.isKnown || expiry.next.map { $0 <= now } ?? false }
            if isDue { await endWarnings() }
            try? await Task.sleep(for: .seconds(1))
        }
    }

    /// Removes the regions that expired or that no feed has any more. Where the disk refuses, the next turn does.
    func endWarnings() async {
        expiry.withLock { $0.isKnown = true }
        do {
            let (edits, next) = endings(in: coordinator.directory, at: now)
            if !edits.isEmpty {
                let moment = now
                try await coordinator.edit(by: nil) { [self] directory, draft in
                    draft.edits = endings(in: directory, at: moment).edits
                }
            }
            expiry.withLock { $0.next = next }
        } catch {
            expiry.withLock { $0.isKnown = false }
            parts.logger.debug("Expired warnings were not removed", metadata: ["error": "\(error)"])
        }
    }

    private func endings(in directory: Directory, at moment: Instant) -> (edits: [Edit], next: Instant?) {
        var sources: [TeamNumber: Set<String>] = [:]
        for source in settings.sources {
            guard let team = directory.teams[source.team] else { continue }
            sources[team.number, default: []].insert(WarningSourceID(url: source.url).text)
        }
        return directory.edits(endingWarningsAt: moment, sources)
    }

    // MARK: Feeds

    private func follow(_ index: Int) async {
        let source = settings.sources[index]
        var memory = Memory(id: WarningSourceID(url: source.url))
        while !Task.isCancelled {
            let pause = await look(at: source, index, &memory)
            try? await Task.sleep(for: .seconds(pause))
        }
    }

    /// Looks at a feed once, and stores what it says.
    ///
    /// - Returns: the seconds until the next look.
    private func look(at source: Configuration.Warnings.Source, _ index: Int, _ memory: inout Memory) async -> Double {
        var isFeedRead = false
        do {
            let withheld = try await readFeed(source, &memory)
            let moment = now
            let (plan, counts) = memory.book.wanted(at: moment)
            try await store(plan, of: source, memory.id, at: moment)
            parts.warnings.change(index) { status in status.counts = counts }
            isFeedRead = true
            if let withheld { throw withheld }
            let endsSilence = parts.warnings.change(index) { status in status.recordSuccess(at: moment) }
            if endsSilence {
                parts.logger.notice(
                    "Official warnings are heard again",
                    metadata: ["team": "\(source.team)", "host": "\(source.address.shown)"])
            }
            return WarningSchedule.pause(settings.intervalSeconds, afterFailures: 0, jitter: jitter())
        } catch {
            if Task.isCancelled { return 0 }
            let moment = now
            let fault = error as? WarningFault ?? WarningFault(detail: "\(error)")
            parts.metrics.count(event: "warnings_not_heard")
            let (failures, words) = parts.warnings.change(index) { status in
                let isTold = status.recordFailure(fault.detail, at: moment)
                return (status.failures, isTold ? status.silence(at: moment) : nil)
            }
            if let words { parts.logger.warning("\(words)") }
            // A feed that answers is asked as often as ever, though one of its alerts may be withheld for long.
            return WarningSchedule.pause(
                settings.intervalSeconds, afterFailures: isFeedRead ? 0 : failures, retryAfter: fault.retryAfterSeconds,
                jitter: jitter())
        }
    }

    /// Takes in what a feed says.
    ///
    /// - Returns: why the look fails although the feed could be read: the service withholds the alerts.
    private func readFeed(
        _ source: Configuration.Warnings.Source, _ memory: inout Memory
    ) async throws -> WarningFault? {
        guard coordinator.directory.teams[source.team] != nil else {
            throw WarningFault(detail: "there is no team \(source.team)")
        }
        guard case .document(let bytes, let validators) = try await fetcher.fetch(source.url, known: memory.validators)
        else { return nil }
        switch try await read(bytes, memory.id) {
        case .alert(let alert, let warning): memory.book.enter(alert, warning, at: now)
        case .feed(let feed):
            let waiting = memory.book.entriesToFollow(of: feed)
            let (isWhole, withheld) = await follow(waiting, of: source, &memory)
            // The feed is asked for whole again while entries of it are unknown.
            memory.validators = isWhole ? validators : WarningFetcher.Validators()
            return withheld
        }
        memory.validators = validators
        return nil
    }

    /// Gets the alerts of entries, one after the other.
    ///
    /// - Returns: whether the alerts of all of them are known; and why the look fails, where the service withheld the
    ///   alerts of all that were asked for, or of one of the last before the look gave up.
    private func follow(
        _ entries: [WarningFeed.Entry], of source: Configuration.Warnings.Source, _ memory: inout Memory
    ) async -> (isWhole: Bool, withheld: WarningFault?) {
        let end = now.advanced(bySeconds: Self.lookSeconds)
        var (known, asked, failuresInRow) = (0, 0, 0)
        // The last fault of transport since an alert could be read.
        var withheld: WarningFault?
        for entry in entries.prefix(WarningBook.followLimit) {
            guard now < end, failuresInRow < Self.failureLimit, !Task.isCancelled else { break }
            asked += 1
            do {
                let url = try WarningFetcher.resolve(entry.link, against: source.url)
                guard case .document(let bytes, _) = try await fetcher.fetch(url) else {
                    throw WarningFault(detail: "it answered 304")
                }
                guard case .alert(let alert, let warning) = try await read(bytes, memory.id) else {
                    throw WarningFault(detail: "an entry leads to another feed", isLasting: true)
                }
                memory.book.enter(alert, warning, at: now)
                memory.book.recordFollowed(entry)
                (known, failuresInRow, withheld) = (known + 1, 0, nil)
            } catch {
                if Task.isCancelled { break }
                failuresInRow += 1
                let fault = error as? WarningFault ?? WarningFault(detail: "\(error)")
                if fault.isLasting {
                    memory.book.recordUnread(entry, fault.detail)
                } else {
                    memory.book.recordWithheld(entry, fault.detail)
                    withheld = WarningFault(
                        detail: "an alert's document: \(fault.detail)", retryAfterSeconds: fault.retryAfterSeconds)
                }
            }
        }
        let isFailed = failuresInRow >= Self.failureLimit || failuresInRow == asked
        return (known == entries.count, isFailed ? withheld : nil)
    }

    /// A document that was read, with what is shown of an alert.
    private enum Reading: Sendable {
        case alert(CAPAlert, Warning)
        case feed(WarningFeed)
    }

    /// Reads a document. A large one takes a while, so a reader's thread does it.
    private func read(_ bytes: [UInt8], _ id: WarningSourceID) async throws -> Reading {
        try await coordinator.read { [settings] _ in
            do throws(CAPError) {
                let document = try bytes.withUnsafeBytes { buffer in
                    Result { () throws(CAPError) in try WarningDocument(parsing: buffer) }
                }.get()
                switch document {
                case .alert(let alert): return .alert(alert, Warning(alert, of: id, settings))
                case .feed(let feed): return .feed(feed)
                }
            } catch {
                throw WarningFault(detail: "it cannot be read: \(error)", isLasting: true)
            }
        }
    }

    // MARK: Regions

    private func store(
        _ plan: WarningPlan, of source: Configuration.Warnings.Source, _ id: WarningSourceID, at moment: Instant
    ) async throws {
        let directory = coordinator.directory
        guard let team = directory.teams[source.team] else {
            throw WarningFault(detail: "there is no team \(source.team)")
        }
        let changes = plan.edits(of: id, in: directory.warningCollection(of: team.number), directory, at: moment) {
            RegionNumber(0)
        }
        guard !changes.isEmpty else { return }
        try await coordinator.edit(by: nil) { directory, draft in
            guard let team = directory.teams[source.team] else { return }
            let transaction = draft.transaction
            let collection = try directory.warningCollection(of: team.number) ?? Self.make(for: team, directory, &draft)
            draft.edits += try plan.edits(of: id, in: collection, directory, at: moment) {
                try transaction.nextRegionNumber()
            }
        }
        expiry.withLock { $0.isKnown = false }
    }

    /// Drafts the collection of a team's warnings, linked to the team's tracker.
    private static func make(for team: Team, _ directory: Directory, _ draft: inout Draft) throws -> RegionCollection {
        let collection = RegionCollection(
            number: try draft.transaction.nextCollectionNumber(), name: directory.nameForWarnings(of: team),
            policy: .raw, particulars: Particulars(tags: [RegionCollection.warningTag: "\(team.number.rawValue)"]))
        draft.edits.append(.putCollection(collection))
        if var tracker = directory.trackers[team.tracker] {
            tracker.collections.append(collection.number)
            draft.edits.append(.putTracker(tracker))
        }
        return collection
    }
}

/// When a feed is looked at again.
enum WarningSchedule {
    /// The longest pause after failures, in seconds.
    static let longestSeconds = 900.0
    /// The longest pause that a service may ask for, in seconds.
    static let longestWished = 3_600.0

    /// The seconds until the next look: the interval, doubled with each failure up to a quarter of an hour, or what the
    /// service asked for if that is longer; and up to a tenth more, so that not all servers ask at once.
    ///
    /// - Parameter jitter: a random number in [0, 1).
    static func pause(
        _ interval: Double, afterFailures failures: Int, retryAfter: Double? = nil, jitter: Double
    ) -> Double {
        let doubled = interval * Double(1 << min(max(0, failures - 1), 10))
        let pause = failures == 0 ? interval : max(interval, min(doubled, longestSeconds))
        return max(pause, min(retryAfter ?? 0, longestWished)) * (1 + 0.1 * jitter)
    }
}
