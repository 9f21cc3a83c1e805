import MusterCore
import MusterMutex

/// One end of a source whose two ends send each other their positions, and each compute the distance and the direction.
protocol ExchangedPlace: Sendable {
    /// The position of an end, as it sends it to the other.
    associatedtype Report: Sendable
    /// Reads a peer's note.
    static func report(in note: [UInt8]) throws(MeasurementError) -> Report
    /// Returns the note to send to the peer now, and the measurement that follows from the peer's last report.
    mutating func step(at now: Instant, peer: (report: Report, receivedAt: Instant)?) throws(MeasurementError)
        -> (note: [UInt8]?, measurement: RangeMeasurement?)
}

/// At each tick, sends this device's position to the peer, and reports the measurement from the peer's last position.
struct ExchangedRanging<Place: ExchangedPlace>: Sendable {
    private let clock: NearbyClock
    private let schedule: TickSchedule

    init(clock: NearbyClock, period: Duration) {
        self.clock = clock
        schedule = TickSchedule(clock: clock, period: period)
    }

    func start(
        over link: RangingLink, from place: Place, tell: @escaping @Sendable (RangingRun.News) -> Void
    ) -> RangingRun {
        let run = ExchangedRun(place, link, clock, schedule, tell: tell)
        run.start()
        return RangingRun { run.stop() }
    }
}

/// The exchange with one peer.
private final class ExchangedRun<Place: ExchangedPlace>: TickedRun {
    private struct State {
        var place: Place
        /// The last report of the peer.
        var last: (report: Place.Report, receivedAt: Instant)?
        var listener: RangingLink.Listener?
        var isOver = false
    }

    private let link: RangingLink
    private let clock: NearbyClock
    private let schedule: TickSchedule
    private let tell: @Sendable (RangingRun.News) -> Void
    // While the state is locked, neither `tell`, nor the link, nor the place is called: each may call the app.
    private let state: Mutex<State>

    init(
        _ place: Place, _ link: RangingLink, _ clock: NearbyClock, _ schedule: TickSchedule,
        tell: @escaping @Sendable (RangingRun.News) -> Void
    ) {
        (self.link, self.clock, self.schedule, self.tell) = (link, clock, schedule, tell)
        state = Mutex(State(place: place))
    }

    func start() {
        let listener = link.listen { [weak self] note in self?.receive(note) }
        state.withLock { $0.listener = listener }
        schedule.add(self, on: link.executor)
        // A note that breaks the protocol may have ended the run before it was added.
        if state.withLock({ $0.isOver }) { stop() }
    }

    /// Ends the exchange; false if it was over.
    @discardableResult func stop() -> Bool {
        let (listener, wasOver) = state.withLock { state in
            defer { (state.listener, state.isOver) = (nil, true) }
            return (state.listener, state.isOver)
        }
        if let listener { link.remove(listener) }
        schedule.remove(self, from: link.executor)
        return !wasOver
    }

    private func end(_ error: (any Error)?) { if stop() { tell(.ended(error)) } }

    private func receive(_ note: [UInt8]) {
        do {
            let (report, now) = (try Place.report(in: note), clock.now())
            state.withLock { $0.last = (report, now) }
        } catch {
            end(error)
        }
    }

    func step(at now: Instant) {
        guard case (var place, let peer)? = state.withLock({ $0.isOver ? nil : ($0.place, $0.last) }) else { return }
        do throws(MeasurementError) {
            let (note, measurement) = try place.step(at: now, peer: peer)
            // The ticks of a run come one after the other, so only this step has changed the place.
            let isOver = state.withLock { state in
                state.place = place
                return state.isOver
            }
            if isOver { return }
            if let note { link.sendNow(note) }
            if let measurement { tell(.measured(measurement)) }
        } catch {
            end(error)
        }
    }

    func endOfTicks() { end(nil) }
}
