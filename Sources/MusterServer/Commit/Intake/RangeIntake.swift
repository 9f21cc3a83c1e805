package import MusterCore
package import MusterWire

/// Translates the ranges that devices report into observations.
///
/// The server keeps a range only if the reporter's owner and the peer's owner agreed: the first by reporting, the
/// second by registering a range tag.
package struct RangeIntake: Sendable {
    private let directory: Directory

    package init(in directory: Directory) { self.directory = directory }

    /// Returns the observations in the order of time, and the number of ranges that the server does not keep: nobody
    /// registered the peer's tag, or the peer has the same owner as the reporter.
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
