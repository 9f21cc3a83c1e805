import MusterCore

/// The decisions of a device about beacon regions that the app has not received yet.
struct BeaconDecisions: Sendable {
    /// An event, in the form in which the device's store holds it until the app receives it.
    struct Event: Codable, Hashable, Sendable {
        var kind: Kind
        var region: RegionWatch.Name
        /// The sample time that decided the event, milliseconds since 1970 UTC.
        var time: Int64

        enum Kind: String, Codable, Sendable {
            case entered, left, stayed, unknown, found
        }
    }

    /// The events that the app has not received, oldest first, at most `untoldLimit`.
    private(set) var untold: [Event] = []
    /// The number of the newest event. The numbers of `untold` end with it.
    private(set) var last = 0
    /// The number of the newest event that is on the disk.
    private(set) var stored = 0
    /// Whether sightings were evaluated that are not on the disk yet.
    var isAhead = false
    /// Whether the evidence from before this start could not be read.
    var wasUnreadable = false
    /// Since when the device has listened without a pause, by its own clock; nil before the first time.
    var listeningSince: Instant?

    /// The largest number of events that wait while the app reads none; beyond it the oldest is dropped.
    static let untoldLimit = 256

    /// Whether there are events that are not on the disk.
    var hasUnstored: Bool { last > stored }

    /// Adds the events of a decision.
    ///
    /// - Parameters:
    ///   - crossings: all crossings of the decision.
    ///   - former: the standings before it.
    ///   - moment: when the decision was made.
    mutating func add(
        _ crossings: [Crossing], on device: WatchedDevice, before former: [RegionNumber: Standing], at moment: Instant
    ) {
        guard device.listensForBeacons else { return }
        var crossed: Set<RegionNumber> = []
        for crossing in crossings where device.isOfBeacon(crossing.region) {
            crossed.insert(crossing.region)
            switch crossing.kind {
            case .enter: add(.entered, crossing.region, crossing.sampleTime, on: device)
            case .exit: add(.left, crossing.region, crossing.sampleTime, on: device)
            case .dwell: add(.stayed, crossing.region, crossing.sampleTime, on: device)
            case .passed: continue
            }
        }
        for (region, standing) in device.beaconStandings.sorted(by: { $0.key < $1.key }) {
            guard standing != former[region], !crossed.contains(region) else { continue }
            switch standing {
            case .unknown: add(.unknown, region, moment, on: device)
            case .inside: add(.found, region, moment, on: device)
            case .outside: continue
            }
        }
    }

    private mutating func add(_ kind: Event.Kind, _ region: RegionNumber, _ time: Instant, on device: WatchedDevice) {
        guard let name = device.name(of: region) else { return }
        untold.append(Event(kind: kind, region: name, time: time.milliseconds))
        last += 1
        if untold.count > Self.untoldLimit { untold.removeFirst() }
    }

    /// Restores the events of an earlier run that the app did not receive.
    mutating func restore(_ events: [Event]) {
        untold = events.suffix(Self.untoldLimit)
        last = untold.count
        stored = last
    }

    /// Records that the events up to a number are on the disk.
    mutating func noteStored(through number: Int) { stored = max(stored, number) }

    /// Removes and returns the events that are on the disk. The next transaction records that the app received them.
    mutating func takeStored() -> [Event] {
        let first = last - untold.count
        let count = min(max(0, stored - first), untold.count)
        defer { untold.removeFirst(count) }
        return Array(untold.prefix(count))
    }
}
