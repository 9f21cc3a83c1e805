import MusterCore
import Testing

@testable import MusterNearby

/// The whole table of a session: each event in each state.
@Suite struct SessionLifecycleTests {
    private typealias State = SessionLifecycle.State
    private typealias Event = SessionLifecycle.Event

    private static let broken = NearbyError(.sessionFailed, "the radio broke")

    private static func measurement() throws -> RangeMeasurement {
        try RangeMeasurement(source: .simulated, time: Instant(milliseconds: 1), distance: 1)
    }

    private static func events() throws -> [Event] {
        [
            .run, .pause, .invalidate, .suspend, .endSuspension, .suspensionLimit, .measured(try measurement()),
            .silence, .peerEnded, .failed(broken),
        ]
    }

    /// The events that lead to each state.
    private static let ways: [State: [Event]] = [
        .ready: [], .running: [.run], .paused: [.run, .pause], .suspended: [.run, .suspend],
        .awaitingRun: [.run, .suspend, .endSuspension], .timedOut: [.run, .silence], .peerEnded: [.run, .peerEnded],
        .invalidated: [.invalidate],
    ]

    /// For each state, what follows from each of `events`: the next state, and after a colon the effects in short:
    /// `start`, `stop`, `refused`, or what is told. `.` is nothing at all.
    private static let table: [(State, [String])] = [
        (
            .ready,
            [
                "running:start", ".", "invalidated:invalidated", ".", ".", ".", ".", ".", "peerEnded:ended",
                "invalidated:failed",
            ]
        ),
        (
            .running,
            [
                ".", "paused:stop", "invalidated:stop,invalidated", "suspended:stop,suspended", ".", ".",
                "running:measured", "timedOut:stop,timeout", "peerEnded:stop,ended", "invalidated:stop,failed",
            ]
        ),
        (
            .paused,
            [
                "running:start", ".", "invalidated:invalidated", ".", ".", ".", ".", ".", "peerEnded:ended",
                "invalidated:failed",
            ]
        ),
        (
            .suspended,
            [
                "suspended:refused", ".", "invalidated:invalidated", ".", "awaitingRun:suspensionEnded",
                "invalidated:tooLong", ".", ".", "peerEnded:ended", "invalidated:failed",
            ]
        ),
        (
            .awaitingRun,
            [
                "running:start", "paused:", "invalidated:invalidated", "suspended:suspended", ".", ".", ".", ".",
                "peerEnded:ended", "invalidated:failed",
            ]
        ),
        (
            .timedOut,
            [
                "running:start", ".", "invalidated:invalidated", ".", ".", ".", ".", ".", "peerEnded:ended",
                "invalidated:failed",
            ]
        ),
        (
            .peerEnded,
            [
                "peerEnded:refused", ".", "invalidated:invalidated", ".", ".", ".", ".", ".", ".",
                "invalidated:failed",
            ]
        ),
        (.invalidated, ["invalidated:refused", ".", ".", ".", ".", ".", ".", ".", ".", "."]),
    ]

    private func short(_ effect: SessionLifecycle.Effect) -> String {
        switch effect {
        case .start: "start"
        case .stop: "stop"
        case .refuse(let error): error.kind == .sessionFailed ? "refused" : "\(error)"
        case .tell(.measured): "measured"
        case .tell(.suspended): "suspended"
        case .tell(.suspensionEnded): "suspensionEnded"
        case .tell(.removed(.timeout)): "timeout"
        case .tell(.removed(.peerEnded)): "ended"
        case .tell(.invalidated(nil)): "invalidated"
        case .tell(.invalidated(let error?)):
            error == Self.broken ? "failed" : error.kind == .resourceUsageTimeout ? "tooLong" : "\(error)"
        }
    }

    @Test func `every event in every state`() throws {
        #expect(Self.table.map(\.0) == State.allCases)
        for (state, row) in Self.table {
            let events = try Self.events()
            #expect(row.count == events.count)
            for (event, entry) in zip(events, row) {
                var lifecycle = SessionLifecycle()
                for step in Self.ways[state] ?? [] { _ = lifecycle.handle(step) }
                #expect(lifecycle.state == state)
                let effects = lifecycle.handle(event).map(short).joined(separator: ",")
                let found = lifecycle.state == state && effects.isEmpty ? "." : "\(lifecycle.state):\(effects)"
                #expect(found == entry, "\(state) \(event)")
            }
        }
    }

    @Test func `measuring is started and stopped in turn, whatever happens`() throws {
        let events = try Self.events()
        var random = SystemRandomNumberGenerator()
        for _ in 0..<200 {
            var (lifecycle, isMeasuring) = (SessionLifecycle(), false)
            for _ in 0..<40 {
                guard let event = events.randomElement(using: &random) else { return }
                for effect in lifecycle.handle(event) {
                    if effect == .start {
                        #expect(!isMeasuring)
                        isMeasuring = true
                    }
                    if effect == .stop {
                        #expect(isMeasuring)
                        isMeasuring = false
                    }
                }
                #expect(isMeasuring == (lifecycle.state == .running))
            }
        }
    }

    @Test func `errors have the reference's codes`() {
        let codes = NearbyError.Kind.allCases.map(\.rawValue)
        #expect(codes == [-5889, -5888, -5887, -5886, -5885, -5884, -5881])
    }
}
