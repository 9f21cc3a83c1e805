import ArgumentParser
import MusterTerminal
import MusterWire

/// `muster audit`: what people changed by hand.
struct AuditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit", abstract: "List what was changed by hand, newest first: when, by whom, and the change.")
    @OptionGroup var options: ReportOptions

    func run() async throws {
        try await options.announceItems(at: "/audit") { entry in
            let change = entry["change"] ?? .null
            return [change.words("at"), entry.words("author"), change.words("type"), Self.subject(of: change)]
        }
    }

    /// What was changed, in the words of the change itself.
    private static func subject(of change: JSONValue) -> String {
        let members = ["kind", "collection", "id", "name", "user", "team", "number", "happened", "event", "label"]
        let words = members.map(change.words).filter { !$0.isEmpty }
        return words.joined(separator: " ") + (change["removed"]?.boolean == true ? " removed" : "")
    }
}
