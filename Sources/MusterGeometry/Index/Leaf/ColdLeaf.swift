/// The part of a leaf that a query reads only where rounded edges do not decide: its corner, then for each entry with
/// edges a word with its outline and the corner's parity, and runs of edges.
///
/// A run is the first vertex of its first edge, and a word with the number of its edges and whether another run
/// follows.
enum ColdLeaf {
    /// How many words the corner takes.
    static var cornerWords: Int { 4 }

    static func append(_ value: Double, to cold: inout Pile<UInt32>) {
        cold.append(UInt32(truncatingIfNeeded: value.bitPattern))
        cold.append(UInt32(truncatingIfNeeded: value.bitPattern >> 32))
    }

    @inline(__always)
    static func double(at words: UnsafePointer<UInt32>) -> Double {
        Double(bitPattern: UInt64(words[0]) | UInt64(words[1]) << 32)
    }

    static func outline(_ outline: UInt32, parity: Bool) -> UInt32 { outline << 1 | (parity ? 1 : 0) }

    /// Appends a single run.
    static func appendRun(_ first: UInt32, count: Int, to cold: inout Pile<UInt32>) {
        cold.append(first)
        cold.append(UInt32(count) << 1)
    }

    static func appendRuns(_ edges: UnsafePointer<UInt32>, count: Int, to cold: inout Pile<UInt32>) {
        // The end of a run cannot be predicted, so the loop has no branch for it.
        let target = cold.extend(by: 2 * count)
        var run = 0
        (target[0], target[1]) = (edges[0], single)
        for index in 1..<max(1, count) {
            let goesOn = edges[index] == edges[index - 1] + 1
            run &+= goesOn ? 0 : 2
            target[run] = goesOn ? target[run] : edges[index]
            target[run + 1] = goesOn ? target[run + 1] &+ 2 : single
        }
        target[run + 1] -= 1
        cold.truncate(to: cold.count - 2 * count + run + 2)
    }

    /// The code of a run of one edge after which another run follows.
    private static var single: UInt32 { 1 << 1 | 1 }

    /// Calls the closure with the first vertex of every edge of the runs that begin at a word, until it returns false.
    ///
    /// - Returns: where the words after the runs begin.
    @inline(__always)
    static func forEachEdge(
        _ words: UnsafePointer<UInt32>, _ body: (Int) -> Bool
    ) -> UnsafePointer<UInt32> {
        var at = words
        var isGoing = true
        while true {
            let first = Int(at[0])
            let code = at[1]
            at += 2
            if isGoing {
                for edge in first..<(first + Int(code >> 1)) where isGoing { isGoing = body(edge) }
            }
            if code & 1 == 0 { return at }
        }
    }
}
