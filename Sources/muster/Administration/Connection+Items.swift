import ArgumentParser
import MusterTerminal
import MusterWire

/// Reads lists from the server page by page, and prints them.
extension Connection {
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
    /// - Parameter line: the columns of an item's line.
    func announceItems(at path: String, line: (JSONValue) -> [String]) async throws {
        let items = try await Connection.withServer(over: data.data) { try await $0.items(path) }
        if json { return announce(String(decoding: JSONValue.array(items).bytes, as: UTF8.self)) }
        for item in items { announce(line(item).joined(separator: "\t")) }
    }
}

extension JSONValue {
    /// A member as a person reads it: text and numbers as they are, everything else as JSON; "" where there is none.
    func words(_ key: String) -> String {
        guard let member = self[key], member != .null else { return "" }
        return member.string ?? String(decoding: member.bytes, as: UTF8.self)
    }
}
