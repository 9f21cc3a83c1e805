package import MusterCore

/// Gathers the changes that one read of the log returns: never more than its limit; a commit is split only when it
/// alone is larger.
package struct LogPage {
    package private(set) var changes: [LoggedChange] = []
    private let since: Int64
    private let limit: Int

    package init(since: LogSequence, limit: Int) {
        self.since = since.rawValue
        self.limit = limit
    }

    /// Adds a commit, given oldest first; nil stands for a change that was taken out.
    ///
    /// - Returns: whether the page wants another.
    package mutating func add(_ commit: [Change?], first: Int64, committedAt: Instant) -> Bool {
        let skipped = Int(clamping: max(0, since + 1 - first))
        guard skipped < commit.count else { return changes.count < limit }
        let room = limit - changes.count
        let kept = commit[skipped...].lazy.filter { $0 != nil }.count
        guard kept <= room || changes.isEmpty else { return false }
        for (index, change) in zip(commit.indices, commit).dropFirst(skipped) {
            guard let change else { continue }
            guard changes.count < limit else { return false }
            changes.append(
                LoggedChange(sequence: LogSequence(first + Int64(index)), committedAt: committedAt, change: change))
        }
        return changes.count < limit
    }
}

extension RandomAccessCollection {
    /// The first index whose element is in the second part, when all elements of the first part come first. O(log n).
    package func partitioningIndex(_ isInSecondPart: (Element) -> Bool) -> Index {
        var low = startIndex
        var count = count
        while count > 0 {
            let half = count / 2
            let middle = index(low, offsetBy: half)
            if isInSecondPart(self[middle]) {
                count = half
            } else {
                low = index(after: middle)
                count -= half + 1
            }
        }
        return low
    }
}
