import MusterCoding
import MusterCore
import MusterReplication
import MusterWire

/// What the server told of what there is to cross, as it told it: kept on the device for when there is no network.
struct Surroundings: Codable, Hashable, Sendable {
    /// Whose team the person is in; nil: in none, and then nothing is crossed.
    var team: Team?
    /// The collections that the team's tracker is linked to.
    var collections: [Collection] = []

    /// What the note is called.
    static let note = "surroundings"

    /// What holds for a team.
    struct Team: Codable, Hashable, Sendable {
        /// Seconds of silence after which nobody knows how someone is.
        var silenceSeconds: Double
        /// What the team's tracker stores and evaluates, by its name on the wire.
        var filter: String
        /// The names of the collections that the tracker is linked to, in this order.
        var links: [String]

        /// A silence as a server may set it.
        static func silence(_ seconds: Double) -> Double { min(604_800, max(10, seconds)) }
    }

    /// A collection.
    struct Collection: Codable, Hashable, Sendable {
        /// Its name.
        var name: String
        /// How its regions are crossed, by the policy's name on the wire.
        var policy: String
        /// Its regions, GeoJSON by the page.
        var pages: [String]
    }
}

extension Surroundings {
    /// Asks the server.
    ///
    /// - Throws: `ReplicationError`, also where there are more regions than a device keeps.
    static func ask(_ server: NativeQuestions) async throws -> Surroundings {
        guard let team = try await server.item("session")["user"]?["team"]?.string else { return Surroundings() }
        let told = try await server.item("teams/\(PercentEncoding.encode(team))")
        guard let name = told["tracker"]?.string, let silence = told["silenceSeconds"]?.number else {
            throw ReplicationError.malformed("a team without a tracker")
        }
        let tracker = try await server.item("trackers/\(PercentEncoding.encode(name))")
        let links = tracker["collections"]?.elements?.compactMap(\.string) ?? []
        var surroundings = Surroundings(
            team: Team(
                silenceSeconds: Team.silence(silence), filter: tracker["filter"]?.string ?? "none", links: links))
        var room = NativeQuestions.Room()
        for link in links {
            let path = "collections/\(PercentEncoding.encode(link))"
            let policy = try await server.item(path)["policy"]?.string ?? CrossingPolicy.confident.rawValue
            let pages = try await server.regionPages(path + "/regions", room: &room)
            surroundings.collections.append(Collection(name: link, policy: policy, pages: pages))
        }
        return surroundings
    }
}

extension Surroundings {
    /// What was told, but for the regions themselves.
    struct Outline: Hashable, Sendable {
        private let team: Team?
        private let collections: [[String]]

        /// What was told, without the regions.
        init(_ told: Surroundings) {
            team = told.team
            collections = told.collections.map { [$0.name, $0.policy] }
        }
    }
}
