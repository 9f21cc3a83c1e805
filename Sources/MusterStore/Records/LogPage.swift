package import MusterCore

/// Collects the changes that one read of the log returns, at most `limit`. A page has whole commits; it splits a commit
/// only if that commit alone exceeds the limit.
package struct LogPage {
    package private(set) var changes: [LoggedChange] = []
    private let since: Int64
    private let limit: Int

    package init(since: LogSequence, limit: Int) {
        self.since = since.rawValue
        self.limit = limit
    }

    /// Adds a commit. The caller adds commits oldest first; nil stands for an erased change.
    ///
    /// - Returns: whether the page has room for another commit.
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
    /// Returns the first index of the second part, if all elements of the first part precede it. O(log n).
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
