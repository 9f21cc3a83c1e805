import MusterCore
import MusterGeometry
import MusterMutex

/// One end of a fused measurement.
final class FusedPlace: Sendable {
    /// A range that the peer measured, as the peer sends it.
    struct Report: Hashable, Sendable {
        var kind: RangingKind
        var range: WeighedRange
        /// Seconds since it was measured.
        var age: Double
        /// The peer's own odometry; nil when it has none.
        var motion: Offset?

        /// The bytes of a note: 4, the kind, metres, their error, seconds, and metres east and north if known.
        var note: [UInt8] {
            var bytes: [UInt8] = [RangingKind.fused.rawValue, kind.rawValue]
            let place = motion.map { [$0.east, $0.north] } ?? []
            for number in [range.distance, range.error, age] + place { bytes.append(number) }
            return bytes
        }

        init(kind: RangingKind, range: WeighedRange, age: Double, motion: Offset?) {
            (self.kind, self.range, self.age, self.motion) = (kind, range, age, motion)
        }

        /// Reads a note after its first byte.
        init(_ bytes: ArraySlice<UInt8>) throws(MeasurementError) {
            var cursor = ByteCursor(bytes)
            guard let kind = cursor.number(UInt8.self).flatMap({ RangingKind(rawValue: $0) }),
                let distance = cursor.double(), let error = cursor.double(), let age = cursor.double()
            else { throw .report("it is not a range") }
            guard (0...RangeMeasurement.longest).contains(distance) else { throw .distance(distance) }
            guard (0...RangeMeasurement.longest).contains(error) else { throw .error(error) }
            guard (0...3_600).contains(age) else { throw .report("no range is \(age) s old") }
            if !cursor.isAtEnd {
                guard let east = cursor.double(), let north = cursor.double(), cursor.isAtEnd,
                    abs(east) <= MotionBearing.farthestMetres, abs(north) <= MotionBearing.farthestMetres
                else { throw .report("its motion cannot be read") }
                motion = Offset(east: east, north: north)
            }
            let trusted = WeighedRange(distance: distance, error: max(error, RangeFusion.leastError))
            (self.kind, range, self.age) = (kind, trusted, age)
        }
    }

    private struct State {
        var own: [RangingKind: RangeMeasurement] = [:]
        var peer: [RangingKind: (report: Report, measuredAt: Instant)] = [:]
        var peerPlace: Offset?
        var bearing = MotionBearing()
        var estimate: (value: MotionBearing.Estimate, time: Instant)?
        var last = Instant(milliseconds: 0)
    }

    /// A range older than this is left out, seconds.
    static let staleSeconds = 2.5
    /// The time between two estimates of the bearing, seconds. One weighs up to 64 distances at 450 places.
    static let estimateSeconds = 0.25
    /// How fast the distance may have changed since a range, metres a second: a quick walk.
    static let walkingSpeed = 1.5

    private let send: @Sendable ([UInt8]) -> Void
    private let clock: NearbyClock
    private let motion: (@Sendable () -> FusedRanging.Motion?)?
    private let state = Mutex(State())

    init(
        send: @escaping @Sendable ([UInt8]) -> Void, clock: NearbyClock,
        motion: (@Sendable () -> FusedRanging.Motion?)?
    ) {
        self.send = send
        self.clock = clock
        self.motion = motion
    }

    /// Passes a note to the part that it is for. A note for a part that this end does not have is dropped.
    func receive(_ note: [UInt8], for links: [RangingKind: RangingLink]) throws(MeasurementError) {
        guard let first = note.first, let kind = RangingKind(rawValue: first) else {
            throw .report("no source is called \(note.first.map(String.init) ?? "nothing")")
        }
        guard kind == .fused else {
            links[kind]?.deliver(Array(note.dropFirst()))
            return
        }
        let report = try Report(note.dropFirst())
        record(report, measuredAt: clock.now().advanced(bySeconds: -report.age))
    }

    /// Records a range that the peer measured.
    func record(_ report: Report, measuredAt time: Instant) {
        state.withLock { state in
            state.peer[report.kind] = (report, time)
            // With the peer's motion and without it, positions have different origins, so earlier samples are dropped.
            if (state.peerPlace == nil) != (report.motion == nil) { state.bearing = MotionBearing() }
            state.peerPlace = report.motion
        }
    }

    /// Reads the measurements of a part to their end, and returns the part's error; nil when it ended without one.
    func follow(
        _ stream: AsyncThrowingStream<RangeMeasurement, any Error>, of kind: RangingKind,
        yield: (RangeMeasurement) -> Void
    ) async -> (any Error)? {
        defer { state.withLock { $0.own[kind] = nil } }
        do {
            for try await measurement in stream { yield(try update(with: measurement)) }
            return nil
        } catch {
            return error
        }
    }

    /// Records a measurement of a part, sends its range to the peer, and returns the combined measurement.
    func update(with measurement: RangeMeasurement) throws(MeasurementError) -> RangeMeasurement {
        let now = clock.now()
        let motion = motion?().flatMap { motion in
            abs(motion.east.value) <= MotionBearing.farthestMetres
                && abs(motion.north.value) <= MotionBearing.farthestMetres
                ? motion : nil
        }
        let place = motion.map { Offset(east: $0.east.value, north: $0.north.value) }
        // Both ends compute the distance between their fixes from the same two fixes, so the peer's adds nothing.
        if measurement.source != .gps, let range = Self.range(of: measurement, at: measurement.time) {
            let age = max(0, now.seconds(since: measurement.time))
            send(Report(kind: measurement.source, range: range, age: min(age, 3_600), motion: place).note)
        }
        let outcome: Result<RangeMeasurement, MeasurementError> = state.withLock { state in
            state.own[measurement.source] = measurement
            state.last = max(state.last, measurement.time)
            do throws(MeasurementError) {
                return .success(
                    try Self.combine(&state, isRange: measurement.distance != nil, place, motion?.heading))
            } catch {
                return .failure(error)
            }
        }
        return try outcome.get()
    }

    /// Returns the range of a measurement; nil when it has none, or is too old. A source that states no error counts as
    /// off by a tenth of the distance, and by at least 0.3 m.
    private static func range(of measurement: RangeMeasurement, at now: Instant) -> WeighedRange? {
        guard let distance = measurement.distance?.value else { return nil }
        let age = max(0, now.seconds(since: measurement.time))
        let error = measurement.quality.distanceError?.value ?? max(distance / 10, 0.3)
        return age > staleSeconds
            ? nil : WeighedRange(distance: distance, error: max(error, RangeFusion.leastError) + walkingSpeed * age)
    }

    private static func combine(_ state: inout State, isRange: Bool, _ place: Offset?, _ heading: Degrees?)
        throws(MeasurementError) -> RangeMeasurement
    {
        let now = state.last
        let ranges = state.own.values.compactMap { measurement -> WeighedRange? in
            guard let own = Self.range(of: measurement, at: now) else { return nil }
            guard let (report, time) = state.peer[measurement.source], case let age = max(0, now.seconds(since: time)),
                age <= staleSeconds
            else { return own }
            let error = report.range.error + walkingSpeed * age
            return RangeFusion.bothEnds(own, WeighedRange(distance: report.range.distance, error: error))
        }
        let range = RangeFusion.combine(ranges)
        if let place {
            if isRange, let range { state.bearing.add(range, at: place - (state.peerPlace ?? .zero), time: now) }
            if state.estimate.map({ now.seconds(since: $0.time) >= estimateSeconds }) ?? true {
                state.estimate = (state.bearing.estimate(), now)
            }
        } else {
            state.estimate = nil
        }
        let fresh = state.own.values.filter { now.seconds(since: $0.time) <= staleSeconds }
        return try measurement(at: now, range, fresh, state.estimate?.value, heading)
    }

    private static func measurement(
        at now: Instant, _ range: WeighedRange?, _ fresh: [RangeMeasurement], _ estimate: MotionBearing.Estimate?,
        _ heading: Degrees?
    ) throws(MeasurementError) -> RangeMeasurement {
        func error(_ measurement: RangeMeasurement) -> Double { measurement.quality.angleError?.value ?? 90 }
        let antenna = fresh.filter { $0.horizontalAngle != nil }.min { error($0) < error($1) }
        let map = fresh.filter { $0.bearing != nil }.min { error($0) < error($1) }
        var (angle, bearing, angleError) = (antenna?.horizontalAngle, map?.bearing, antenna?.quality.angleError)
        var (candidates, absence) = ([Degrees](), fresh.compactMap(\.noDirection).first ?? .notMeasured)
        switch estimate {
        case .bearing(let found, let deviation) where antenna == nil:
            (bearing, angleError) = (found, deviation)
            angle = heading.map { Degrees(found.value - $0.value) }
            absence = .noHeading
        case .ambiguous(let both, let deviation) where antenna == nil && map == nil:
            (candidates, angleError, absence) = (both, deviation, .ambiguous)
        case .tooLittleMotion where antenna == nil: absence = .tooLittleMotion
        default: break
        }
        return try RangeMeasurement(
            source: .fused, time: now, distance: range.map { Metres(max(0, $0.distance)) },
            direction: antenna?.direction, horizontalAngle: angle, bearing: bearing, candidates: candidates,
            quality: RangeMeasurement.Quality(
                distanceError: range.map { Metres($0.error) }, angleError: angleError ?? map?.quality.angleError),
            noDistance: fresh.compactMap(\.noDistance).first ?? .notMeasured, noDirection: absence)
    }
}
