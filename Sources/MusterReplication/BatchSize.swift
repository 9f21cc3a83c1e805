import MusterCore

/// How many revisions are read at once: as many as make about so many bytes, by those that came before.
struct BatchSize {
    let targetBytes: Int
    private(set) var count = 100

    static let limit = 1_000

    init(targetBytes: Int) { self.targetBytes = targetBytes }

    /// Takes as many revisions as are to be read at once; those of one document may be spread.
    func take(from rest: inout ArraySlice<DocumentRevisions>) -> [DocumentRevisions] {
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

    /// Learns from what came; it at most doubles.
    mutating func learn(_ revisions: [ReplicatedRevision]) {
        guard !revisions.isEmpty else { return }
        let bytes = revisions.reduce(0) { $0 + $1.json.count + $1.path.count * 40 + 64 }
        let fitting = targetBytes * revisions.count / max(1, bytes)
        count = max(1, min(fitting, count * 2, Self.limit))
    }

    /// What was read was too much.
    mutating func halve() { count = max(1, count / 2) }

    /// Two halves of what was asked for; one is empty when it was a single revision.
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
