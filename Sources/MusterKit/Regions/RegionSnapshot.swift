import MusterCoding
import MusterCore
import MusterReplication
import MusterWire

/// The server's response about the regions of a person's team. The device stores it unchanged for times without a
/// network.
struct RegionSnapshot: Codable, Hashable, Sendable {
    /// The person's team; nil if they are in none, so that there are no crossings.
    var team: Team?
    /// The collections that are linked to the team's tracker.
    var collections: [Collection] = []

    /// The id of the note in the store.
    static let note = "surroundings"

    /// The settings of a team.
    struct Team: Codable, Hashable, Sendable {
        /// Seconds without a position after which a person's safety is unknown.
        var silenceSeconds: Double
        /// The position filter of the team's tracker, by its name on the wire.
        var filter: String
        /// The names of the linked collections, in the tracker's order.
        var links: [String]
        /// Whether the tracker works at 0° north, 0° east; nil in a note of an earlier version, which means no.
        var worksAtZero: Bool?

        /// A silence within the bounds that a server accepts: 10 s to one week.
        static func silence(_ seconds: Double) -> Double { min(604_800, max(10, seconds)) }
    }

    /// A region collection of the server's.
    struct Collection: Codable, Hashable, Sendable {
        /// Its name.
        var name: String
        /// The crossing policy, by its name on the wire.
        var policy: String
        /// Its regions, as the GeoJSON texts of the response pages.
        var pages: [String]
    }
}

extension RegionSnapshot {
    /// Requests the team, its tracker and the linked collections with their regions from the server.
    ///
    /// - Throws: `ReplicationError`, also if there are more regions than a device stores.
    static func request(from server: NativeQuestions) async throws -> RegionSnapshot {
        guard let team = try await server.item("session")["user"]?["team"]?.string else { return RegionSnapshot() }
        let told = try await server.item("teams/\(PercentEncoding.encode(team))")
        guard let name = told["tracker"]?.string, let silence = told["silenceSeconds"]?.number else {
            throw ReplicationError.malformed("a team without a tracker")
        }
        let tracker = try await server.item("trackers/\(PercentEncoding.encode(name))")
        let links = tracker["collections"]?.elements?.compactMap(\.string) ?? []
        var snapshot = RegionSnapshot(
            team: Team(
                silenceSeconds: Team.silence(silence), filter: tracker["filter"]?.string ?? "none", links: links,
                worksAtZero: tracker["worksAtZero"]?.boolean))
        var room = NativeQuestions.Room()
        for link in links {
            let path = "collections/\(PercentEncoding.encode(link))"
            let policy = try await server.item(path)["policy"]?.string ?? CrossingPolicy.confident.rawValue
            let pages = try await server.regionPages(path + "/regions", room: &room)
            snapshot.collections.append(Collection(name: link, policy: policy, pages: pages))
        }
        return snapshot
    }
}

extension RegionSnapshot {
    /// The answer without the regions, to compare two answers.
    struct Outline: Hashable, Sendable {
        private let team: Team?
        private let collections: [[String]]

        init(_ told: RegionSnapshot) {
            team = told.team
            collections = told.collections.map { [$0.name, $0.policy] }
        }
    }
}
