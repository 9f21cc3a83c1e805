import ArgumentParser
import MusterWire

/// `muster audit`: lists the changes that people made.
struct AuditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit",
        abstract: "List the changes that people made, newest first: time, author, change and which fields it changed.")
    @OptionGroup var options: ReportOptions

    func run() async throws {
        try await options.announceItems(at: "/audit") { entry in
            let change = entry["change"] ?? .null
            let author = entry["by"] == nil ? entry.words("author") : entry.words("by")
            let fields = (entry["details"]?.elements ?? []).map { $0.words("field") }
            return [
                change.words("at"), author, change.words("type"), Self.subject(of: change),
                fields.joined(separator: ", "),
            ]
        }
    }

    /// Returns the members that identify the changed object.
    private static func subject(of change: JSONValue) -> String {
        let members = ["kind", "collection", "id", "name", "user", "team", "number", "happened", "event", "label"]
        let words = members.map(change.words).filter { !$0.isEmpty }
        return words.joined(separator: " ") + (change["removed"]?.boolean == true ? " removed" : "")
    }
}
