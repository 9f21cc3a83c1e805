import ArgumentParser
import MusterTerminal
import MusterWire

/// Reads lists from the server page by page, and prints them.
extension Connection {
    /// Checks that there is a user of a name: the list of the reports of an unknown user would be empty.
    ///
    /// - Throws: `CommandFailure`.
    func requireUser(_ name: String) async throws {
        let (answer, status) = try await exchange("GET", "/users/\(name.segment)")
        if status == 404 { throw CommandFailure("there is no user '\(name)'") }
        guard status == 200 else { throw CommandFailure(problem: answer, status: status) }
    }

    /// Reads every page of a list, each item as the server wrote it.
    func items(_ path: String) async throws -> [JSONValue] {
        var items: [JSONValue] = []
        var cursor: String?
        repeat {
            let query = path + (path.contains("?") ? "&" : "?") + "limit=1000" + (cursor.map { "&cursor=\($0)" } ?? "")
            let page = try JSONValue(parsing: [UInt8](try await send("GET", query)), valueLimit: 1_000_000)
            items += page["items"]?.elements ?? []
            cursor = page["nextCursor"]?.string
        } while cursor != nil
        return items
    }
}

/// The options of every command that lists reports of the API.
struct ReportOptions: ParsableArguments {
    @OptionGroup var data: DataOption
    @Flag(help: "Print a JSON array.") var json = false

    /// Prints the items of a list: a line each, or all of them as one JSON array.
    ///
    /// - Parameters:
    ///   - user: the user whose items the list has; nil for all users.
    ///   - line: the columns of an item's line.
    func announceItems(at path: String, of user: String? = nil, line: (JSONValue) -> [String]) async throws {
        let items = try await Connection.withServer(over: data.data) { connection in
            if let user { try await connection.requireUser(user) }
            return try await connection.items(path)
        }
        if json { return announce(String(decoding: JSONValue.array(items).bytes, as: UTF8.self)) }
        for item in items { announce(line(item).joined(separator: "\t")) }
    }
}

extension JSONValue {
    /// Returns a member as text on one line: a string as it is, any other value as JSON; "" when it is absent or null.
    func words(_ key: String) -> String {
        guard let member = self[key], member != .null else { return "" }
        return (member.string ?? String(decoding: member.bytes, as: UTF8.self)).onOneLine
    }
}
