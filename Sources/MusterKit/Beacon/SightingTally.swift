package import MusterCore
import MusterGeometry
import MusterWire

/// Makes sightings of advertisements: one of each beacon in an interval, with the average of its signals.
///
/// A beacon sends up to ten frames a second; one sighting per interval carries the same information. A beacon is
/// identified by its beacon frame, and by its Bluetooth address if that is permanent. An address that changes every few
/// minutes usually belongs to a stranger's phone: it is counted and never becomes a sighting.
package struct SightingTally: Sendable {
    private struct Entry {
        var total = 0
        var signals = 0
        var power: Int?
        var last: Instant
    }

    /// The length of an interval, seconds.
    private let intervalSeconds: Double
    private var begin: Instant?
    private var latest: Instant?
    private var entries: [Beacon: Entry] = [:]
    private var counts = SightingBatch.Counts()

    /// The largest number of beacons in one interval; advertisements of further beacons are counted as dropped.
    package static let beaconLimit = 1_000

    package init(intervalSeconds: Double) { self.intervalSeconds = intervalSeconds }

    /// Adds an advertisement.
    ///
    /// - Returns: the batch of the interval that ended because the advertisement lies outside it; nil within an
    ///   interval.
    package mutating func add(_ heard: HeardAdvertisement) -> SightingBatch? {
        var ended: SightingBatch?
        if let begin, let latest, heard.time < begin || heard.time.seconds(since: begin) >= intervalSeconds {
            // A clock that was set back begins a new interval.
            ended = takeBatch(until: latest)
        }
        if begin == nil { begin = heard.time }
        latest = max(latest ?? heard.time, heard.time)
        count(heard)
        return ended
    }

    /// Ends the interval if its time is over, or if the clock was set back.
    ///
    /// - Parameter now: until when the source listened.
    /// - Returns: the batch of the ended interval, also when nothing was heard in it; nil if the interval continues.
    package mutating func advance(to now: Instant) -> SightingBatch? {
        guard let begin else {
            self.begin = now
            return nil
        }
        guard now < begin || now.seconds(since: begin) >= intervalSeconds else { return nil }
        let batch = takeBatch(until: now < begin ? latest ?? begin : now)
        self.begin = now
        return batch
    }

    /// Ends the interval at the end of the source. Returns nil when nothing was heard since the last interval.
    package mutating func finish() -> SightingBatch? { latest.map { takeBatch(until: $0) } }

    private mutating func count(_ heard: HeardAdvertisement) {
        counts.advertisements += 1
        if heard.addressKind == .lasting {
            add(Beacon(address: heard.address), heard, power: nil)
        } else {
            counts.changingAddresses += 1
        }
        guard let read = try? Advertisement(reading: heard.payload) else {
            counts.malformed += 1
            return
        }
        counts.unknown += read.unknownCount
        counts.malformed += read.malformedCount
        if let frame = read.identifyingFrame, let beacon = frame.beacon {
            add(beacon, heard, power: frame.powerAtOneMetre)
        }
    }

    private mutating func add(_ beacon: Beacon, _ heard: HeardAdvertisement, power: Int?) {
        guard entries[beacon] != nil || entries.count < Self.beaconLimit else { return counts.dropped += 1 }
        var entry = entries[beacon] ?? Entry(last: heard.time)
        if let signal = heard.signal {
            entry.total += signal
            entry.signals += 1
        }
        entry.power = power ?? entry.power
        entry.last = max(entry.last, heard.time)
        entries[beacon] = entry
    }

    private mutating func takeBatch(until: Instant) -> SightingBatch {
        let sightings = entries.map { beacon, entry in
            let signal =
                entry.signals == 0 ? nil : (Double(entry.total) * 10 / Double(entry.signals)).rounded() / 10
            let distance = signal.flatMap { signal in
                entry.power.map { BeaconPolicy.distance(signal: signal, power: Double($0)) }
            }
            return Sighting(
                of: beacon, sampleTime: entry.last, receivedTime: entry.last,
                distance: distance.map { Metres(($0.value * 100).rounded() / 100) }, signalStrength: signal)
        }
        let batch = SightingBatch(
            until: until, sightings: sightings.sorted { ($0.sampleTime, $0.beacon) < ($1.sampleTime, $1.beacon) },
            counts: counts)
        entries.removeAll(keepingCapacity: true)
        (begin, latest, counts) = (nil, nil, SightingBatch.Counts())
        return batch
    }
}

/// The advertisements that a source heard in an interval.
package struct SightingBatch: Hashable, Sendable {
    /// Until when the source listened.
    package var until: Instant
    /// One sighting of each beacon, in the order of time.
    package var sightings: [Sighting]
    /// The numbers of advertisements, also of those that became no sighting.
    package var counts: Counts

    /// The numbers of advertisements that were heard in an interval.
    package struct Counts: Hashable, Sendable {
        package var advertisements = 0
        /// Advertisements from changing addresses, which identify no beacon.
        package var changingAddresses = 0
        /// Structures in a format that no decoder here knows.
        package var unknown = 0
        /// Advertisements and structures that could not be read.
        package var malformed = 0
        /// Advertisements of beacons beyond `beaconLimit`.
        package var dropped = 0

        package init() {}
    }

    package init(until: Instant, sightings: [Sighting], counts: Counts = Counts()) {
        self.until = until
        self.sightings = sightings
        self.counts = counts
    }
}
