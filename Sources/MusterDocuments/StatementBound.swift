package import GRDB
import GRDBSQLite
import MusterWire

/// Interrupts SQLite's statements once the work that they belong to has used up its bound.
///
/// A statement may read millions of rows before it returns the first one, and no other code checks the clock meanwhile.
/// SQLite ends an interrupted statement with `SQLITE_INTERRUPT`.
package final class StatementBound {
    private let bound: any WorkBound

    /// The number of instructions that SQLite's virtual machine executes between two checks of the bound: about a
    /// millisecond.
    private static let instructionsBetweenLooks: Int32 = 10_000

    private init(_ bound: any WorkBound) { self.bound = bound }

    /// Runs `body`, and interrupts its statements on the connection once `BoundedWork.bound` is used up. Without a
    /// bound, it only runs `body`.
    ///
    /// - Throws: what `body` throws.
    package static func run<Result>(on database: Database, _ body: () throws -> Result) rethrows -> Result {
        guard let bound = BoundedWork.bound else { return try body() }
        return try StatementBound(bound).whileRunning(on: database, body)
    }

    private func whileRunning<Result>(on database: Database, _ body: () throws -> Result) rethrows -> Result {
        let connection = database.sqliteConnection
        sqlite3_progress_handler(
            connection, Self.instructionsBetweenLooks,
            { context in
                guard let context else { return 0 }
                return Unmanaged<StatementBound>.fromOpaque(context).takeUnretainedValue().isOver ? 1 : 0
            }, Unmanaged.passUnretained(self).toOpaque())
        // The connection serves other work next, so the handler is removed.
        defer { sqlite3_progress_handler(connection, 0, nil, nil) }
        return try withExtendedLifetime(self, body)
    }

    private var isOver: Bool {
        do {
            try bound.check()
            return false
        } catch {
            return true
        }
    }
}
