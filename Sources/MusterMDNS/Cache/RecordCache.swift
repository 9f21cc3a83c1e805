/// The records that other hosts sent on one link, each until its time to live ends (RFC 6762, sections 5.2 and 10).
///
/// It holds a bounded number of records and bytes in all and from each source. Records of a source beyond its share are
/// not stored. When the cache is full, the source with the most records loses all of them, so that a flood ends the
/// flooder's records before those of others. Times count from any fixed instant.
struct RecordCache: Sendable {
    /// The limits of a cache.
    struct Limits: Sendable {
        var records = 8_192
        var bytes = 4 << 20
        var recordsPerSource = 1_024
        /// The most records of one name and type, such as the services of a type.
        var recordsPerQuestion = 512
        var bytesPerSource = 512 << 10
        /// The longest time for which a record is stored without being received again.
        var timeToLive: UInt32 = 86_400
    }

    private struct Key: Hashable {
        var name: DNSName
        var type: RecordType
    }

    private struct Entry {
        var record: DNSRecord
        var source: HostAddress
        var received: Duration
        var expires: Duration
        /// When the next question for it is due before it ends; nil for none.
        var refresh: Duration?
        /// The number of questions for it so far; they are due at 80, 85, 90 and 95 % of its life.
        var refreshCount = 0
        /// The random delay of these questions, in thousandths of its life: 0 to 20.
        var jitter: Int
        var weight: Int

        var due: Duration { min(expires, refresh ?? expires) }
    }

    private struct Share {
        var records = 0
        var bytes = 0
    }

    /// The effect of inserting a record.
    enum Change: Equatable {
        /// The record is new, or it ended a known one.
        case changed
        /// The record was known already, and its life begins anew.
        case refreshed
        /// The record was not stored, because its source's share or the cache is full.
        case refused
    }

    let limits: Limits
    private var entries: [Key: [Entry]] = [:]
    private var shares: [HostAddress: Share] = [:]
    private var total = Share()
    /// The records that a full cache lost since the last `advance`, which returns them.
    private var evicted: [DNSRecord] = []
    /// A time not later than the first at which `advance` has something to do.
    private(set) var deadline: Duration?

    init(limits: Limits = Limits()) { self.limits = limits }

    /// The number of stored records.
    var count: Int { total.records }

    /// The number of stored records of a source.
    func count(from source: HostAddress) -> Int { shares[source]?.records ?? 0 }

    /// Returns the records of a name and type that are valid at a time.
    func records(_ name: DNSName, _ type: RecordType, at now: Duration) -> [DNSRecord] {
        entries[Key(name: name, type: type)]?.lazy.filter { $0.expires > now }.map(\.record) ?? []
    }

    /// Returns the known answers that a question for a name and type lists: the records of which more than half of
    /// their life is left, with the rest of it as their time to live (RFC 6762, section 7.1).
    func knownAnswers(_ name: DNSName, _ type: RecordType, at now: Duration) -> [DNSRecord] {
        entries[Key(name: name, type: type)]?.compactMap { entry in
            let left = entry.expires - now
            guard left * 2 > .seconds(Int64(entry.record.timeToLive)), left > .zero else { return nil }
            var record = entry.record.withTimeToLive(UInt32(left.components.seconds))
            record.flushesCache = false
            return record
        } ?? []
    }

    /// Adds a record, or applies it to the one that is known.
    ///
    /// - Parameters:
    ///   - source: the address of the host that sent the record.
    ///   - random: chooses the random delay of the questions for it.
    mutating func insert(
        _ record: DNSRecord, from source: HostAddress, at now: Duration, random: inout some RandomNumberGenerator
    ) -> Change {
        let key = Key(name: record.name, type: record.type)
        var change = Change.refreshed
        if record.flushesCache, record.timeToLive > 0, flush(key, except: record, at: now) { change = .changed }
        if let index = entries[key]?.firstIndex(where: { $0.record.data == record.data }) {
            extend(key, index, by: record, at: now, jitter: Int.random(in: 0...20, using: &random))
            return change
        }
        guard record.timeToLive > 0 else { return change }
        guard entries[key, default: []].count < limits.recordsPerQuestion else {
            return change == .changed ? .changed : .refused
        }
        let weight = 64 + record.name.wire.count + record.data.weight
        guard makeRoom(for: weight, of: source, at: now) else { return change == .changed ? .changed : .refused }
        var entry = Entry(
            record: record, source: source, received: now, expires: now, jitter: Int.random(in: 0...20, using: &random),
            weight: weight)
        setLife(&entry, record, at: now)
        entries[key, default: []].append(entry)
        count(entry, 1)
        lowerDeadline(to: entry.due)
        return .changed
    }

    /// Makes the records of a name and type that arrived more than a second ago end one second from now (RFC 6762,
    /// section 10.2).
    private mutating func flush(_ key: Key, except record: DNSRecord, at now: Duration) -> Bool {
        var isChanged = false
        for index in entries[key, default: []].indices {
            guard let entry = entries[key]?[index], entry.record.data != record.data,
                now - entry.received > .seconds(1), entry.expires > now + .seconds(1)
            else { continue }
            entries[key]?[index].expires = now + .seconds(1)
            entries[key]?[index].refresh = nil
            lowerDeadline(to: now + .seconds(1))
            isChanged = true
        }
        return isChanged
    }

    private mutating func extend(_ key: Key, _ index: Int, by record: DNSRecord, at now: Duration, jitter: Int) {
        guard var entry = entries[key]?[index] else { return }
        if record.timeToLive == 0 {
            // After a goodbye the record ends a second later; until then another host may renew it (RFC 6762, section
            // 10.1).
            entry.expires = min(entry.expires, now + .seconds(1))
            entry.refresh = nil
        } else {
            (entry.received, entry.jitter, entry.refreshCount) = (now, jitter, 0)
            entry.record = record
            setLife(&entry, record, at: now)
        }
        entries[key]?[index] = entry
        lowerDeadline(to: entry.due)
    }

    private func setLife(_ entry: inout Entry, _ record: DNSRecord, at now: Duration) {
        let seconds = min(record.timeToLive, limits.timeToLive)
        entry.record.timeToLive = seconds
        entry.expires = now + .seconds(Int64(seconds))
        entry.refresh = Self.refresh(of: entry)
    }

    /// When the next question for an entry is due (RFC 6762, section 5.2).
    private static func refresh(of entry: Entry) -> Duration? {
        guard entry.refreshCount < 4 else { return nil }
        let thousandths = 800 + 50 * entry.refreshCount + entry.jitter
        return entry.received + .seconds(Int64(entry.record.timeToLive)) * thousandths / 1000
    }

    private mutating func lowerDeadline(to due: Duration) { deadline = min(deadline ?? due, due) }

    private mutating func count(_ entry: Entry, _ sign: Int) {
        total.records += sign
        total.bytes += sign * entry.weight
        var share = shares[entry.source] ?? Share()
        share.records += sign
        share.bytes += sign * entry.weight
        shares[entry.source] = share.records > 0 ? share : nil
    }

    private mutating func makeRoom(for weight: Int, of source: HostAddress, at now: Duration) -> Bool {
        let share = shares[source] ?? Share()
        guard share.records < limits.recordsPerSource, share.bytes + weight <= limits.bytesPerSource else {
            return false
        }
        while total.records >= limits.records || total.bytes + weight > limits.bytes {
            guard let largest = shares.max(by: { $0.value.records < $1.value.records }), largest.key != source,
                largest.value.records > share.records + 1
            else { return false }
            evicted += remove { $0.source == largest.key }
            lowerDeadline(to: now)
        }
        return true
    }

    @discardableResult
    private mutating func remove(where isOver: (Entry) -> Bool) -> [DNSRecord] {
        var removed: [DNSRecord] = []
        for (key, group) in entries where group.contains(where: isOver) {
            let left = group.filter { !isOver($0) }
            for entry in group where isOver(entry) {
                count(entry, -1)
                removed.append(entry.record)
            }
            entries[key] = left.isEmpty ? nil : left
        }
        return removed
    }

    /// Removes the records that do not meet a condition.
    mutating func retain(where isWanted: (DNSRecord) -> Bool) { remove { !isWanted($0.record) } }

    /// Removes the records that have ended, and returns the questions that are due.
    ///
    /// - Returns: the records that ended or were lost to a flood, and a question for each name and type to refresh.
    /// - Complexity: O(n) in the records, when something is due.
    mutating func advance(to now: Duration) -> (ended: [DNSRecord], refresh: [DNSQuestion]) {
        guard let deadline, deadline <= now else { return ([], []) }
        var ended = evicted
        evicted = []
        var questions: Set<DNSQuestion> = []
        var next: Duration?
        for (key, group) in entries {
            var left: [Entry] = []
            for var entry in group {
                if entry.expires <= now {
                    ended.append(entry.record)
                    count(entry, -1)
                    continue
                }
                if let refresh = entry.refresh, refresh <= now {
                    questions.insert(DNSQuestion(key.name, key.type))
                    repeat {
                        entry.refreshCount += 1
                        entry.refresh = Self.refresh(of: entry)
                    } while entry.refresh.map { $0 <= now } ?? false
                }
                next = min(next ?? entry.due, entry.due)
                left.append(entry)
            }
            entries[key] = left.isEmpty ? nil : left
        }
        self.deadline = next
        return (ended, Array(questions))
    }
}

extension DNSRecordData {
    /// The approximate number of bytes that the data takes in memory.
    fileprivate var weight: Int {
        switch self {
        case .address: 16
        case .pointer(let name): name.wire.count * 2
        case .service(let location): location.target.wire.count * 2 + 8
        case .text(let bytes), .unknown(_, let bytes): bytes.count
        case .present(let types, let next): types.count * 2 + next.wire.count * 2
        }
    }
}
