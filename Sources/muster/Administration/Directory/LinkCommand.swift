import ArgumentParser
import Foundation
import MusterTerminal

/// `muster link`: rights without an account, given until a time.
struct LinkCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "link",
        abstract: "Give, list and withdraw links: rights without an account, until a time.",
        subcommands: [Make.self, List.self, Withdraw.self])

    struct Link: Codable, Sendable {
        var link: String
        var kind: String
        var user: String?
        var incident: Int?
        var team: String?
        var state: String?
        var kml: Bool?
        var createdTime: String
        var createdBy: String
        var expiresTime: String
        var note: String

        /// The link on one line, separated by tabs.
        var line: String {
            let what = user ?? incident.map { "incident \($0)" } ?? team ?? ""
            let form = kml == true ? "\(kind), KML" : kind
            return "\(link)\t\(form)\t\(what.onOneLine)\tuntil \(expiresTime)\tby \(createdBy)\t\(note.onOneLine)"
        }
    }

    /// What a link is for, as the command line names it.
    enum Kind: String, CaseIterable, ExpressibleByArgument {
        case person, incident, visitors, invitation
    }

    struct Make: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "make", abstract: "Give a link. Its URL is printed once, and cannot be read again.",
            discussion: """
                person shows one person's state and place; incident shows the roll of one incident; visitors lets people
                without an account enter their names on the roll of a team's open incident; invitation lets a user set
                their password, once.

                --kml prints a second address, for Google Earth, OsmAnd, QGIS and other programs of maps. The secret is
                in its path, because these programs send it nowhere else: proxies and programs may log it.
                """)
        @OptionGroup var data: DataOption
        @Argument(help: "person, incident, visitors or invitation.") var kind: Kind
        @Argument(help: "The user (person, invitation), the incident's number, or the team (visitors).")
        var subject: String
        @Option(help: "How many seconds the link lasts, 60 to 2592000 (30 days).") var expiresSeconds: Double
        @Option(help: "A remark for lists.") var note: String?
        @Option(help: "The state of visitors: safe, or unaccounted where nobody sees them enter.") var state: String?
        @Flag(help: "Also print an address for programs of maps (person, incident).") var kml = false
        @Option(help: "The server's public address, as for --public-url of serve, to begin the printed URL with.")
        var publicURL: String?
        @Flag(help: "Print JSON.") var json = false

        func validate() throws {
            if kind == .incident, Int32(subject) == nil {
                throw ValidationError("'\(subject)' is not the number of an incident")
            }
            if state != nil, kind != .visitors { throw ValidationError("--state is for links of kind visitors") }
            if kml, kind != .person, kind != .incident {
                throw ValidationError("--kml is for links of kind person or incident")
            }
            if let publicURL, URL(string: publicURL)?.host() == nil {
                throw ValidationError("--public-url: '\(publicURL)' is not of the form https://muster.example")
            }
        }

        func run() async throws {
            var order = Order(kind: kind.rawValue, expiresSeconds: expiresSeconds, note: note, state: state)
            switch kind {
            case .person, .invitation: order.user = subject
            case .incident: order.incident = Int32(subject)
            case .visitors: order.team = subject
            }
            if kml { order.kml = true }
            let request = order
            let body = try await Connection.withServer(over: data.data) { connection in
                if publicURL == nil, Connection.isForOneCommand(over: data.data) {
                    throw CommandFailure(
                        "no server runs over \(data.data), so the address of the link is not known. Start `muster "
                            + "serve` first, or name the address that it will have: "
                            + "--public-url https://muster.example.org")
                }
                return try await connection.send("POST", "/links", json: request)
            }
            let made = try JSONDecoder().decode(Made.self, from: body)
            let (url, map) = publicURL.map { made.begun(with: $0) } ?? (made.url, made.kmlURL)
            if publicURL == nil, made.namesThisMachine {
                remark("The URL works on this machine only. Name the server's public address: --public-url")
            }
            if json {
                return announce(
                    try encoded(Printed(link: made.link, expiresTime: made.expiresTime, url: url, kmlURL: map)))
            }
            announce(url)
            if let map { announce(map) }
        }

        private struct Order: Encodable {
            var kind: String
            var expiresSeconds: Double
            var note: String?
            var state: String?
            var user: String?
            var incident: Int32?
            var team: String?
            var kml: Bool?
        }

        private struct Printed: Encodable {
            var link: String
            var expiresTime: String
            var url: String
            var kmlURL: String?
        }

        private struct Made: Decodable {
            var link: String
            var expiresTime: String
            var url: String
            var kmlURL: String?

            /// Whether nobody else can open the URL as it is.
            var namesThisMachine: Bool {
                let host = URL(string: url)?.host() ?? ""
                return host == "localhost" || host == "::1" || host.hasPrefix("127.")
            }

            /// The URLs at another address of the same server.
            func begun(with address: String) -> (url: String, kmlURL: String?) {
                func begun(_ url: String, _ path: String) -> String {
                    guard let path = url.range(of: path) else { return url }
                    return (address.hasSuffix("/") ? String(address.dropLast()) : address) + url[path.lowerBound...]
                }
                return (begun(url, "/console/"), kmlURL.map { begun($0, "/api/") })
            }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the open links, newest first, without their URLs.")
        @OptionGroup var data: DataOption
        @Flag(help: "Print a JSON array.") var json = false

        func run() async throws {
            let links = try await Connection.withServer(over: data.data) { connection in
                try await connection.list("/links", of: Link.self)
            }
            if json { return announce(try encoded(links)) }
            for link in links { announce(link.line) }
        }
    }

    struct Withdraw: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "withdraw", abstract: "Withdraw a link. Its token is refused from then on.")
        @OptionGroup var data: DataOption
        @Argument(help: "The link's id, as `muster link list` prints it.") var link: String

        func run() async throws {
            try await Connection.withServer(over: data.data) { connection in
                _ = try await connection.send("DELETE", "/links/\(link.segment)")
            }
            announce("Withdrew the link \(link).")
        }
    }
}
