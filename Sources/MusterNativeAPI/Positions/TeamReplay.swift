import MusterCore
import MusterGeometry
import MusterServer
import MusterStore
import MusterWire

/// The movements of a team's people over a short time, in columns, so that an answer with hundreds of thousands of
/// fixes stays small and quick to read.
struct TeamReplay {
    /// The largest number of fixes in one answer: 2,000 people for 15 minutes every 5 seconds, and some more.
    static let fixLimit = 400_000

    /// The time that a replay covers, and what the server knows of it.
    struct Span: Sendable {
        var from: Instant
        var to: Instant
        /// How long before `from` a device's last fix may be, seconds.
        static let lookBackSeconds: Double = 86_400
        /// Times before this are deleted, or about to be.
        var horizon: Instant
        var now: Instant

        /// What is missing of this time, in words; empty if nothing is.
        ///
        /// - Parameter statesSince: from when on the states of people are stored.
        func gaps(statesSince: Instant) -> [String] {
            var gaps: [String] = []
            if from < horizon { gaps.append("Everything older than \(horizon.rfc3339) is deleted.") }
            if from < statesSince {
                gaps.append(
                    "The states of people before \(statesSince.rfc3339) are not stored: an older version ran then.")
            }
            if to > now { gaps.append("The time is not over yet: it is \(now.rfc3339).") }
            return gaps
        }

        /// Whether the last state before `from` is stored, for each person who had one.
        func knowsStatesAtStart(since statesSince: Instant) -> Bool { from >= horizon && from >= statesSince }
    }

    /// The replay would have more fixes than an answer may have. A replay that ends at `end` fits.
    struct TooLong: Error {
        var fixes: Int
        var end: Instant
    }

    private let span: Span
    private let limit: Int
    private let people: [User]
    private let devices: [(device: Device, worksAtZero: Bool)]
    private var indices: [DeviceNumber: Int] = [:]
    private var start: [(device: Int, fix: Fix)] = []
    private var fixes: [(device: Int32, fix: Fix)] = []
    private var count = 0
    /// The number of fixes in each second.
    private var fixesOfSecond: [Int]

    private struct Fix {
        /// Milliseconds after the beginning of the time.
        var time: Int64
        var latitude: Double
        var longitude: Double
        var accuracy: Double?

        init(_ position: Position, since from: Instant) {
            time = position.sampleTime.milliseconds - from.milliseconds
            latitude = position.coordinate.latitude
            longitude = position.coordinate.longitude
            accuracy = position.accuracy?.value
        }
    }

    /// Prepares the replay of a team's people, as the directory has them now.
    init(of team: Team, over span: Span, in directory: Directory, fixLimit: Int = TeamReplay.fixLimit) {
        self.span = span
        limit = fixLimit
        people = directory.users.all.filter { $0.team == team.number && $0.role != .gateway }
        let worksAtZero = directory.trackers[team.tracker]?.worksAtZero ?? false
        devices = people.flatMap { directory.devices(of: $0.number) }.compactMap { directory.devices[$0] }
            .map { ($0, worksAtZero) }
        for (index, device) in devices.enumerated() { indices[device.device.number] = index }
        fixesOfSecond = Array(
            repeating: 0, count: Int((span.to.milliseconds - span.from.milliseconds) / 1000) + 1)
    }

    /// Reads the replay, and writes it as JSON.
    ///
    /// - Throws: `TooLong`; the store's errors.
    mutating func write(from store: any Store, in directory: Directory) throws -> [UInt8] {
        try store.replay(
            of: devices.map(\.device.number), earliest: span.from.advanced(bySeconds: -Span.lookBackSeconds),
            from: span.from, to: span.to
        ) { device, last, positions in add(positions, after: last, of: device) }
        guard count <= limit else { throw TooLong(fixes: count, end: endThatFits) }
        let states = try store.safetyHistory(of: people.map(\.number), from: span.from, to: span.to)
        let statesSince = try store.safetyHistoryStart
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("from", span.from)
        writer.member("to", span.to)
        writer.member("people", listing: people) { $0.value($1.name) }
        writer.member("devices", listing: devices) { writer, entry in
            writer.beginObject()
            writer.member("user", directory.name(of: entry.device.user))
            writer.member("device", entry.device.name)
            writer.endObject()
        }
        writeFixes(to: &writer)
        write(states, isStartKnown: span.knowsStatesAtStart(since: statesSince), to: &writer)
        let gaps = span.gaps(statesSince: statesSince)
        writer.member("isComplete", gaps.isEmpty)
        if !gaps.isEmpty { writer.member("gaps", listing: gaps) { $0.value($1) } }
        writer.endObject()
        return writer.bytes
    }

    private mutating func add(_ positions: [Position], after last: Position?, of device: DeviceNumber) {
        guard let index = indices[device] else { return }
        // The engine believes no fix at 0° N 0° E, unless the tracker works there.
        let isBelieved = { [worksAtZero = devices[index].worksAtZero] (position: Position) in
            worksAtZero || !position.isAtZero
        }
        if let last, isBelieved(last) { start.append((index, Fix(last, since: span.from))) }
        for position in positions where isBelieved(position) {
            count += 1
            let fix = Fix(position, since: span.from)
            fixesOfSecond[Int(fix.time / 1000)] += 1
            if count <= limit { fixes.append((Int32(index), fix)) } else { fixes.removeAll() }
        }
    }

    /// The latest end, in whole seconds, of a replay that fits.
    private var endThatFits: Instant {
        var sum = 0
        let seconds = fixesOfSecond.prefix { seconds in
            sum += seconds
            return sum <= limit
        }
        return span.from.advanced(bySeconds: Double(seconds.count))
    }

    private mutating func writeFixes(to writer: inout JSONWriter) {
        writer.member("start", listing: start) { writer, entry in
            writer.beginArray()
            writer.value(entry.device)
            writer.value(entry.fix.time)
            writer.value(entry.fix.latitude)
            writer.value(entry.fix.longitude)
            if let accuracy = entry.fix.accuracy { writer.value(accuracy) } else { writer.null() }
            writer.endArray()
        }
        // Sorting the indices within one number each is faster than moving the fixes.
        let order = fixes.indices.map { UInt64(fixes[$0].fix.time) << 32 | UInt64($0) }.sorted()
            .map { Int($0 & 0xFFFF_FFFF) }
        writer.key("fixes")
        writer.beginObject()
        writer.member("device", listing: order) { [fixes] in $0.value(fixes[$1].device) }
        writer.member("t", listing: order) { [fixes] in $0.value(fixes[$1].fix.time) }
        writer.member("latitude", listing: order) { [fixes] in $0.value(fixes[$1].fix.latitude) }
        writer.member("longitude", listing: order) { [fixes] in $0.value(fixes[$1].fix.longitude) }
        writer.member("accuracy", listing: order) { [fixes] writer, index in
            if let accuracy = fixes[index].fix.accuracy { writer.value(accuracy) } else { writer.null() }
        }
        writer.endObject()
    }

    /// Writes the states of people: at the start of those whose state is known, and each later one.
    private func write(_ states: [ReportedSafety], isStartKnown: Bool, to writer: inout JSONWriter) {
        let place = Dictionary(people.enumerated().map { ($1.number, $0) }) { first, _ in first }
        let before = Dictionary(states.filter { $0.at <= span.from }.map { ($0.user, $0) }) { _, later in later }
        func write(_ state: ReportedSafety?) {
            writer.value((state?.state ?? .unknown).wireName.description)
            let source = state?.source
            if let doubt = state?.doubt {
                writer.value(doubt.wireName.description)
            } else if source != nil {
                writer.null()
            }
            if let source { writer.value(source.wireName.description) }
        }
        writer.key("states")
        writer.beginObject()
        writer.key("start")
        writer.beginArray()
        for (index, person) in people.enumerated() {
            let known = before[person.number]
            // The server had said nothing yet of a person without a state.
            guard known != nil || isStartKnown else { continue }
            writer.beginArray()
            writer.value(index)
            write(known)
            writer.endArray()
        }
        writer.endArray()
        writer.key("changes")
        writer.beginArray()
        for state in states.filter({ $0.at > span.from }).sorted(by: { $0.at < $1.at }) {
            guard let index = place[state.user] else { continue }
            writer.beginArray()
            writer.value(state.at.milliseconds - span.from.milliseconds)
            writer.value(index)
            write(state)
            writer.endArray()
        }
        writer.endArray()
        writer.endObject()
    }
}
