package import GRDB
import GRDBSQLite
import MusterWire

/// Ends SQLite's statements when the bound of the work that they belong to is over: a statement may look at millions
/// of rows before it returns the first, and nothing else looks at the clock meanwhile.
///
/// A statement that is ended so fails with `SQLITE_INTERRUPT`.
package final class StatementBound {
    private let bound: any WorkBound

    /// Instructions of SQLite's virtual machine between two looks at the bound: about a millisecond.
    private static let instructionsBetweenLooks: Int32 = 10_000

    private init(_ bound: any WorkBound) { self.bound = bound }

    /// Runs `body`, whose statements on the connection end with `BoundedWork.bound`; with nothing bounded, as it is.
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
        // The connection serves others next.
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
