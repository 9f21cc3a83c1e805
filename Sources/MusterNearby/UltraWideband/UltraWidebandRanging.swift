import MusterCore
import MusterGeometry
import MusterMutex

/// A session of the platform's ultra-wideband radio with one peer. On Apple platforms `NearbyInteractionRadio` is one.
public protocol UltraWidebandSession: Sendable {
    /// The token that the peer's radio needs, as bytes; nil when the radio has none.
    var token: [UInt8]? { get }
    /// The radio's events, for one reader, until the session is invalidated.
    func events() -> AsyncStream<UltraWidebandEvent>
    /// Starts to range with the peer whose radio made this token, or continues with a new token of the same peer.
    ///
    /// - Throws: when the bytes are not a token.
    func run(withPeer token: [UInt8]) throws
    /// Ends the session.
    func invalidate()
}

/// An event of an ultra-wideband radio.
public enum UltraWidebandEvent: Sendable {
    /// A measurement, unchecked: metres, a vector in the axes of `Direction`, and an angle from straight ahead in
    /// radians, positive to the right. Each may be nil.
    case measured(distance: Double?, direction: SIMD3<Double>?, horizontalAngle: Double?)
    /// The peer has not been measured for some time.
    case timedOut
    /// The peer ended its session.
    case peerEnded
    /// The platform suspended the session.
    case suspended
    /// The suspension is over. The session does not go on by itself.
    case suspensionEnded
    /// The session is over.
    case invalidated(NearbyError)
}

/// Ranging with the ultra-wideband radio that the platform offers for peers. The two ends exchange the tokens of their
/// radios through the link; the radio's errors are not known, so 0.1 m and 10° are assumed.
///
/// While the platform suspends the radio, measurements have no distance, for the reason `suspended`, and afterwards
/// `awaitingRun`: ranging starts again when the app pauses and runs its session, and not before.
public struct UltraWidebandRanging: RangingSource {
    /// The kind of this source: `.ultraWideband`.
    public let kind = RangingKind.ultraWideband
    /// The capabilities of the radio; none if there is no radio.
    public let capabilities: RangingCapabilities
    private let clock: NearbyClock
    private let makeSession: @Sendable () -> any UltraWidebandSession

    /// Creates a source.
    ///
    /// - Parameters:
    ///   - capabilities: what this device's radio can do.
    ///   - clock: the clock of the measurements.
    ///   - makeSession: makes a session; each peer and each run needs one of its own.
    public init(
        capabilities: RangingCapabilities, clock: NearbyClock = .system,
        makeSession: @escaping @Sendable () -> any UltraWidebandSession
    ) {
        self.capabilities = capabilities
        self.clock = clock
        self.makeSession = makeSession
    }

    /// Measures one peer, which must run this source too. It ends when the peer ends its session, and throws
    /// `NearbyError` when the radio gives no token or its session is invalidated, and `MeasurementError` for a peer's
    /// note that holds no token, or a number that no measurement has.
    public func measurements(over link: RangingLink) -> AsyncThrowingStream<RangeMeasurement, any Error> {
        let (session, notes, ticks) = (makeSession(), link.notes(), clock.ticks(.milliseconds(500)))
        guard let token = session.token, token.count < RangingLink.noteLimit else {
            session.invalidate()
            return .measuring { _ in
                throw NearbyError(.sessionFailed, "the radio gives no token that can be sent")
            }
        }
        let (events, place) = (session.events(), UltraWidebandPlace(clock: clock))
        let greeting = [RangingKind.ultraWideband.rawValue] + token
        link.send(greeting)
        return .measuring { continuation in
            defer { session.invalidate() }
            do {
                try await withThrowingTaskGroup(of: Void.self) { tasks in
                    tasks.addTask {
                        for await note in notes {
                            if let peer = try place.newToken(in: note) { try session.run(withPeer: peer) }
                        }
                    }
                    tasks.addTask {
                        for await event in events {
                            guard let measurement = try place.measurement(of: event) else { continue }
                            continuation.yield(measurement)
                        }
                    }
                    tasks.addTask {
                        // The peer may not have listened yet, or have started again.
                        for await now in ticks {
                            link.send(greeting)
                            if let measurement = try place.absence(at: now) { continuation.yield(measurement) }
                        }
                    }
                    try await tasks.next()
                    tasks.cancelAll()
                }
            } catch is UltraWidebandPlace.PeerEnded {
                // The stream ends without an error.
            }
        }
    }
}

/// One end of a measurement by the platform's radio.
final class UltraWidebandPlace: Sendable {
    /// The peer ended its session.
    struct PeerEnded: Error {}

    private struct State {
        var peer: [UInt8]?
        var absence: RangeMeasurement.Absence?
    }

    private let clock: NearbyClock
    private let state = Mutex(State())

    init(clock: NearbyClock) { self.clock = clock }

    /// Returns the peer's token if it is not the one that the radio has already.
    func newToken(in note: [UInt8]) throws(MeasurementError) -> [UInt8]? {
        guard note.first == RangingKind.ultraWideband.rawValue, note.count > 1 else {
            throw .report("it is not a radio's token")
        }
        let token = Array(note.dropFirst())
        return state.withLock { state in
            guard state.peer != token, state.absence == nil else { return nil }
            state.peer = token
            return token
        }
    }

    /// Returns the measurement of an event; nil for one that brings none. After a suspension nothing is measured, even
    /// if the radio went on.
    func measurement(of event: UltraWidebandEvent) throws -> RangeMeasurement? {
        switch event {
        case .measured(let distance, let vector, let angle):
            if let measurement = try absence(at: clock.now()) { return measurement }
            let direction = try vector.map { vector throws(MeasurementError) in
                try Direction(x: vector.x, y: vector.y, z: vector.z)
            }
            let isDirected = direction != nil || angle != nil
            return try RangeMeasurement(
                source: .ultraWideband, time: clock.now(), distance: distance.map { Metres($0) },
                direction: direction, horizontalAngle: angle.map { Degrees($0 * 180 / .pi) },
                quality: RangeMeasurement.Quality(
                    distanceError: distance.map { _ in 0.1 }, angleError: isDirected ? 10 : nil),
                noDistance: .outOfRange, noDirection: distance == nil ? .outOfRange : .outsideFieldOfView)
        // The session itself notices the silence.
        case .timedOut: return nil
        case .peerEnded: throw PeerEnded()
        case .suspended: state.withLock { $0.absence = .suspended }
        case .suspensionEnded: state.withLock { $0.absence = .awaitingRun }
        case .invalidated(let error): throw error
        }
        return try absence(at: clock.now())
    }

    /// Returns a measurement without values while the radio is suspended, and until the app runs it; otherwise nil.
    func absence(at now: Instant) throws(MeasurementError) -> RangeMeasurement? {
        guard let absence = state.withLock({ $0.absence }) else { return nil }
        return try RangeMeasurement(source: .ultraWideband, time: now, noDistance: absence, noDirection: absence)
    }
}
