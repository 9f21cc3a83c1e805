import Foundation
import GRDB
import MusterCore

/// Finds out what damaged pages of a store's file held, from the pages that are sound.
struct DamagedContents {
    /// A line of text for each damaged page or range of rows.
    private(set) var findings: [String] = []
    /// The unreadable data without which the server cannot run, in words; nil if it can serve the rest.
    private(set) var vital: String?
    /// The tables and indexes that have a damaged page.
    private(set) var tables: Set<String> = []

    private static let mostFindings = 100
    /// The server reads single rows of these tables on request, so it can serve without some of them.
    private static let spared: Set<String> = [
        "log", "history", "documents", "bodies", "blob_chunks", "audit", "incident_changes", "dead_letters",
        "dataset_records",
    ]

    /// A page of a table or index. Pages are in the order of their rows.
    private struct Page {
        var table: String
        var path: Substring
        var number: Int
        var kind: String
    }

    /// Makes a description of no damage.
    init() {}

    /// Finds out what these pages held. Reads the inner pages of every table and index, and the pages of large rows.
    init(of damaged: [Int], in path: String) {
        do {
            let unverified = try PageChecksums.openUnverified(path)
            let verified = try PageChecksums.openForReading(path)
            try unverified.read { try describe(Set(damaged), in: $0, verified) }
        } catch {
            vital = "the list of tables and pages (\(error.localizedDescription))"
            let pages = damaged.count == 1 ? "page \(damaged[0]) is" : "pages \(Self.list(damaged)) are"
            findings.append("\(pages) damaged; \(vital ?? "") cannot be read")
        }
    }

    private mutating func describe(
        _ damaged: Set<Int>, in unverified: Database, _ verified: DatabaseQueue
    ) throws {
        let pages = try Self.pages(in: unverified, around: damaged)
        var rest = damaged
        var ranges: Set<String> = []
        for (index, page) in pages.enumerated() where damaged.contains(page.number) {
            rest.remove(page.number)
            tables.insert(page.table)
            let words = StoreWords.describe(page.table)
            let isSpared = Self.spared.contains(page.table) && page.kind != "internal"
            if !isSpared { vital = words }
            guard isSpared, let rows = try Self.rows(of: index, in: pages, unverified) else {
                appendFinding("page \(page.number), of \(words)")
                continue
            }
            guard ranges.insert("\(page.table) \(rows)").inserted else { continue }
            let contents = (try? verified.read { try Self.contents(of: page.table, rows, in: $0) }) ?? nil
            let found = contents ?? "rows \(rows.lowerBound) to \(rows.upperBound)"
            appendFinding("page \(page.number), of \(words): \(found)")
        }
        for number in rest.sorted() {
            if number == 1 { vital = "the head of the file" }
            appendFinding("page \(number), which no table uses or which lies beyond the end of the file")
        }
        guard !rest.isEmpty, vital == nil else { return }
        if try !Self.freeListIsSound(in: verified) { vital = "the list of free pages" }
    }

    private mutating func appendFinding(_ finding: String) {
        guard findings.count < Self.mostFindings else { return }
        findings.append(finding + (findings.count == Self.mostFindings - 1 ? "; and more" : ""))
    }

    private static func list(_ pages: [Int]) -> String {
        pages.prefix(10).map(String.init).joined(separator: ", ") + (pages.count > 10 ? " and more" : "")
    }

    /// Returns the damaged pages that belong to a table or index, and the leaf pages beside them.
    private static func pages(in database: Database, around damaged: Set<Int>) throws -> [Page] {
        var pages: [Page] = []
        var leaf: Page?
        var wantsNext = false
        let rows = try Row.fetchCursor(database, sql: "SELECT name, path, pageno, pagetype FROM dbstat")
        while let row = try rows.next() {
            let path: String = row[1]
            let page = Page(table: row[0], path: path[...], number: row[2], kind: row[3])
            let isDamaged = damaged.contains(page.number)
            if isDamaged {
                if let leaf, leaf.table == page.table, pages.last?.number != leaf.number { pages.append(leaf) }
                pages.append(page)
                wantsNext = true
            } else if page.kind == "leaf", wantsNext {
                if pages.last?.table == page.table { pages.append(page) }
                wantsNext = false
            }
            if page.kind == "leaf" { leaf = page }
        }
        return pages
    }

    /// Returns the range of rows that a damaged page of a table may have held; nil if it cannot be determined.
    private static func rows(of index: Int, in pages: [Page], _ database: Database) throws -> ClosedRange<Int64>? {
        let page = pages[index]
        if page.kind == "overflow" {
            // The path of an overflow page names the leaf page, and the number of the row's cell on it.
            guard let slash = page.path.lastIndex(of: "/"),
                let cell = Int(page.path[page.path.index(after: slash)...].prefix { $0 != "+" }, radix: 16),
                let leaf = try leaf(page.path[...slash], of: page.table, in: database),
                let row = LeafPage(leaf)?.row(cell)
            else { return nil }
            return row...row
        }
        let before = pages[..<index].last { $0.kind == "leaf" && $0.table == page.table }
        let after = pages[(index + 1)...].first { $0.kind == "leaf" && $0.table == page.table }
        let low = try before.flatMap { try LeafPage(bytes(of: $0.number, in: database))?.last }
        let high = try after.flatMap { try LeafPage(bytes(of: $0.number, in: database))?.row(0) }
        let (first, last) = ((low ?? 0) + 1, (high ?? .max) - 1)
        return first <= last ? first...last : nil
    }

    private static func leaf(_ path: Substring, of table: String, in database: Database) throws -> Data? {
        let number = try Int.fetchOne(
            database, sql: "SELECT pageno FROM dbstat WHERE name = ? AND path = ?", arguments: [table, String(path)])
        return try number.flatMap { try bytes(of: $0, in: database) }
    }

    private static func bytes(of page: Int, in database: Database) throws -> Data? {
        let file = try database.path.map { try FileHandle(forReadingFrom: URL(filePath: $0)) }
        defer { try? file?.close() }
        try file?.seek(toOffset: UInt64(page - 1) * UInt64(PageChecksums.pageSize))
        return try file?.read(upToCount: PageChecksums.pageSize)
    }

    /// Returns a description of the owners and the times of these rows, from the indexes and the neighbouring rows; nil
    /// if these do not determine any.
    private static func contents(
        of table: String, _ rows: ClosedRange<Int64>, in database: Database
    ) throws -> String? {
        let arguments: StatementArguments = [rows.lowerBound, rows.upperBound]
        switch table {
        case "log":
            let before = try Int64.fetchOne(
                database,
                sql: "SELECT committed_at FROM log WHERE first_sequence < ? ORDER BY first_sequence DESC LIMIT 1",
                arguments: [rows.lowerBound])
            let since = before.map { ", after \(SQLiteStore.describe(Instant(milliseconds: $0)))" } ?? ""
            let next = try Int64.fetchOne(
                database, sql: "SELECT min(first_sequence) FROM log WHERE first_sequence > ?",
                arguments: [rows.upperBound])
            let through = next.map { String($0 - 1) } ?? "the newest"
            return "changes \(rows.lowerBound) to \(through)\(since)"
        case "history":
            let devices = try Row.fetchAll(
                database,
                sql: """
                    SELECT coalesce(users.name || '/' || devices.name, 'device ' || found.device) AS name, first, last
                    FROM (SELECT device, min(first_time) AS first, max(last_time) AS last
                        FROM history INDEXED BY history_of_device WHERE number BETWEEN ? AND ? GROUP BY device LIMIT 20
                    ) AS found
                    LEFT JOIN devices ON devices.number = found.device LEFT JOIN users ON users.number = devices.owner
                    """, arguments: arguments)
            guard !devices.isEmpty else { return nil }
            return "positions of "
                + devices.map { row in
                    let times = (row["first"] as Int64, row["last"] as Int64)
                    let first = SQLiteStore.describe(Instant(milliseconds: times.0))
                    let last = SQLiteStore.describe(Instant(milliseconds: times.1))
                    return "\(row["name"] as String) from \(first) to \(last)"
                }.joined(separator: ", ")
        case "documents":
            let ids = try String.fetchAll(
                database,
                sql: "SELECT id FROM documents INDEXED BY documents_by_id WHERE number BETWEEN ? AND ? LIMIT 20",
                arguments: arguments)
            return ids.isEmpty ? nil : ids.joined(separator: ", ")
        default:
            return nil
        }
    }

    /// Whether every trunk page of the free list matches its checksum.
    private static func freeListIsSound(in verified: DatabaseQueue) throws -> Bool {
        // Follows the trunk pages of the list. Bytes 32 to 35 of the header have the number of the first, bytes 36 to
        // 39 how many free pages there are; see https://sqlite.org/fileformat2.html#the_freelist.
        try verified.read { database in
            guard let file = try database.path.flatMap({ FileHandle(forReadingAtPath: $0) }) else { return false }
            defer { try? file.close() }
            guard let header = try file.read(upToCount: 100), header.count == 100 else { return false }
            var next = header[32..<36].reduce(0) { $0 << 8 | Int($1) }
            var left = header[36..<40].reduce(0) { $0 << 8 | Int($1) }
            while next != 0, left > 0 {
                try file.seek(toOffset: UInt64(next - 1) * UInt64(PageChecksums.pageSize))
                let page = try file.read(upToCount: PageChecksums.pageSize) ?? Data()
                guard page.withUnsafeBytes({ PageScan.isSound($0, number: next) }) else { return false }
                next = page[0..<4].reduce(0) { $0 << 8 | Int($1) }
                left -= 1
            }
            return true
        }
    }
}

extension Database {
    /// The path of the connection's file.
    fileprivate var path: String? {
        get throws { try String.fetchOne(self, sql: "SELECT file FROM pragma_database_list WHERE name = 'main'") }
    }
}

/// The rowids on a leaf page of a table; see https://sqlite.org/fileformat2.html#b_tree_pages.
private struct LeafPage {
    private let bytes: [UInt8]
    private let count: Int

    /// Makes a leaf page of a page's bytes; nil if the page is not a leaf of a table, or is empty.
    init?(_ page: Data?) {
        guard let page, page.count == PageChecksums.pageSize, page.first == 13 else { return nil }
        bytes = Array(page)
        count = Int(bytes[3]) << 8 | Int(bytes[4])
        guard count > 0, 8 + 2 * count <= bytes.count else { return nil }
    }

    var last: Int64? { row(count - 1) }

    func row(_ cell: Int) -> Int64? {
        guard (0..<count).contains(cell) else { return nil }
        var place = Int(bytes[8 + 2 * cell]) << 8 | Int(bytes[9 + 2 * cell])
        guard number(at: &place) != nil else { return nil }
        return number(at: &place)
    }

    private func number(at place: inout Int) -> Int64? {
        var value: UInt64 = 0
        for index in 0..<9 {
            guard place < bytes.count else { return nil }
            let byte = bytes[place]
            place += 1
            if index == 8 { return Int64(bitPattern: value << 8 | UInt64(byte)) }
            value = value << 7 | UInt64(byte & 0x7F)
            if byte & 0x80 == 0 { return Int64(bitPattern: value) }
        }
        return nil
    }
}

/// The names of tables in messages.
enum StoreWords {
    private static let words = [
        "log": "the log", "history": "the history of positions", "documents": "documents",
        "bodies": "documents' other revisions", "blob_chunks": "attachments", "audit": "the audit log",
        "incident_changes": "incidents' records", "refused_reports": "reports that could not be read",
        "dead_letters": "dead letters", "users": "users",
        "teams": "teams", "crews": "crews", "incident_crews": "the crews of closed incidents",
        "incident_names": "the display names of people of closed incidents",
        "devices": "devices", "regions": "regions", "credentials": "credentials",
        "incidents": "incidents", "dataset_records": "records of datasets", "datasets": "datasets",
        "push_subscriptions": "subscriptions to datasets", "pushes": "pushes that wait", "signals": "signals",
        "guests": "guests of identity pools", "guest_pools": "the number of guests",
        "attendance_rules": "attendance rules", "proximity_rules": "proximity rules",
        "proximity_alarms": "alarms of proximity rules", "ranges": "measured ranges",
        "bulk_publishes": "bulk publishes", "safety_history": "the states of people over time",
        "sqlite_schema": "the list of tables", "sqlite_master": "the list of tables",
    ]

    static func describe(_ table: String) -> String { words[table] ?? "the table or index \(table)" }

    /// Returns the name of the table that a statement reads or writes; nil if there is none in the text.
    static func describe(sql: String?) -> String? {
        guard let sql, let found = sql.firstMatch(of: /(?:FROM|INTO|UPDATE)\s+(\w+)/) else { return nil }
        return describe(String(found.1))
    }
}
