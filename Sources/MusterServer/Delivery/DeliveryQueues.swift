package import MusterCore
import MusterStore

// The queues of `DeliverySchedule`: values in order of arrival, values in order of time, and a subject's deliveries.

/// A first-in, first-out queue. An empty one costs no memory.
package struct FIFOQueue<Element> {
    private var elements: [Element] = []
    private var start = 0

    package var isEmpty: Bool { start == elements.count }

    package mutating func append(_ element: Element) { elements.append(element) }

    /// Removes and returns the oldest element. O(1) on average.
    package mutating func popFirst() -> Element? {
        guard !isEmpty else { return nil }
        defer {
            start += 1
            if start > 32, start * 2 > elements.count {
                elements.removeFirst(start)
                start = 0
            } else if start == elements.count {
                elements = []
                start = 0
            }
        }
        return elements[start]
    }

    /// Removes the elements that match, and keeps the order. O(n).
    package mutating func removeAll(where isUnwanted: (Element) -> Bool) {
        elements = elements[start...].filter { !isUnwanted($0) }
        start = 0
    }
}

/// A priority queue by time: the earliest entry comes first.
package struct Agenda<Element> {
    private var entries: [(at: Instant, element: Element)] = []

    package var earliest: Instant? { entries.first?.at }

    /// Adds an entry. O(log n).
    package mutating func add(_ element: Element, at moment: Instant) {
        entries.append((moment, element))
        var index = entries.count - 1
        while index > 0, entries[index].at < entries[(index - 1) / 2].at {
            entries.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    /// Removes and returns the earliest entry if it is due. O(log n).
    mutating func popDue(_ now: Instant) -> Element? {
        guard let first = entries.first, first.at <= now else { return nil }
        entries.swapAt(0, entries.count - 1)
        entries.removeLast()
        var index = 0
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2] where child < entries.count {
                if entries[child].at < entries[least].at { least = child }
            }
            if least == index { return first.element }
            entries.swapAt(index, least)
            index = least
        }
    }
}

/// A delivery in its lane. Holds only the fields that the order and time of its attempts depend on.
struct LaneEntry {
    let number: DeliveryNumber
    let createdAt: Instant
    var nextAttemptAt: Instant
    var attempts: Int32
}

/// The deliveries about one subject to one target, in order. Only the first is attempted; the others wait for it.
struct DeliveryLane {
    enum State {
        /// In its target's queue of lanes that may begin.
        case ready
        /// On the agenda, until its time comes.
        case waiting
        /// The first delivery waits until a person or a timer releases it, or until it is too old.
        case held
        case underWay(isProbe: Bool)
    }

    var head: LaneEntry
    var rest = FIFOQueue<LaneEntry>()
    var state: State
}
