import MusterCore

/// The newest changes, rendered: a gapless run of the log's end, bounded in number and bytes.
struct LiveWindow {
    private var events: [LiveEvent] = []
    private var bytes = 0
    /// The last change in it, or the one before the first there will be.
    private(set) var last = LogSequence.zero

    /// Changes it may hold.
    static let changeLimit = 8_192
    /// Bytes of rendered text it may hold.
    static let byteLimit = 4 << 20

    var isEmpty: Bool { events.isEmpty }

    /// Empties it; the next change appended must be the one after `sequence`.
    mutating func restart(after sequence: LogSequence) {
        events.removeAll(keepingCapacity: true)
        bytes = 0
        last = sequence
    }

    /// Adds what comes next in the log.
    mutating func append(_ new: [LiveEvent]) {
        for event in new where event.sequence > last {
            events.append(event)
            bytes += event.json.count
            last = event.sequence
        }
        shrink()
    }

    /// Everything after the cursor; nil when the window cannot tell, because it begins later or ends earlier.
    func events(since cursor: LogSequence) -> [LiveEvent]? {
        guard let first = events.first, cursor.rawValue >= first.sequence.rawValue - 1, cursor <= last else {
            return nil
        }
        return Array(events[firstIndex(after: cursor)...].prefix(500))
    }

    /// Binary search: what was removed from the log since leaves holes in the numbers.
    private func firstIndex(after cursor: LogSequence) -> Int {
        var low = 0
        var high = events.count
        while low < high {
            let middle = (low + high) / 2
            if events[middle].sequence > cursor { high = middle } else { low = middle + 1 }
        }
        return low
    }

    private mutating func shrink() {
        guard events.count > Self.changeLimit || bytes > Self.byteLimit else { return }
        var dropped = 0
        while dropped < events.count,
            events.count - dropped > Self.changeLimit / 2 || bytes > Self.byteLimit / 2
        {
            bytes -= events[dropped].json.count
            dropped += 1
        }
        events.removeFirst(dropped)
    }
}
