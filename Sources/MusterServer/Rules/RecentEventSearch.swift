package import MusterCore
package import MusterStore
package import MusterWire

/// Matches a pattern against the newest events that a caller may see, to try it before a rule uses it.
package struct RecentEventSearch: Sendable {
    /// The events that match, newest first, as JSON.
    package private(set) var matched: [[UInt8]] = []
    /// How many events were compared.
    package private(set) var examined = 0
    /// Whether the search went back to the beginning of the log, or to as many events as were asked for. False when
    /// there are very many changes that are no events, or the events are very large.
    package private(set) var isComplete = false

    /// The largest number of changes that a search reads, and how many it reads at once.
    private static let changeLimit: Int64 = 100_000
    private static let changesAtOnce: Int64 = 5_000
    /// About how many bytes of events a search returns.
    private static let byteLimit = 4 << 20

    /// Searches the log from its end.
    ///
    /// - Parameter limit: the number of events to compare.
    /// - Throws: the store's errors.
    package init(
        for pattern: EventPattern, limit: Int, seenBy access: Access, from origin: EventOrigin, in store: any Store
    ) throws {
        let mapper = EventMapper(origin: origin)
        var end = store.lastSequence.rawValue
        var changesLeft = Self.changeLimit
        var bytes = 0
        while end > 0, examined < limit, changesLeft > 0, bytes < Self.byteLimit {
            let start = max(0, end - min(Self.changesAtOnce, changesLeft))
            changesLeft -= end - start
            let page: [LoggedChange]
            do {
                page = try Self.changes(after: start, through: end, in: store)
            } catch StoreError.trimmed(let oldest) {
                // What is older is deleted. One page may begin before the log does.
                guard oldest.rawValue - 1 > start, oldest.rawValue <= end else { break }
                page = try Self.changes(after: oldest.rawValue - 1, through: end, in: store)
                changesLeft = 0
                isComplete = true
            }
            for logged in page.reversed() where examined < limit && access.maySee(logged.change) {
                guard bytes < Self.byteLimit else {
                    isComplete = false
                    return
                }
                let mapped = try mapper.event(of: logged, in: access.directory) { device, sampleTime in
                    try store.fix(of: device, at: sampleTime)
                }
                guard let event = mapped?.event else { continue }
                examined += 1
                let envelope = event.envelope
                guard pattern.matches(envelope) else { continue }
                matched.append(envelope.json)
                bytes += matched[matched.count - 1].count
            }
            end = start
        }
        isComplete = isComplete || end == 0 || examined == limit
    }

    /// Reads the changes with numbers in `(start, end]`.
    private static func changes(after start: Int64, through end: Int64, in store: any Store) throws -> [LoggedChange] {
        var found: [LoggedChange] = []
        var since = start
        while since < end {
            let page = try store.changes(since: LogSequence(since), limit: Int(changesAtOnce))
            guard let last = page.last else { break }
            found += page.prefix { $0.sequence.rawValue <= end }
            since = last.sequence.rawValue
        }
        return found
    }
}
