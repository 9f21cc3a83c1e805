import MusterCore
import MusterServer
import MusterWire

/// A CSV table of people to import, and every fault that it has by itself, whatever the directory holds.
///
/// The first row names the columns, in any order; rows without any text are skipped, and texts lose the spaces around
/// them.
struct UserTable: Sendable {
    /// A column of the table. Only `name` must be there.
    enum Column: String, CaseIterable {
        case name, role, team, crew, email, phone, displayName

        /// The column with a name, in any case; nil when there is none.
        init?(named name: String) {
            switch name.lowercased() {
            case "e-mail": self = .email
            case "display name": self = .displayName
            case let name:
                guard let column = Self.allCases.first(where: { $0.rawValue.lowercased() == name }) else { return nil }
                self = column
            }
        }
    }

    /// A person of the table. A member is nil where its cell is empty or has a fault.
    struct Row: Sendable {
        /// The line on which the row begins, from 1.
        var line: Int
        var name: String?
        var role = Role.member
        var team: String?
        /// Whether the cell of the team has any text, even an invalid one.
        var namesTeam = false
        var crew: String?
        var email: String?
        var phone: String?
        var displayName: String?
    }

    /// The largest number of rows after the first.
    static let rowLimit = 200_000

    private(set) var rows: [Row] = []
    private(set) var faults = TableFaults()
    /// The line on which each name stands first.
    private var lines: [String: Int] = [:]

    /// Parses a table. Never throws: `faults` has what is wrong.
    init(parsing bytes: UnsafeRawBufferPointer) {
        var reader = CSVReader(bytes)
        guard let columns = header(of: &reader) else { return }
        var count = 0
        while true {
            do throws(CSVError) {
                guard let row = try reader.next() else { return }
                count += 1
                guard count <= Self.rowLimit else {
                    let rest = "these are more than \(Self.rowLimit) rows: import the rest from another table"
                    faults.add(row.line, nil, rest)
                    return
                }
                add(row, columns)
            } catch {
                count += 1
                faults.add(error, columns)
            }
        }
    }

    // MARK: The header

    /// The column of each cell; nil when the table has no header row, or one without names.
    private mutating func header(of reader: inout CSVReader) -> [Column?]? {
        do throws(CSVError) {
            guard let row = try reader.next() else {
                faults.add(1, nil, "there is no header row that names the columns")
                return nil
            }
            let columns = row.cells.map { Column(named: $0.trimmed) }
            for (index, cell) in row.cells.enumerated() {
                let name = String(cell.trimmed.prefix(40))
                if let column = columns[index] {
                    if columns[..<index].contains(column) { faults.add(row.line, name, "is there twice") }
                } else {
                    faults.add(row.line, name, "is not a column: they are \(Self.columnNames)")
                }
            }
            guard columns.contains(.name) else {
                faults.add(row.line, nil, "there is no column name; the columns are \(Self.columnNames)")
                return nil
            }
            return columns
        } catch {
            faults.add(error, [])
            return nil
        }
    }

    private static let roleNames = Role.allCases.map(\.rawValue).joined(separator: ", ")
    private static let columnNames = Column.allCases.map(\.rawValue).joined(separator: ", ")

    // MARK: The rows

    private mutating func add(_ cells: CSVReader.Row, _ columns: [Column?]) {
        let texts = cells.cells.map(\.trimmed)
        guard texts.contains(where: { !$0.isEmpty }) else { return }
        if texts.dropFirst(columns.count).contains(where: { !$0.isEmpty }) {
            faults.add(cells.line, nil, "the row has \(texts.count) cells, and the header \(columns.count)")
        }
        var row = Row(line: cells.line)
        for (text, column) in zip(texts, columns) where !text.isEmpty {
            guard let column else { continue }
            read(text, column, into: &row)
        }
        if let index = columns.firstIndex(of: .name), texts.count <= index || texts[index].isEmpty {
            faults.add(cells.line, .name, "is required")
        }
        rows.append(row)
    }

    private mutating func read(_ text: String, _ column: Column, into row: inout Row) {
        switch column {
        case .name: readName(text, into: &row)
        case .role:
            guard let role = Role(rawValue: text.lowercased()) else {
                return faults.add(row.line, .role, "must be one of \(Self.roleNames)")
            }
            row.role = role
        case .team:
            row.namesTeam = true
            guard EntityName.isValid(text) else { return faults.add(row.line, .team, "must be \(Fields.nameRule)") }
            row.team = text
        case .crew:
            guard Crew.isName(text) else { return faults.add(row.line, .crew, CrewRoutes.nameRule) }
            row.crew = text
        case .email:
            guard User.isEmail(text) else { return faults.add(row.line, .email, ContactChanges.emailRule) }
            row.email = text
        case .phone:
            guard User.isPhone(text) else { return faults.add(row.line, .phone, ContactChanges.phoneRule) }
            row.phone = text
        case .displayName:
            guard User.isDisplayName(text) else {
                return faults.add(row.line, .displayName, ContactChanges.displayNameRule)
            }
            row.displayName = text
        }
    }

    private mutating func readName(_ text: String, into row: inout Row) {
        guard EntityName.isValid(text) else { return faults.add(row.line, .name, "must be \(Fields.nameRule)") }
        guard EntityName.isFreeForUsers(text) else { return faults.add(row.line, .name, EntityName.userNameRule) }
        if let line = lines[text] { return faults.add(row.line, .name, "repeats the name of line \(line)") }
        lines[text] = row.line
        row.name = text
    }
}

extension String {
    /// The text without the white space around it.
    var trimmed: String {
        guard let first = firstIndex(where: { !$0.isWhitespace }),
            let last = lastIndex(where: { !$0.isWhitespace })
        else { return "" }
        return String(self[first...last])
    }
}
