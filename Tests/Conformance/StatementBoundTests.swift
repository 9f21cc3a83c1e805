import GRDB
import MusterDocuments
import MusterWire
import Synchronization
import Testing

/// Statements of SQLite end with the bound of the work that they belong to.
@Suite struct StatementBoundTests {
    /// A bound that is over after some looks at it.
    private final class CountedLooks: WorkBound {
        private struct Over: Error {}
        private let left: Mutex<Int>

        init(_ count: Int) { left = Mutex(count) }

        func spendSteps(_ count: Int) -> Bool { left.withLock { $0 > 0 } }

        func check() throws {
            let isOver = left.withLock { left in
                left -= 1
                return left < 0
            }
            if isOver { throw Over() }
        }

        /// Looks at it after it was over.
        var late: Int { left.withLock { max(0, -$0) } }
    }

    /// Counts so many rows before it returns the first.
    private func count(_ rows: Int, in database: Database) throws -> Int? {
        try Int.fetchOne(
            database,
            sql: "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < ?) SELECT count(*) FROM c",
            arguments: [rows])
    }

    @Test func `a statement that looks at a billion rows ends when its bound is over`() throws {
        let queue = try DatabaseQueue()
        let bound = CountedLooks(20)
        let fault = #expect(throws: DatabaseError.self) {
            try BoundedWork.$bound.withValue(bound) {
                try queue.read { database in
                    try StatementBound.run(on: database) { try count(1_000_000_000, in: database) }
                }
            }
        }
        #expect(fault?.resultCode == .SQLITE_INTERRUPT)
        #expect(bound.late == 1)
    }

    @Test func `the connection serves the next statement after one was ended`() throws {
        let queue = try DatabaseQueue()
        for _ in 0..<2 {
            #expect(throws: DatabaseError.self) {
                try BoundedWork.$bound.withValue(CountedLooks(0)) {
                    try queue.read { database in
                        try StatementBound.run(on: database) { try count(1_000_000, in: database) }
                    }
                }
            }
            #expect(try queue.read { try count(100_000, in: $0) } == 100_000)
        }
    }
}
