import MusterCore
import Synchronization

/// One end of a source whose two ends send each other their positions, and each compute the distance and the direction.
protocol ExchangedPlace: Sendable {
    /// The position of an end, as it sends it to the other.
    associatedtype Report: Sendable
    /// Reads a peer's note.
    static func report(in note: [UInt8]) throws(MeasurementFault) -> Report
    /// Returns the note to send to the peer now, and the measurement that follows from the peer's last report.
    mutating func step(at now: Instant, peer: (report: Report, receivedAt: Instant)?) throws(MeasurementFault)
        -> (note: [UInt8]?, measurement: RangeMeasurement?)
}

/// At each tick, sends this device's position to the peer, and yields the measurement from the peer's last report.
struct ExchangedRanging<Place: ExchangedPlace>: Sendable {
    let clock: NearbyClock
    let period: Duration

    /// The last report of the peer.
    private final class Heard: Sendable {
        let last = Mutex<(report: Place.Report, receivedAt: Instant)?>(nil)
    }

    func measurements(over link: RangingLink, from start: Place) -> AsyncThrowingStream<RangeMeasurement, any Error> {
        let (notes, clock, period) = (link.notes(), clock, period)
        return .measuring { continuation in
            let heard = Heard()
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                tasks.addTask {
                    for await note in notes {
                        let report = try Place.report(in: note)
                        heard.last.withLock { $0 = (report, clock.now()) }
                    }
                }
                tasks.addTask {
                    var place = start
                    for await now in clock.ticks(period) {
                        let step = try place.step(at: now, peer: heard.last.withLock { $0 })
                        if let note = step.note { link.send(note) }
                        if let measurement = step.measurement { continuation.yield(measurement) }
                    }
                }
                try await tasks.next()
                tasks.cancelAll()
            }
        }
    }
}
