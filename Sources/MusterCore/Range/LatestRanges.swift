/// The newest range of each pair of a device that measures and a device to which it measures: the newest measured one,
/// and apart from it the newest simulated one.
struct LatestRanges: Sendable {
    private var ranges: [Pair: PeerRange] = [:]
    /// The devices with which each device has a range, in either direction.
    private var partners: [DeviceNumber: Set<DeviceNumber>] = [:]
    /// How many ranges there may be before old ones are removed.
    private var roomLeft = leastRoom

    private static let leastRoom = 1_024

    /// A device that measured, and the device to which it measured.
    struct Pair: Hashable, Sendable {
        var device: DeviceNumber
        var peer: DeviceNumber
        /// Whether the range was measured, and not simulated.
        var isMeasured: Bool
    }

    var isEmpty: Bool { ranges.isEmpty }

    /// Returns the newest range from a device to a peer that was measured, or the newest that was invented.
    func range(of device: DeviceNumber, to peer: DeviceNumber, isMeasured: Bool) -> PeerRange? {
        ranges[Pair(device: device, peer: peer, isMeasured: isMeasured)]
    }

    /// Returns the devices with which a device has a range, in either direction.
    func partners(of device: DeviceNumber) -> Set<DeviceNumber> { partners[device] ?? [] }

    mutating func put(_ range: PeerRange, of device: DeviceNumber) {
        ranges[Pair(device: device, peer: range.peer, isMeasured: range.source.isMeasured)] = range
        partners[device, default: []].insert(range.peer)
        partners[range.peer, default: []].insert(device)
    }

    /// Adds newer ranges. From time to time it removes those that are no longer fresh, so that this costs O(1) a range,
    /// amortized.
    mutating func adopt(_ newer: LatestRanges) {
        var newest: Instant?
        for (pair, range) in newer.ranges {
            put(range, of: pair.device)
            newest = max(newest ?? range.receivedTime, range.receivedTime)
            roomLeft -= 1
        }
        guard roomLeft <= 0, let newest else { return }
        let oldest = newest.advanced(bySeconds: -RangePolicy.freshSeconds)
        removeAll { _, range in range.takenAt < oldest }
        roomLeft = max(Self.leastRoom, ranges.count)
    }

    /// Removes the ranges to a device that withdrew its tag.
    mutating func removeAll(to peer: DeviceNumber) {
        guard partners[peer] != nil else { return }
        removeAll { pair, _ in pair.peer == peer }
    }

    /// Removes the ranges that were taken after `now`. After the server's clock was set back they would count as fresh
    /// until the clock has caught up.
    mutating func removeAll(after now: Instant) {
        removeAll { _, range in Engine.isAhead(range.takenAt, of: now) }
    }

    /// Removes the ranges from and to a device.
    mutating func removeAll(of device: DeviceNumber) {
        guard partners[device] != nil else { return }
        removeAll { pair, _ in pair.device == device || pair.peer == device }
    }

    private mutating func removeAll(where isGone: (Pair, PeerRange) -> Bool) {
        let kept = ranges.filter { !isGone($0.key, $0.value) }
        guard kept.count < ranges.count else { return }
        ranges.removeAll()
        partners.removeAll()
        for (pair, range) in kept { put(range, of: pair.device) }
    }
}

/// How the engine judges measured ranges.
public enum RangePolicy {
    /// How old a range may be and still show how far two people are from each other, seconds. An older one is history.
    public static let freshSeconds: Double = 30
    /// By how many standard deviations of both together two distances may differ before they contradict each other.
    public static let contradictionDeviations: Double = 4
}
