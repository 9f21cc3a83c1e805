import MusterCore
import Synchronization

/// A source of which both ends tell each other where they are, and each computes the way to the other.
protocol ExchangedPlace: Sendable {
    /// Where an end is, as it tells the other.
    associatedtype Report: Sendable
    /// Reads a peer's note.
    static func report(in note: [UInt8]) throws(MeasurementFault) -> Report
    /// Returns what to tell the peer now, and what is measured from its last report and the time that it came at.
    mutating func step(at now: Instant, peer: (report: Report, receivedAt: Instant)?) throws(MeasurementFault)
        -> (note: [UInt8]?, measurement: RangeMeasurement?)
}

/// Ticks, tells the peer where this device is, and yields what follows from the peer's reports.
struct ExchangedRanging<Place: ExchangedPlace>: Sendable {
    let clock: NearbyClock
    let period: Duration

    /// What came from the peer last.
    private final class Heard: Sendable {
        let last = Mutex<(report: Place.Report, receivedAt: Instant)?>(nil)
    }

    func measurements(over link: RangingLink, from start: Place) -> AsyncThrowingStream<RangeMeasurement, any Error> {
        let (stream, continuation) = AsyncThrowingStream<RangeMeasurement, any Error>.makeStream(
            bufferingPolicy: .bufferingNewest(8))
        let (notes, clock, period) = (link.notes(), clock, period)
        let task = Task {
            let heard = Heard()
            do {
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
                continuation.finish()
            } catch {
                continuation.finish(throwing: error)
            }
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }
}
