import MusterServer
import MusterWire

/// The faults of a table: how many there are, and the first of them in the order in which they were found.
struct TableFaults: Sendable {
    /// How many faults are listed at most.
    static let listed = 1_000

    private(set) var first: [Problem.Fault] = []
    private(set) var count = 0

    /// Adds a fault of a cell, or of a whole row where `column` is nil.
    mutating func add(_ line: Int, _ column: String?, _ detail: String) {
        count += 1
        if first.count < Self.listed { first.append(.init(line: line, column: column, detail)) }
    }

    mutating func add(_ line: Int, _ column: UserTable.Column, _ detail: String) {
        add(line, column.rawValue, detail)
    }

    /// Adds a malformed row.
    mutating func add(_ error: CSVError, _ columns: [UserTable.Column?]) {
        let column = columns.indices.contains(error.cell) ? columns[error.cell] : nil
        add(error.line, column?.rawValue ?? "cell \(error.cell + 1)", "\(error.reason)")
    }

    /// Adds the faults that another reading of the same table found, in the order of the lines.
    mutating func add(_ others: TableFaults) {
        count += others.count
        first = Array((first + others.first).sorted { ($0.line ?? 0) < ($1.line ?? 0) }.prefix(Self.listed))
    }

    /// - Throws: `Problem.invalid` with the faults, if there are any.
    func throwIfAny() throws(Problem) {
        guard count > 0 else { return }
        let faults = count == 1 ? "1 fault" : "\(count) faults"
        var problem = Problem.invalid(first, "Nothing was imported: the table has \(faults).")
        problem.faultCount = count
        throw problem
    }
}
