/// Ranges are written to the log, and show how far two people are from each other while they are fresh. They change no
/// standing in a region, and they do not show that a person was heard.
extension Engine {
    /// Restores the newest ranges after a restart. Ranges that are no longer fresh may be left out.
    ///
    /// - Parameter stored: in the order of their sample times.
    public mutating func resume(ranges stored: [(device: DeviceNumber, range: PeerRange)]) {
        for (device, range) in stored where isAgreed(range, of: device) && isFresh(range, now: range.receivedTime) {
            ranges.put(range, of: device)
        }
    }

    func decideRange(
        _ range: PeerRange, of device: DeviceNumber, now: Instant, into decision: inout Decision
    ) -> Verdict {
        // The peer may have withdrawn its tag, or be gone, since an endpoint looked it up.
        guard isAgreed(range, of: device) else { return .filtered }
        let newest = newestRange(of: device, to: range.peer, isMeasured: range.source.isMeasured, after: decision)
        let isNewer = newest.map { range.sampleTime > $0.sampleTime } ?? true
        let isCurrent = isNewer && isFresh(range, now: now)
        decision.scratch.changes.append(.range(range, of: device, isCurrent: isCurrent))
        guard isCurrent else { return .late }
        decision.ranges.put(range, of: device)
        followProximity(byRangeOf: device, to: range.peer, now: now, into: &decision)
        return .accepted
    }

    /// Whether both owners agreed: one by reporting the range, the other by registering the tag of the peer.
    private func isAgreed(_ range: PeerRange, of device: DeviceNumber) -> Bool {
        guard let user = owner(of: device), let other = owner(of: range.peer) else { return false }
        return user != other && rangeTagged.contains(range.peer)
    }

    func isFresh(_ range: PeerRange, now: Instant) -> Bool {
        !Self.isAhead(range.sampleTime, of: range.receivedTime)
            && now.seconds(since: range.takenAt) <= RangePolicy.freshSeconds
    }

    private func newestRange(
        of device: DeviceNumber, to peer: DeviceNumber, isMeasured: Bool, after decision: Decision
    ) -> PeerRange? {
        decision.ranges.range(of: device, to: peer, isMeasured: isMeasured)
            ?? ranges.range(of: device, to: peer, isMeasured: isMeasured)
    }

    /// Records whether a device has a range tag. Without one, the ranges to it end.
    mutating func putRangeTag(_ device: Device) {
        if device.rangeTag != nil {
            rangeTagged.insert(device.number)
        } else if rangeTagged.remove(device.number) != nil {
            ranges.removeAll(to: device.number)
        }
    }

    mutating func removeRanges(of device: DeviceNumber) {
        rangeTagged.remove(device)
        ranges.removeAll(of: device)
    }

    /// Returns the fresh ranges between some devices and all others, by the owner of the other device.
    func freshRanges(
        with devices: some Sequence<DeviceNumber>, silence: Double, now: Instant, after decision: Decision
    ) -> [UserNumber: [RangeEstimate]] {
        if ranges.isEmpty && decision.ranges.isEmpty { return [:] }
        var found: [UserNumber: [RangeEstimate]] = [:]
        for device in devices {
            let partners = ranges.partners(of: device).union(decision.ranges.partners(of: device))
            for partner in partners.sorted() {
                guard let user = owner(of: partner) else { continue }
                let newest = [true, false].flatMap { isMeasured in
                    [
                        newestRange(of: device, to: partner, isMeasured: isMeasured, after: decision),
                        newestRange(of: partner, to: device, isMeasured: isMeasured, after: decision),
                    ]
                }
                for case let range? in newest where isFresh(range, now: now) {
                    let speeds = [device, partner].map {
                        estimate(of: $0, silence: silence, now: now, after: decision)?.speed ?? 0
                    }
                    found[user, default: []].append(RangeEstimate(range, speeds: (speeds[0], speeds[1])))
                }
            }
        }
        return found
    }
}
