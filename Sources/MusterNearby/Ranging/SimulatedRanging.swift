import Foundation
import MusterCore
public import MusterGeometry

/// Simulated devices on a plane, measured with the errors of two-way ranging by ultra-wideband: Gaussian noise, longer
/// distances while an obstacle is in between, no direction outside the antennas' field of view, and nothing out of
/// reach.
///
/// Each end sends its position to the other and measures by itself, so the two distances differ by their noise, as they
/// do with radios.
public struct SimulatedRanging: DirectRangingSource {
    /// How this device moves.
    public enum Motion: Hashable, Sendable {
        /// It stays at metres east and north of the origin, and faces a direction, clockwise from north.
        case standing(east: Double, north: Double, heading: Degrees)
        /// It walks from one random place to the next, within so many metres of the origin, at metres a second.
        case wandering(within: Metres, speed: Double)
    }

    /// The errors of the radio.
    public struct Noise: Hashable, Sendable {
        /// One standard deviation of a distance in sight.
        public var distance: Metres = 0.1
        /// One standard deviation of a direction.
        public var angle: Degrees = 4
        /// The share of the time in which an obstacle is between the two devices, 0 to 1.
        public var obstructed = 0.2
        /// The time constant of the obstacle, seconds: it stays for `obstructedSeconds / (1 - obstructed)` on average.
        public var obstructedSeconds = 4.0
        /// The mean length that an obstacle adds to the distance. Meanwhile the standard deviation of a distance is
        /// three times `distance`.
        public var bias: Metres = 0.6
        /// The half of the angle that the antennas see.
        public var fieldOfView: Degrees = 60
        /// The largest distance at which the radio measures.
        public var reach: Metres = 50

        public init() {}

        /// A radio without any error, of the same reach and field of view.
        public static var none: Noise {
            var noise = Noise()
            (noise.distance, noise.angle, noise.obstructed) = (0, 0, 0)
            return noise
        }
    }

    /// The kind of this source: `.simulated`.
    public let kind = RangingKind.simulated
    private let motion: Motion
    private let noise: Noise
    private let seed: UInt64
    private let ranging: ExchangedRanging<SimulatedPlace>

    /// Creates a source.
    ///
    /// - Parameters:
    ///   - motion: how this device moves.
    ///   - noise: the errors of the radio.
    ///   - seed: the same seed and ticks produce the same walk and the same errors.
    ///   - rate: the number of measurements per second.
    ///   - clock: the clock of the measurements.
    /// - Precondition: the rate is above 0.
    public init(
        _ motion: Motion, noise: Noise = Noise(), seed: UInt64, rate: Double = 10, clock: NearbyClock = .system
    ) {
        precondition(rate > 0)
        self.motion = motion
        self.noise = noise
        self.seed = seed
        ranging = ExchangedRanging(clock: clock, period: .seconds(1 / rate))
    }

    /// A precise distance and a direction, within the radio's reach.
    public var capabilities: RangingCapabilities {
        RangingCapabilities(distance: .precise, direction: true, reach: noise.reach)
    }

    /// Measures one peer, which runs this source too.
    public func measurements(over link: RangingLink) -> AsyncThrowingStream<RangeMeasurement, any Error> {
        stream(over: link)
    }

    func startDirectly(over link: RangingLink, tell: @escaping @Sendable (RangingRun.News) -> Void) -> RangingRun {
        ranging.start(over: link, from: SimulatedPlace(motion, noise, seed: seed), tell: tell)
    }
}

/// One end of a simulated measurement.
struct SimulatedPlace: ExchangedPlace {
    /// A place on the plane, and where its device looks.
    struct Report: Hashable, Sendable {
        var place: Offset
        var heading: Degrees

        /// The bytes of a note: 1, then metres east and north, and degrees.
        var note: [UInt8] {
            var bytes: [UInt8] = [1]
            bytes.reserveCapacity(25)
            for number in [place.east, place.north, heading.value] { bytes.append(number) }
            return bytes
        }
    }

    private let noise: SimulatedRanging.Noise
    private var walk: SimulatedWalk
    private var random: SeededRandom
    private var isObstructed = false
    private var lastStep: Instant?

    /// A peer whose report is older than this is no longer measured, seconds.
    static let staleSeconds = 1.0
    /// The largest coordinate of a simulated device, metres from the origin.
    static let farthest = 1e6

    init(_ motion: SimulatedRanging.Motion, _ noise: SimulatedRanging.Noise, seed: UInt64) {
        self.noise = noise
        walk = SimulatedWalk(motion, seed: seed)
        random = SeededRandom(seed: seed, stream: 0, purpose: 2)
    }

    static func report(in note: [UInt8]) throws(MeasurementError) -> Report {
        var cursor = ByteCursor(note)
        guard cursor.number(UInt8.self) == 1, let east = cursor.double(), let north = cursor.double(),
            let heading = cursor.double(), cursor.isAtEnd
        else { throw .report("it is not a simulated place") }
        guard abs(east) <= farthest, abs(north) <= farthest, abs(heading) <= 360 else {
            throw .report("no device is at \(east) m, \(north) m, \(heading)°")
        }
        return Report(place: Offset(east: east, north: north), heading: Degrees(heading))
    }

    mutating func step(at now: Instant, peer: (report: Report, receivedAt: Instant)?) throws(MeasurementError)
        -> (note: [UInt8]?, measurement: RangeMeasurement?)
    {
        let own = walk.report(at: now)
        updateObstruction(at: now)
        guard let peer, now.seconds(since: peer.receivedAt) <= Self.staleSeconds else { return (own.note, nil) }
        return (own.note, try measure(peer.report, from: own, at: now))
    }

    /// Decides whether an obstacle is between the devices: a chain of two states with the mean times of the noise.
    private mutating func updateObstruction(at now: Instant) {
        let seconds = lastStep.map { max(0, now.seconds(since: $0)) } ?? 0
        lastStep = now
        let share = min(max(noise.obstructed, 0), 1)
        let rate = isObstructed ? 1 - share : share
        if random.chance(1 - exp(-seconds * rate / noise.obstructedSeconds)) { isObstructed.toggle() }
    }

    private mutating func measure(_ peer: Report, from own: Report, at now: Instant) throws(MeasurementError)
        -> RangeMeasurement
    {
        let way = peer.place - own.place
        guard way.length <= noise.reach.value else {
            return try RangeMeasurement(
                source: .simulated, time: now, noDistance: .outOfRange, noDirection: .outOfRange)
        }
        let deviation = noise.distance.value * (isObstructed ? 3 : 1)
        let bias = isObstructed ? random.exponential(mean: noise.bias.value) : 0
        let distance = max(0, way.length + bias + random.normal(deviation: deviation))
        let angle = Degrees(way.bearingDegrees - own.heading.value).turned
        let measured = Degrees(angle.value + random.normal(deviation: noise.angle.value))
        let isSeen = abs(angle.value) <= noise.fieldOfView.value
        return try RangeMeasurement(
            source: .simulated, time: now, distance: Metres(distance),
            direction: isSeen ? Direction(horizontalAngle: measured) : nil,
            quality: RangeMeasurement.Quality(
                distanceError: Metres(deviation + (isObstructed ? noise.bias.value : 0)),
                angleError: isSeen ? noise.angle : nil),
            noDirection: .outsideFieldOfView)
    }
}

/// The position of a simulated device over time.
struct SimulatedWalk {
    private let motion: SimulatedRanging.Motion
    private var random: SeededRandom
    private var report: SimulatedPlace.Report
    private var target: Offset
    private var last: Instant?

    init(_ motion: SimulatedRanging.Motion, seed: UInt64) {
        self.motion = motion
        random = SeededRandom(seed: seed, stream: 0, purpose: 1)
        switch motion {
        case .standing(let east, let north, let heading):
            report = SimulatedPlace.Report(place: Offset(east: east, north: north), heading: heading)
            target = report.place
        case .wandering(let radius, _):
            report = SimulatedPlace.Report(
                place: random.vector(length: radius.value * random.fraction()), heading: 0)
            target = report.place
        }
    }

    /// Returns the device's position at a time, which must not be earlier than that of the previous call.
    mutating func report(at now: Instant) -> SimulatedPlace.Report {
        let seconds = last.map { min(max(0, now.seconds(since: $0)), 60) } ?? 0
        last = now
        guard case .wandering(let radius, let speed) = motion else { return report }
        var rest = seconds * speed
        while rest > 0 {
            let way = target - report.place
            guard way.length <= rest else {
                report.place = report.place + way * (rest / way.length)
                report.heading = Degrees(way.bearingDegrees)
                break
            }
            rest -= max(way.length, 0.01)
            report.place = target
            target = random.vector(length: radius.value * random.fraction().squareRoot())
        }
        return report
    }
}
