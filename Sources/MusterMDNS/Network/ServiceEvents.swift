import MusterMutex

/// The events of the services of one type, for one reader.
///
/// A reader that is slower than the network gets the last state of each service: two changes become one event, and a
/// service that came and went meanwhile causes none. So the number of waiting events is bounded by the services that
/// the reader knows and those that exist. The sequence ends when multicast DNS is stopped, and serves one iteration.
package struct ServiceEvents: AsyncSequence, Sendable {
    package typealias Element = ServiceEvent
    package typealias Failure = Never

    let pending: PendingEvents
    let wakes: AsyncStream<Void>

    package func makeAsyncIterator() -> Iterator { Iterator(pending: pending, wakes: wakes.makeAsyncIterator()) }

    /// Returns the events one by one.
    package struct Iterator: AsyncIteratorProtocol {
        let pending: PendingEvents
        var wakes: AsyncStream<Void>.Iterator

        /// Waits for the next event; nil when there will be none, and when the task is cancelled.
        package mutating func next() async -> ServiceEvent? {
            while true {
                if let event = pending.takeFirst() { return event }
                guard await wakes.next() != nil else { return pending.takeFirst() }
            }
        }
    }
}

/// The events that a reader has not read.
final class PendingEvents: Sendable {
    private struct State {
        var order: [String] = []
        var events: [String: ServiceEvent] = [:]
    }

    private let state = Mutex(State())

    /// Adds an event, or joins it with the one that waits for the same service.
    func add(_ event: ServiceEvent) {
        let name = event.instance.name
        state.withLock { state in
            guard let waiting = state.events[name] else {
                state.order.append(name)
                state.events[name] = event
                return
            }
            state.events[name] = Self.join(waiting, event)
            if state.events[name] == nil { state.order.removeAll { $0 == name } }
        }
    }

    func takeFirst() -> ServiceEvent? {
        state.withLock { state in
            guard !state.order.isEmpty else { return nil }
            return state.events.removeValue(forKey: state.order.removeFirst())
        }
    }

    /// Combines two events of one service; nil when the reader needs neither.
    private static func join(_ first: ServiceEvent, _ second: ServiceEvent) -> ServiceEvent? {
        switch (first, second) {
        case (.found, .removed): nil
        case (.found, .found(let instance)), (.found, .changed(let instance)): .found(instance)
        case (_, .removed): second
        case (_, .found(let instance)), (_, .changed(let instance)): .changed(instance)
        }
    }
}
