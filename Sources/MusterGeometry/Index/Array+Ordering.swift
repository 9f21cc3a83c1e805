/// Sorts and deduplicates the answers of queries, in place.
extension [Int32] {
    /// Puts the elements from an index on in ascending order, each once; in place.
    mutating func sortAndRemoveRepeats(from start: Int) {
        let count = self.count - start
        guard count > 1 else { return }
        withUnsafeMutableBufferPointer { all in
            let part = UnsafeMutableBufferPointer(rebasing: all[start...])
            if count <= 32 { part.sortByInsertion() } else { part.sortByHeap() }
        }
        removeNeighbouringRepeats(from: start)
    }

    /// Leaves one of equal neighbours from an index on.
    mutating func removeNeighbouringRepeats(from start: Int) {
        guard count > start + 1 else { return }
        var kept = start
        for index in (start + 1)..<count where self[index] != self[kept] {
            kept += 1
            self[kept] = self[index]
        }
        removeLast(count - kept - 1)
    }
}

extension UnsafeMutableBufferPointer<Int32> {
    fileprivate func sortByInsertion() {
        for index in 1..<count {
            let value = self[index]
            var at = index
            while at > 0 && self[at - 1] > value {
                self[at] = self[at - 1]
                at -= 1
            }
            self[at] = value
        }
    }

    /// The standard library's sort allocates; this one does not.
    fileprivate func sortByHeap() {
        var root = count / 2
        while root > 0 {
            root -= 1
            sift(root, count)
        }
        var end = count
        while end > 1 {
            end -= 1
            swapAt(0, end)
            sift(0, end)
        }
    }

    private func sift(_ from: Int, _ end: Int) {
        var root = from
        while 2 * root + 1 < end {
            var child = 2 * root + 1
            if child + 1 < end && self[child + 1] > self[child] { child += 1 }
            if self[root] >= self[child] { return }
            swapAt(root, child)
            root = child
        }
    }
}
