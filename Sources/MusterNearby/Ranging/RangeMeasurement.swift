public import MusterCore
public import MusterGeometry

/// The result of one measurement of a peer. The distance and the direction may each be nil, which is no error:
/// `noDistance` and `noDirection` then have the reason.
public struct RangeMeasurement: Hashable, Sendable {
    /// The kind of source that measured.
    public let source: RangingKind
    /// When the source measured, by this device's clock.
    public let time: Instant
    /// The distance to the peer; nil if there is none.
    public let distance: Metres?
    /// The direction to the peer, in the axes of the device; nil if there is none.
    public let direction: Direction?
    /// The angle to the peer from straight ahead, −180 to 180, positive to the right. Some sources know it without a
    /// direction.
    public let horizontalAngle: Degrees?
    /// The direction to the peer on the map, clockwise from north, 0 to 360 (exclusive). It follows from fixes, or from
    /// this device's own motion; nil if there is none.
    public let bearing: Degrees?
    /// The bearings that the peer may have while own motion leaves two, each the mirror image of the other about the
    /// path, the likelier first. Otherwise it is empty.
    public let candidates: [Degrees]
    /// The errors of the measurement.
    public let quality: Quality
    /// Why there is no distance; nil when there is one.
    public let noDistance: Absence?
    /// Why there is neither a direction nor an angle; nil when there is one.
    public let noDirection: Absence?

    /// The errors of a measurement.
    public struct Quality: Hashable, Sendable {
        /// One standard deviation of the distance; nil when unknown.
        public let distanceError: Metres?
        /// One standard deviation of the direction or angle; nil when unknown.
        public let angleError: Degrees?

        /// Creates a quality. An omitted error is unknown.
        public init(distanceError: Metres? = nil, angleError: Degrees? = nil) {
            self.distanceError = distanceError
            self.angleError = angleError
        }
    }

    /// Why a measurement lacks a distance or a direction.
    public enum Absence: String, Hashable, Sendable, CaseIterable {
        /// This kind of source never measures it.
        case notMeasured
        /// The peer is farther away than the radio reaches.
        case outOfRange
        /// The peer is not in front of the antennas.
        case outsideFieldOfView
        /// This device does not know where it is.
        case noOwnFix
        /// The peer does not know where it is, or its last fix is too old.
        case noPeerFix
        /// The device does not know which way it is turned.
        case noHeading
        /// The peer is so near that the error of the fixes covers every direction.
        case nearerThanError
        /// This device has not moved enough for distances alone to tell a direction.
        case tooLittleMotion
        /// This device moved straight on, and the peer may be on either side: `candidates` has both bearings.
        case ambiguous
        /// The platform does not let the app measure now.
        case suspended
        /// The suspension is over, and the app has not run the session again.
        case awaitingRun
    }

    /// Half the circumference of the earth, which no distance exceeds, metres.
    public static let longest = 20_037_509.0

    /// Checks and creates a measurement. A horizontal angle that is left out follows from the direction.
    ///
    /// - Throws: `MeasurementError` for a distance or an error that is negative, not a number or longer than any on
    ///   earth, and for an angle that is not finite.
    public init(
        source: RangingKind, time: Instant, distance: Metres? = nil, direction: Direction? = nil,
        horizontalAngle: Degrees? = nil, bearing: Degrees? = nil, candidates: [Degrees] = [],
        quality: Quality = Quality(),
        noDistance: Absence = .notMeasured, noDirection: Absence = .notMeasured
    ) throws(MeasurementError) {
        if let distance, !(0...Self.longest).contains(distance.value) { throw .distance(distance.value) }
        if let error = quality.distanceError?.value, !(0...2 * Self.longest).contains(error) { throw .error(error) }
        if let error = quality.angleError?.value, !(0...360).contains(error) { throw .error(error) }
        if let horizontalAngle, !horizontalAngle.value.isFinite { throw .angle(horizontalAngle.value) }
        if let bearing, !bearing.value.isFinite { throw .angle(bearing.value) }
        for angle in candidates where !angle.value.isFinite { throw .angle(angle.value) }
        self.source = source
        self.time = time
        self.distance = distance
        self.direction = direction
        self.horizontalAngle = horizontalAngle?.turned ?? direction?.horizontalAngle
        self.bearing = bearing?.clockwise
        self.candidates = candidates.isEmpty ? [] : candidates.map(\.clockwise)
        self.quality = quality
        self.noDistance = distance == nil ? noDistance : nil
        self.noDirection = self.horizontalAngle == nil ? noDirection : nil
    }
}

/// A number that no measurement can have.
public enum MeasurementError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The distance is negative, not a number, or longer than any on earth.
    case distance(Double)
    /// The vector is not finite or its length is not 1.
    case direction(x: Double, y: Double, z: Double)
    /// The angle is not finite.
    case angle(Double)
    /// The error is negative, not a number, or larger than any distance or angle.
    case error(Double)
    /// The peer's report about itself is not in the form that its source must send.
    case report(String)

    /// The refused value, in words.
    public var description: String {
        switch self {
        case .distance(let metres): "\(metres) m is not a valid distance: it must be finite and not negative"
        case .direction(let x, let y, let z): "(\(x), \(y), \(z)) is not a unit vector"
        case .angle(let degrees): "\(degrees)° is not a valid angle: it must be finite"
        case .error(let number): "\(number) is not a valid error: it must be finite and not negative"
        case .report(let words): "the peer sent a report that cannot be read: \(words)"
        }
    }
}
