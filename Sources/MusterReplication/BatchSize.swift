/// Chooses the number of revisions in one read, by the sizes of earlier ones, so that a read has about a given number
/// of bytes.
struct BatchSize {
    let targetBytes: Int
    private(set) var count = 100

    static let limit = 1_000

    init(targetBytes: Int) { self.targetBytes = targetBytes }

    /// Removes the revisions of the next read from `rest`. The revisions of one document may be divided between two
    /// reads.
    func removeNextRead(from rest: inout ArraySlice<DocumentRevisions>) -> [DocumentRevisions] {
        var taken: [DocumentRevisions] = []
        var room = count
        while room > 0, var next = rest.popFirst() {
            if next.revisions.count > room {
                let left = DocumentRevisions(id: next.id, revisions: Array(next.revisions.dropFirst(room)))
                next.revisions.removeLast(left.revisions.count)
                rest = [left] + rest
            }
            room -= next.revisions.count
            taken.append(next)
        }
        return taken
    }

    /// Adapts to the sizes of revisions that were read. The number at most doubles.
    mutating func learn(_ revisions: [ReplicatedRevision]) {
        guard !revisions.isEmpty else { return }
        let bytes = revisions.reduce(0) { $0 + $1.json.count + $1.path.count * 40 + 64 }
        let fitting = targetBytes * revisions.count / max(1, bytes)
        count = max(1, min(fitting, count * 2, Self.limit))
    }

    /// Halves the number after a read that was too large.
    mutating func halve() { count = max(1, count / 2) }

    /// Divides revisions into halves; one half is empty if there is a single revision.
    static func halves(
        of wanted: [DocumentRevisions]
    ) -> (left: [DocumentRevisions], right: [DocumentRevisions]) {
        if wanted.count == 1 {
            let (id, revisions) = (wanted[0].id, wanted[0].revisions)
            guard revisions.count > 1 else { return (wanted, []) }
            let half = revisions.count / 2
            return (
                [DocumentRevisions(id: id, revisions: Array(revisions[..<half]))],
                [DocumentRevisions(id: id, revisions: Array(revisions[half...]))]
            )
        }
        let half = wanted.count / 2
        return (Array(wanted[..<half]), Array(wanted[half...]))
    }
}
