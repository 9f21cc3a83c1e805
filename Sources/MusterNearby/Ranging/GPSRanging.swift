import Foundation
public import MusterCore
public import MusterGeometry

/// Measures the distance and the angle between two position fixes, with the errors of both. It is never precise, and
/// knows an angle only while the heading of this device is known.
public struct GPSRanging: DirectRangingSource {
    /// A position fix of this device.
    public struct Fix: Hashable, Sendable {
        /// The place.
        public var coordinate: Coordinate
        /// The radius that holds the true place with 68 % probability.
        public var accuracy: Metres
        /// When it was measured, by this device's clock.
        public var time: Instant
        /// The direction that the device faces, clockwise from true north; nil when unknown.
        public var heading: Degrees?

        /// Creates a fix as this device's receiver reported it.
        public init(coordinate: Coordinate, accuracy: Metres, time: Instant, heading: Degrees? = nil) {
            self.coordinate = coordinate
            self.accuracy = accuracy
            self.time = time
            self.heading = heading
        }
    }

    /// The kind of this source: `.gps`.
    public let kind = RangingKind.gps
    private let latest: @Sendable () -> Fix?
    private let isAvailable: Bool
    private let ranging: ExchangedRanging<GPSPlace>

    /// Creates a source.
    ///
    /// - Parameters:
    ///   - isAvailable: whether this device has a receiver that the app may use.
    ///   - rate: the number of measurements per second.
    ///   - clock: the clock of the measurements; the times of fixes must be of the same clock.
    ///   - latest: returns the last fix; nil before the first. It must return at once. It may call the session and the
    ///     `Nearby` that use the source.
    /// - Precondition: the rate is above 0.
    public init(
        isAvailable: Bool = true, rate: Double = 1, clock: NearbyClock = .system,
        latest: @escaping @Sendable () -> Fix?
    ) {
        precondition(rate > 0)
        self.isAvailable = isAvailable
        self.latest = latest
        ranging = ExchangedRanging(clock: clock, period: .seconds(1 / rate))
    }

    /// A rough distance, and an angle while the heading is known.
    public var capabilities: RangingCapabilities {
        isAvailable ? RangingCapabilities(distance: .rough, direction: true) : RangingCapabilities()
    }

    /// Measures one peer, which must run this source too. A measurement has a horizontal angle and a bearing but no
    /// direction, because a fix does not tell how the device is tilted.
    public func measurements(over link: RangingLink) -> AsyncThrowingStream<RangeMeasurement, any Error> {
        stream(over: link)
    }

    func startDirectly(over link: RangingLink, tell: @escaping @Sendable (RangingRun.News) -> Void) -> RangingRun {
        ranging.start(over: link, from: GPSPlace(latest: latest), tell: tell)
    }
}

/// One end of a measurement by fixes.
struct GPSPlace: ExchangedPlace {
    /// The report of an end: its fix, or nil when it has none.
    typealias Report = FixReport?

    /// A fix as its device reported it. It states the age instead of the time, because clocks differ.
    struct FixReport: Hashable, Sendable {
        var coordinate: Coordinate
        var accuracy: Metres
        var ageSeconds: Double

        /// The bytes of a note: 2, latitude, longitude, metres, milliseconds.
        var note: [UInt8] {
            var bytes: [UInt8] = [2]
            for number in [coordinate.latitude, coordinate.longitude, accuracy.value] { bytes.append(number) }
            bytes.append(bigEndian: UInt32(min(max(ageSeconds, 0) * 1000, 4e9)))
            return bytes
        }
    }

    let latest: @Sendable () -> GPSRanging.Fix?

    /// A fix older than this is ignored, seconds.
    static let staleSeconds = 60.0
    /// A peer that was silent for longer than this is no longer measured, seconds.
    static let silenceSeconds = 4.0
    /// How fast someone may have moved since a fix, metres a second: a quick walk.
    static let walkingSpeed = 1.5
    /// The largest error of an angle, degrees. An angle that is less certain is left out.
    static let worstAngle = 45.0

    /// The note of an end that has no fix.
    static let noFix: [UInt8] = [3]

    static func report(in note: [UInt8]) throws(MeasurementError) -> Report {
        if note == noFix { return nil }
        var cursor = ByteCursor(note)
        guard cursor.number(UInt8.self) == 2, let latitude = cursor.double(), let longitude = cursor.double(),
            let accuracy = cursor.double(), let age = cursor.number(UInt32.self), cursor.isAtEnd
        else { throw .report("it is not a fix") }
        guard let coordinate = try? Coordinate(latitude: latitude, longitude: longitude) else {
            throw .report("\(latitude), \(longitude) is not on the globe")
        }
        guard accuracy > 0, accuracy <= RangeMeasurement.longest else {
            throw .report("no fix has an accuracy of \(accuracy) m")
        }
        return FixReport(coordinate: coordinate, accuracy: Metres(accuracy), ageSeconds: Double(age) / 1000)
    }

    mutating func step(at now: Instant, peer: (report: Report, receivedAt: Instant)?) throws(MeasurementError)
        -> (note: [UInt8]?, measurement: RangeMeasurement?)
    {
        guard let fix = latest(), fix.accuracy.value > 0, fix.accuracy.value <= RangeMeasurement.longest,
            case let own = FixReport(
                coordinate: fix.coordinate, accuracy: fix.accuracy, ageSeconds: now.seconds(since: fix.time)),
            own.ageSeconds <= Self.staleSeconds
        else { return (Self.noFix, peer == nil ? nil : try Self.nothing(.noOwnFix, at: now)) }
        // The session notices that a peer has fallen silent, not this source.
        guard let peer, now.seconds(since: peer.receivedAt) <= Self.silenceSeconds else { return (own.note, nil) }
        guard var other = peer.report else { return (own.note, try Self.nothing(.noPeerFix, at: now)) }
        other.ageSeconds += max(0, now.seconds(since: peer.receivedAt))
        guard other.ageSeconds <= Self.staleSeconds else { return (own.note, try Self.nothing(.noPeerFix, at: now)) }
        return (own.note, try Self.measure(own, other, heading: fix.heading, at: now))
    }

    private static func nothing(_ absence: RangeMeasurement.Absence, at now: Instant) throws(MeasurementError)
        -> RangeMeasurement
    {
        try RangeMeasurement(source: .gps, time: now, noDistance: absence, noDirection: absence)
    }

    /// The error of the distance combines the errors of both fixes, and how far a person walks since the older one.
    private static func measure(_ own: FixReport, _ peer: FixReport, heading: Degrees?, at now: Instant)
        throws(MeasurementError) -> RangeMeasurement
    {
        let way = Geodesic(from: own.coordinate, to: peer.coordinate)
        let (left, right) = (own.accuracy.value, peer.accuracy.value)
        let error =
            (left * left + right * right).squareRoot() + walkingSpeed * max(own.ageSeconds, peer.ageSeconds, 0)
        let angleError = atan2(error, way.distance.value) * 180 / .pi
        let isDirected = angleError <= worstAngle
        return try RangeMeasurement(
            source: .gps, time: now, distance: way.distance,
            horizontalAngle: isDirected ? heading.map { Degrees(way.initialAzimuth.value - $0.value) } : nil,
            bearing: isDirected ? way.initialAzimuth : nil,
            quality: RangeMeasurement.Quality(
                distanceError: Metres(error), angleError: isDirected ? Degrees(angleError) : nil),
            noDirection: isDirected ? .noHeading : .nearerThanError)
    }
}
