import GRDB
package import MusterCore
package import MusterStore

/// Refused reports are kept in a table as `SQLiteStore` has it, of a database in memory.
extension MemoryStore {
    package func refusedReports(
        of user: UserNumber?, before number: Int64?, limit: Int
    ) throws -> [RefusedReport] {
        try tables.unsafeReentrantRead {
            try RefusedReportTable.reports(of: user, before: number, limit: limit, in: $0)
        }
    }

    package func refusedReport(_ number: Int64) throws -> RefusedReport? {
        try tables.unsafeReentrantRead { try RefusedReportTable.report(number, in: $0) }
    }
}

extension MemoryTransaction {
    func put(_ report: RefusedReport) throws { try RefusedReportTable.insert(report, in: database) }
}
