import MusterCore
import MusterGeometry
import MusterServer
import MusterWire

/// What a feed has said so far: which warnings hold, which ended before their time, and which entries are known. The
/// order in which alerts arrive makes no difference.
struct WarningBook: Sendable {
    private var warnings: [CAPAlert.Key: Warning] = [:]
    /// The alerts that others replaced or cancelled, with the time at which that was learned.
    private var ended: [CAPAlert.Key: Instant] = [:]
    /// By link, the version of the entry whose alert is known.
    private var followed: [String: String] = [:]
    private var unread: [String: Failure] = [:]
    /// The links of the entries whose alerts the service withheld when they were last asked for.
    private var withheld: Set<String> = []
    private var leftOutEntries = 0
    private var refusedWarnings = 0
    private var reason: String?

    /// An entry whose alert was fetched and could not be read, or is gone.
    private struct Failure {
        var version: String
        var attempts: Int
    }

    /// The largest number of entries that one look at a feed follows.
    static let followLimit = 200
    /// How often an alert is asked for that cannot be read or is gone.
    static let attemptLimit = 3
    /// The largest number of warnings that are known at a time, with those of which nothing is shown.
    static let warningLimit = 5_000
    /// What the warnings hold together at most. A single warning is always within it.
    static let sizeLimit = Warning.Size(regions: 2_000, positions: 400_000, textBytes: 8 << 20)
    /// The largest number of ended alerts that are remembered.
    static let endedLimit = 5_000
    /// The largest number of regions of a feed that are shown, and of their positions.
    static let regionLimit = 500
    static let positionLimit = 200_000
    /// How far ahead of the server's clock an alert may have been sent, in seconds: a day.
    static let aheadSeconds = 86_400.0

    init() {}

    // MARK: Entries

    /// Returns the entries whose alerts are not known yet, the newest first, and after them those that the service
    /// withheld. Forgets those that left the feed.
    mutating func entriesToFollow(of feed: WarningFeed) -> [WarningFeed.Entry] {
        let links = Set(feed.entries.map(\.link))
        followed = followed.filter { links.contains($0.key) }
        unread = unread.filter { links.contains($0.key) }
        withheld.formIntersection(links)
        leftOutEntries = feed.leftOut
        var seen: Set<String> = []
        let entries = feed.entries.filter { entry in
            guard seen.insert(entry.link).inserted, followed[entry.link] != entry.version else { return false }
            guard let failure = unread[entry.link], failure.version == entry.version else { return true }
            return failure.attempts < Self.attemptLimit
        }
        return entries.filter { !withheld.contains($0.link) } + entries.filter { withheld.contains($0.link) }
    }

    mutating func recordFollowed(_ entry: WarningFeed.Entry) {
        followed[entry.link] = entry.version
        unread[entry.link] = nil
        withheld.remove(entry.link)
    }

    /// Records that the alert of an entry could not be had this time. It is asked for again as long as the feed has it.
    mutating func recordWithheld(_ entry: WarningFeed.Entry, _ reason: String) {
        withheld.insert(entry.link)
        self.reason = reason
    }

    /// Records that the alert of an entry was fetched and could not be read, or is gone.
    mutating func recordUnread(_ entry: WarningFeed.Entry, _ reason: String) {
        let former = unread[entry.link].flatMap { $0.version == entry.version ? $0.attempts : nil } ?? 0
        unread[entry.link] = Failure(version: entry.version, attempts: former + 1)
        withheld.remove(entry.link)
        self.reason = reason
    }

    // MARK: Alerts

    /// Takes an alert in. Exercises, tests, drafts and what is not public change nothing, and end no other alert.
    ///
    /// - Parameter warning: what is shown of it.
    mutating func enter(_ alert: CAPAlert, _ warning: Warning, at now: Instant) {
        guard alert.isActual, alert.isPublic else { return }
        guard alert.key.sent <= now.advanced(bySeconds: Self.aheadSeconds) else {
            refusedWarnings += 1
            reason = "an alert was sent more than a day ahead of this server's clock"
            return
        }
        switch alert.kind {
        case .acknowledgement, .error: return
        case .alert: break
        case .update, .cancel:
            for key in alert.references where key != alert.key {
                ended[key] = now
                warnings[key] = nil
            }
            forgetEnded()
            if alert.kind == .cancel { return }
        }
        guard ended[alert.key] == nil, warning.expires > now else { return }
        guard warnings[alert.key] != nil || warnings.count < Self.warningLimit else {
            refusedWarnings += 1
            reason = "the feed has more than \(Self.warningLimit) warnings"
            return
        }
        warnings[alert.key] = warning
        boundSize()
    }

    /// What the warnings hold together.
    var size: Warning.Size { warnings.values.reduce(into: Warning.Size()) { $0 += $1.size } }

    /// Takes the regions from the least and oldest warnings where all together hold too much.
    private mutating func boundSize() {
        var size = self.size
        guard !size.isWithin(Self.sizeLimit) else { return }
        for warning in warnings.values.sorted(by: Self.isBefore).reversed() where !warning.regions.isEmpty {
            warnings[warning.key]?.leaveOutRegions("the feed has more areas or text than are kept")
            size -= warning.size
            if size.isWithin(Self.sizeLimit) { return }
        }
    }

    private mutating func forgetEnded() {
        guard ended.count > Self.endedLimit else { return }
        let oldest = ended.sorted { $0.value < $1.value }.prefix(ended.count - Self.endedLimit)
        for (key, _) in oldest { ended[key] = nil }
    }

    // MARK: Regions

    /// Forgets what has expired, and returns the regions that there should be, with what is not shown.
    mutating func wanted(at now: Instant) -> (plan: WarningPlan, counts: WarningStatus.Counts) {
        warnings = warnings.filter { $0.value.expires > now }
        var counts = WarningStatus.Counts()
        counts.leftOut = refusedWarnings + leftOutEntries
        counts.unread = Set(unread.keys).union(withheld).count
        counts.reason = reason
        if leftOutEntries > 0 {
            counts.reason = "the feed has entries without a link, or more than \(WarningFeed.entryLimit)"
        }
        var plan = WarningPlan(known: Set(warnings.keys), ended: Set(ended.keys))
        var positions = 0
        // Where there are too many, the worst and the newest are shown.
        for warning in warnings.values.sorted(by: Self.isBefore) {
            counts.refusedShapes += warning.refusedShapes
            counts.leftOut += warning.leftOutShapes
            if warning.isWithoutArea { counts.withoutArea += 1 }
            if let reason = warning.reason { counts.reason = reason }
            let regions = warning.regions.filter { $0.expires > now }
            let size = regions.reduce(0) { $0 + $1.shape.positionCount }
            guard plan.regions.count + regions.count <= Self.regionLimit, positions + size <= Self.positionLimit else {
                counts.leftOut += 1
                counts.reason = "the feed has more than \(Self.regionLimit) areas"
                continue
            }
            positions += size
            for region in regions { plan.regions[region.id] = region }
            if !regions.isEmpty { counts.warnings += 1 }
            counts.regions += regions.count
        }
        return (plan, counts)
    }

    private static func isBefore(_ one: Warning, _ other: Warning) -> Bool {
        let (left, right) = (one.regions.map(\.severity).max(), other.regions.map(\.severity).max())
        // A warning without a region comes last.
        if (left == nil) != (right == nil) { return right == nil }
        if let left, let right, left != right { return left > right }
        if one.key.sent != other.key.sent { return one.key.sent > other.key.sent }
        return one.key.identifier < other.key.identifier
    }
}
