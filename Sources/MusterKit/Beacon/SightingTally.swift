package import MusterCore
import MusterGeometry
import MusterWire

/// Makes sightings of advertisements: one of each beacon in an interval, with the average of its signals.
///
/// A beacon sends up to ten frames a second, and each is heard; a sighting a second says as much. A device is known by
/// the identity in its beacon frame, and by its Bluetooth address if it keeps that. An address that changes every few
/// minutes is a stranger's phone: it is counted and never becomes a sighting.
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

    /// The number of beacons in one interval; further ones are counted as dropped.
    package static let beaconLimit = 1_000

    package init(intervalSeconds: Double) { self.intervalSeconds = intervalSeconds }

    /// Adds an advertisement.
    ///
    /// - Returns: the interval that it ends, because it belongs to another; nil within an interval.
    package mutating func add(_ heard: HeardAdvertisement) -> SightingBatch? {
        var ended: SightingBatch?
        if let begin, let latest, heard.time < begin || heard.time.seconds(since: begin) >= intervalSeconds {
            // The clock that was set back begins an interval anew.
            ended = takeBatch(until: latest)
        }
        if begin == nil { begin = heard.time }
        latest = max(latest ?? heard.time, heard.time)
        count(heard)
        return ended
    }

    /// Ends the interval if its time is over.
    ///
    /// - Parameter now: until when the source listened.
    /// - Returns: the interval, also when nothing was heard in it.
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

    /// Ends the interval at the end of the source; nil when nothing was heard since the last.
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
    /// The other advertisements.
    package var counts: Counts

    /// The number of advertisements that were heard in an interval.
    package struct Counts: Hashable, Sendable {
        package var advertisements = 0
        /// Advertisements from addresses that change, which no one can be known by.
        package var changingAddresses = 0
        /// Structures in a format that no decoder here knows.
        package var unknown = 0
        /// Advertisements and structures that could not be read.
        package var malformed = 0
        /// Sightings of more beacons than an interval may have.
        package var dropped = 0

        package init() {}
    }

    package init(until: Instant, sightings: [Sighting], counts: Counts = Counts()) {
        self.until = until
        self.sightings = sightings
        self.counts = counts
    }
}
