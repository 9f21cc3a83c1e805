import ArgumentParser
import Foundation
import MusterTerminal

/// `muster incident contacts`: who was near a person.
extension IncidentCommand {
    struct Contacts: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "contacts", abstract: "Find who of the team was near a person, before and during an incident.")
        @OptionGroup var data: DataOption
        @Argument(help: "The incident's number.") var number: Int
        @Argument(help: "The person.") var person: String
        @Option(help: "The largest distance that counts as near, 1 to 1000 metres.") var withinMetres = 10
        @Option(help: "Seconds before the incident at which the search begins, 0 to 86400.") var beforeSeconds = 3_600
        @Flag(help: "Print JSON.") var json = false

        func run() async throws {
            let query = "person=\(person.segment)&withinMetres=\(withinMetres)&beforeSeconds=\(beforeSeconds)"
            let body = try await Connection.withServer(over: data.data) { connection in
                try await connection.send("GET", "/incidents/\(number)/contacts?\(query)")
            }
            if json { return announce(String(decoding: body, as: UTF8.self)) }
            let found = try JSONDecoder().decode(Found.self, from: body)
            for contact in found.items { announce(contact.line) }
            if found.items.isEmpty { announce("Nobody is known to have been near \(found.person).") }
            if !found.complete { announce("The list is incomplete: too many positions. Search a shorter time.") }
        }

        /// The API's response.
        private struct Found: Decodable {
            struct Contact: Decodable {
                var user: String
                var from: String
                var to: String
                var closestMetres: Double
                var deviationMetres: Double
                var source: String?

                /// The contact on one line.
                var line: String {
                    [user, from, to, distanceWords(closestMetres, deviationMetres, source)].joined(separator: "\t")
                }
            }
            var person: String
            var complete: Bool
            var items: [Contact]
        }
    }
}
