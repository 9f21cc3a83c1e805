import MusterCore

/// The newest changes, rendered: a run without gaps at the end of the log, bounded in number and bytes.
struct LiveWindow {
    private var events: [LiveEvent] = []
    private var bytes = 0
    /// The last change in the window. In an empty window, the change before the first to come.
    private(set) var last = LogSequence.zero

    /// The largest number of changes.
    static let changeLimit = 8_192
    /// The largest number of bytes of rendered text.
    static let byteLimit = 4 << 20

    /// Empties the window. The next appended change must be the one after `sequence`.
    mutating func restart(after sequence: LogSequence) {
        events.removeAll(keepingCapacity: true)
        bytes = 0
        last = sequence
    }

    /// Appends the next changes of the log.
    mutating func append(_ new: [LiveEvent]) {
        for event in new where event.sequence > last {
            events.append(event)
            bytes += event.json.count
            last = event.sequence
        }
        shrink()
    }

    /// Returns at most 500 changes after the cursor; nil when the window begins later or ends earlier.
    func events(since cursor: LogSequence) -> [LiveEvent]? {
        guard let first = events.first, cursor.rawValue >= first.sequence.rawValue - 1, cursor <= last else {
            return nil
        }
        return Array(events[firstIndex(after: cursor)...].prefix(500))
    }

    /// Binary search, because changes since removed from the log leave gaps in the numbers.
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
