import MusterCore
import MusterGeometry

/// Measured ranges between devices.
extension World {
    /// The tag of a device, as if it had made one.
    static func rangeTag(of device: DeviceNumber) -> RangeTag { RangeTag(high: 7, low: UInt64(device.rawValue)) }

    /// The owner of a device agrees that others measure it, or withdraws that.
    mutating func agree(_ device: DeviceNumber, _ agrees: Bool = true) {
        guard var agreed = directory.devices[device] else { return }
        agreed.rangeTag = agrees ? Self.rangeTag(of: device) : nil
        edit(.putDevice(agreed))
    }

    /// A device reports how far a peer is, as the server takes it; nil for a repetition.
    @discardableResult
    mutating func range(
        _ metres: Double, deviation: Double = 0.3, from device: DeviceNumber = World.phone,
        to peer: DeviceNumber = World.bensPhone, at seconds: Double, receivedAt: Double? = nil,
        source: PeerRange.Source = .ultraWideband
    ) -> Verdict? {
        now = max(now, receivedAt ?? seconds)
        let range = PeerRange(
            to: peer, sampleTime: Self.time(seconds), receivedTime: Self.time(receivedAt ?? max(now, seconds)),
            metres: metres, deviationMetres: deviation, source: source)
        let observation = Observation.range(range, of: device)
        if engine.question(about: observation, now: Self.time(now), after: decision) == .isStored {
            let isStored = log.contains { change in
                guard case .range(let stored, device, _) = change else { return false }
                return stored.peer == peer && stored.sampleTime == range.sampleTime
            }
            if isStored { return nil }
        }
        let verdict = engine.decide(observation, now: Self.time(now), into: &decision)
        settle()
        return verdict
    }

    /// The stored ranges, each with whether it was current when it came.
    var ranges: [(device: DeviceNumber, range: PeerRange, isCurrent: Bool)] {
        log.compactMap { change in
            if case .range(let range, let device, let isCurrent) = change { (device, range, isCurrent) } else { nil }
        }
    }

    /// Replaces the engine by one with what the store would hold after kill -9, the latest ranges with it.
    mutating func restartWithRanges() {
        restartWithProximity()
        let oldest = Self.time(now - RangePolicy.freshSeconds)
        engine.resume(
            ranges: ranges.filter { $0.range.sampleTime >= oldest }.sorted { $0.range.sampleTime < $1.range.sampleTime }
                .map { ($0.device, $0.range) })
    }
}
