import MusterCore
import Synchronization
import Testing

@testable import MusterNearby

/// A software stand-in for a platform's radio. It measures only peers whose radio is such a stand-in.
final class SoftwareUltraWideband: UltraWidebandSession {
    let token: [UInt8]?
    private let clock: NearbyClock
    private let stream: AsyncStream<UltraWidebandEvent>
    private let continuation: AsyncStream<UltraWidebandEvent>.Continuation
    private let state = Mutex<(peers: [[UInt8]], ranging: Task<Void, Never>?, isOver: Bool)>(([], nil, false))

    /// Creates the radio of a device with a number below 10.
    init(_ number: UInt8, clock: NearbyClock, hasToken: Bool = true) {
        token = hasToken ? [0xA0, number] : nil
        self.clock = clock
        (stream, continuation) = AsyncStream.makeStream()
    }

    /// The tokens with which the session was run.
    var peers: [[UInt8]] { state.withLock { $0.peers } }
    var isOver: Bool { state.withLock { $0.isOver } }

    /// A source that makes a new radio of the same device for each run.
    var source: UltraWidebandRanging {
        let (number, clock) = (token?.last ?? 0, clock)
        return UltraWidebandRanging(
            capabilities: RangingCapabilities(distance: .precise, direction: true, reach: 50), clock: clock
        ) { SoftwareUltraWideband(number, clock: clock) }
    }

    func events() -> AsyncStream<UltraWidebandEvent> { stream }

    func run(withPeer token: [UInt8]) throws {
        guard token.count == 2, token[0] == 0xA0 else { throw MeasurementError.report("it is no token") }
        let (ticks, continuation) = (clock.ticks(.milliseconds(100)), continuation)
        state.withLock { state in
            state.peers.append(token)
            state.ranging?.cancel()
            state.ranging = Task {
                for await _ in ticks {
                    continuation.yield(
                        .measured(distance: 5, direction: SIMD3(0.6, 0, -0.8), horizontalAngle: nil))
                }
            }
        }
    }

    func say(_ event: UltraWidebandEvent) { continuation.yield(event) }

    func invalidate() {
        state.withLock { state in
            state.ranging?.cancel()
            state.isOver = true
        }
        continuation.finish()
    }
}

@Suite struct UltraWidebandTests {
    private let clock = ManualClock()

    private func source(of radio: SoftwareUltraWideband) -> UltraWidebandRanging {
        UltraWidebandRanging(capabilities: RangingCapabilities(distance: .precise), clock: clock.clock) { radio }
    }

    private func measurement(_ event: UltraWidebandEvent) throws -> RangeMeasurement? {
        try UltraWidebandPlace(clock: clock.clock).measurement(of: event)
    }

    @Test func `a value that the radio does not measure is nil, with the reason`() throws {
        let nothing = try #require(
            try measurement(.measured(distance: nil, direction: nil, horizontalAngle: nil)))
        #expect(nothing.distance == nil && nothing.noDistance == .outOfRange && nothing.noDirection == .outOfRange)
        let distance = try #require(try measurement(.measured(distance: 2, direction: nil, horizontalAngle: nil)))
        #expect(distance.distance == 2 && distance.noDirection == .outsideFieldOfView)
        let angle = try #require(try measurement(.measured(distance: 2, direction: nil, horizontalAngle: .pi / 6)))
        #expect(abs(try #require(angle.horizontalAngle).value - 30) < 1e-9 && angle.direction == nil)
        for number in [Double.nan, -1, 1e300] {
            #expect(throws: MeasurementError.self) {
                try measurement(.measured(distance: number, direction: nil, horizontalAngle: nil))
            }
        }
        #expect(throws: MeasurementError.self) {
            try measurement(.measured(distance: 2, direction: SIMD3(0, 0, 2), horizontalAngle: nil))
        }
    }

    @Test func `after a suspension nothing is measured until the app runs it again`() throws {
        let place = UltraWidebandPlace(clock: clock.clock)
        let event = UltraWidebandEvent.measured(distance: 2, direction: nil, horizontalAngle: nil)
        #expect(try place.measurement(of: event)?.distance == 2)
        #expect(try place.measurement(of: .suspended)?.noDistance == .suspended)
        #expect(try place.measurement(of: event)?.distance == nil)
        #expect(try place.measurement(of: .suspensionEnded)?.noDistance == .awaitingRun)
        #expect(try place.measurement(of: event)?.noDistance == .awaitingRun)
        #expect(try place.newToken(in: [5, 0xA0, 2]) == nil)
    }

    @Test func `a token runs the radio once, and a new one of a restarted peer again`() async {
        let radio = SoftwareUltraWideband(1, clock: clock.clock)
        let (link, found) = (RangingLink.none, Collected<RangeMeasurement>())
        let task = found.read(source(of: radio).measurements(over: link))
        for token in [[0xA0, 2], [0xA0, 2], [0xA0, 3]] as [[UInt8]] {
            #expect(
                await clock.advance(by: 0.1) {
                    link.deliver([5] + token)
                    return radio.peers.last == token
                })
        }
        #expect(radio.peers == [[0xA0, 2], [0xA0, 3]])
        radio.say(.peerEnded)
        await task.value
        #expect(found.error == nil && radio.isOver)
    }

    @Test func `an invalidated session and a radio without a token end in an error`() async {
        let radio = SoftwareUltraWideband(1, clock: clock.clock)
        let found = Collected<RangeMeasurement>()
        let task = found.read(source(of: radio).measurements(over: .none))
        radio.say(.timedOut)
        radio.say(.invalidated(NearbyError(.userDidNotAllow, "no")))
        await task.value
        #expect((found.error as? NearbyError)?.kind == .userDidNotAllow && found.elements.isEmpty)
        let mute = SoftwareUltraWideband(1, clock: clock.clock, hasToken: false)
        let nothing = Collected<RangeMeasurement>()
        await nothing.read(source(of: mute).measurements(over: .none)).value
        #expect((nothing.error as? NearbyError)?.kind == .sessionFailed && mute.isOver)
    }
}
