public import MusterGeometry

/// Combines several sources that measure the same peer, and the distances of both ends, into one distance and direction
/// with an error of its own. If no source measures a direction, it finds the bearing from successive distances and the
/// motion of this device.
///
/// Each source runs independently: one that stops or breaks is left out, and the stream ends with the last of them.
/// `RangeFusion` describes how distances are combined, `MotionBearing` how a bearing is found.
public struct FusedRanging: RangingSource {
    /// This device's position by its own odometry: steps and a compass, or a robot's wheels.
    public struct Motion: Hashable, Sendable {
        /// Metres east of an arbitrary origin that does not move.
        public var east: Metres
        /// Metres north of that origin.
        public var north: Metres
        /// The direction that the device faces, clockwise from north; nil when unknown.
        public var heading: Degrees?

        public init(east: Metres, north: Metres, heading: Degrees? = nil) {
            self.east = east
            self.north = north
            self.heading = heading
        }
    }

    /// The kind of this source: `.fused`.
    public let kind = RangingKind.fused
    private let parts: [any RangingSource]
    private let clock: NearbyClock
    private let motion: (@Sendable () -> Motion?)?

    /// Creates a source.
    ///
    /// - Parameters:
    ///   - parts: the sources, each of another kind; those that this device does not support are left out.
    ///   - clock: the time, by which all parts measure.
    ///   - motion: returns this device's position by its odometry; nil when there is none.
    /// - Precondition: no two parts have the same kind, and none is fused itself.
    public init(
        _ parts: [any RangingSource], clock: NearbyClock = .system, motion: (@Sendable () -> Motion?)? = nil
    ) {
        precondition(Set(parts.map(\.kind)).count == parts.count && !parts.contains { $0.kind == .fused })
        self.parts = parts.filter(\.isSupported)
        self.clock = clock
        self.motion = motion
    }

    /// The best capabilities of the parts, and a direction also from this device's motion.
    public var capabilities: RangingCapabilities {
        let all = parts.map(\.capabilities)
        let ranging = all.filter { $0.distance != nil }
        let reaches = ranging.map(\.reach)
        return RangingCapabilities(
            distance: ranging.contains { $0.distance == .precise } ? .precise : ranging.first?.distance,
            direction: all.contains(where: \.direction) || (motion != nil && !ranging.isEmpty),
            reach: reaches.contains(nil) ? nil : reaches.compactMap { $0 }.max())
    }

    /// Whether the measurements of a part are simulated.
    public var isSimulated: Bool { parts.contains(where: \.isSimulated) }

    /// Measures one peer, which must run this source too. It yields whenever a part does. It throws `MeasurementError`
    /// for a peer's report that it cannot read, and the error of the last part when all have ended.
    public func measurements(over link: RangingLink) -> AsyncThrowingStream<RangeMeasurement, any Error> {
        let links = Dictionary(
            uniqueKeysWithValues: parts.map { part in
                (part.kind, RangingLink { link.send([part.kind.rawValue] + $0) })
            })
        // Listen before a part sends, so that the peer's answer meets a listener.
        let (notes, clock, motion) = (link.notes(), clock, motion)
        let streams = parts.map { ($0.kind, $0.measurements(over: links[$0.kind] ?? .none)) }
        return .measuring { continuation in
            let place = FusedPlace(send: { link.send($0) }, clock: clock, motion: motion)
            try await withThrowingTaskGroup(of: (any Error)??.self) { tasks in
                tasks.addTask {
                    for await note in notes { try place.receive(note, for: links) }
                    return .none
                }
                for (kind, stream) in streams {
                    tasks.addTask { .some(await place.follow(stream, of: kind) { continuation.yield($0) }) }
                }
                var left = streams.count
                while left > 0, let ended = try await tasks.next() {
                    guard case .some(let error) = ended else { continue }
                    left -= 1
                    if left == 0, let error { throw error }
                }
                tasks.cancelAll()
            }
        }
    }
}
