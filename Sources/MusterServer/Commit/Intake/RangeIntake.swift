package import MusterCore
package import MusterWire

/// Translates the ranges that devices report into observations.
///
/// A range is kept only where both agreed: who measured by reporting it, and the peer by the tag that it registered.
package struct RangeIntake: Sendable {
    private let directory: Directory

    package init(in directory: Directory) { self.directory = directory }

    /// Returns the observations in the order of time, and the number of ranges to peers that nobody registered, or that
    /// are the owner's own. Nothing is kept of these.
    package func observations(
        of ranges: [(range: ReportedRange, device: Device)], receivedAt: Instant
    ) -> (kept: [Observation], unregistered: Int) {
        let kept = ranges.sorted { $0.range.sampleTime < $1.range.sampleTime }.compactMap { reported, device in
            directory.device(with: reported.tag).flatMap { peer -> Observation? in
                guard peer.user != device.user else { return nil }
                return .range(
                    PeerRange(
                        to: peer.number, sampleTime: reported.sampleTime, receivedTime: receivedAt,
                        metres: reported.metres, deviationMetres: reported.deviationMetres, source: reported.source),
                    of: device.number)
            }
        }
        return (kept, ranges.count - kept.count)
    }
}
