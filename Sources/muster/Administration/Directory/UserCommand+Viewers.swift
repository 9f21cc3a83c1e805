import ArgumentParser
import MusterTerminal

/// `muster user viewers`: who may see where a person is.
extension UserCommand {
    struct Viewers: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "viewers", abstract: "List who may see where a user is: users, device tokens, links.")
        @OptionGroup var data: DataOption
        @Argument(help: "The user.") var name: String
        @Flag(help: "Print a JSON array.") var json = false

        struct Viewer: Codable, Sendable {
            var name: String?
            var role: String?
            var token: String?
            var device: String?
            var link: String?
            var kind: String?
            var incident: Int?
            var madeBy: String?
            var note: String?
            var since: String?
            var expires: String?

            /// The viewer on one line.
            var line: String {
                if let name { return "\(name)\t\(role ?? "")" }
                let maker = madeBy.map { " by \($0)" } ?? ""
                let made = since.map { "made \($0)\(maker)" } ?? ""
                if let token { return "token \(token)\tof \(device ?? "")\t\(made)" }
                let subject = incident.map { "incident \($0)" } ?? kind ?? ""
                let words = note.flatMap { $0.isEmpty ? nil : "\t\($0.onOneLine)" } ?? ""
                return "link \(link ?? "")\tto \(subject)\t\(made)\tuntil \(expires ?? "")\(words)"
            }
        }

        func run() async throws {
            let viewers = try await Connection.withServer(over: data.data) { connection in
                try await connection.list("/users/\(name.segment)/viewers", of: Viewer.self)
            }
            if json { return announce(try encoded(viewers)) }
            for viewer in viewers { announce(viewer.line) }
        }
    }
}
