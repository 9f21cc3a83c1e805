/// Keeps the next deadline of each of many keys. Asking which are due costs time in proportion to those, not to all
/// keys.
///
/// A binary heap whose outdated entries are dropped when they come up, and all at once when they are the majority.
struct DeadlineQueue<Key: Hashable & Comparable & Sendable>: Sendable {
    private var current: [Key: Instant] = [:]
    private var heap: [Entry] = []

    private struct Entry: Sendable {
        var at: Instant
        var key: Key
    }

    /// Sets a key's deadline; nil removes it. Complexity: O(log keys), amortized.
    mutating func set(_ key: Key, to deadline: Instant?) {
        guard current[key] != deadline else { return }
        current[key] = deadline
        if let deadline {
            heap.append(Entry(at: deadline, key: key))
            rise(from: heap.count - 1)
        }
        while let first = heap.first, current[first.key] != first.at { removeFirst() }
        if heap.count > 2 * current.count + 64 {
            heap = current.map { Entry(at: $0.value, key: $0.key) }.sorted { $0.at < $1.at }
        }
    }

    /// Returns the keys whose deadline has come, in the order of the keys; at most `limit`. Complexity: O(due).
    func due(at now: Instant, limit: Int) -> [Key] {
        var found: Set<Key> = []
        var waiting = [0]
        while let index = waiting.popLast(), found.count < limit {
            guard index < heap.count, heap[index].at <= now else { continue }
            if current[heap[index].key] == heap[index].at { found.insert(heap[index].key) }
            waiting.append(2 * index + 2)
            waiting.append(2 * index + 1)
        }
        return found.sorted()
    }

    private mutating func removeFirst() {
        let last = heap.removeLast()
        guard !heap.isEmpty else { return }
        heap[0] = last
        var index = 0
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2] where child < heap.count && heap[child].at < heap[least].at {
                least = child
            }
            guard least != index else { return }
            heap.swapAt(index, least)
            index = least
        }
    }

    private mutating func rise(from start: Int) {
        var index = start
        while index > 0, heap[index].at < heap[(index - 1) / 2].at {
            heap.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }
}
