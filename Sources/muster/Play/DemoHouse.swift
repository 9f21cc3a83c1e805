import Foundation
import MusterCore
import MusterGeometry
import MusterServer
import MusterSimulator
import MusterTerminal
import MusterWire

/// The demo's house with five beacons: the phone of someone who walks about in it hears them, and the server decides
/// the room. The sixth room, the stairs, has no beacon.
struct DemoHouse {
    /// The user's name.
    static let name = "porter"
    private static let device = "\(name)/phone"
    private static let collection = "town-hall"
    private static let rooms = ["Hall", "Office", "Archive", "Kitchen", "Library"]
    private static let uuid = "5A4BCFCE-174E-4BAC-A814-092E77F6B7E5"
    /// The seconds between two looks at the server's decision.
    private static let lookSeconds: Double = 2

    private let connection: Connection
    private let start: Instant
    private var hearings: ArraySlice<RadioHouse.Hearing>
    private var lookedAt: Instant
    private var room = ""

    /// Simulates a quarter of an hour; after it the phone hears nothing more.
    init(connection: Connection, seed: UInt64, start: Instant) {
        self.connection = connection
        self.start = start
        lookedAt = start
        hearings = RadioHouse.hearings(hours: 0.25, seed: seed, rest: (least: 15, mean: 10))[...]
    }

    /// Creates the porter with a phone, and a beacon region for each room that has a beacon.
    static func settle(_ connection: Connection, team: String) async throws {
        try await connection.send("POST", "/users", json: UserCommand.User(name: name, role: "member", team: team))
        try await connection.send("POST", "/users/\(name)/devices", json: ["name": "phone"])
        try await connection.makeUnlessThere("/collections", json: ["name": collection])
        try await connection.send(
            "POST", "/collections/\(collection)/regions", body: Data(regions), contentType: "application/geo+json")
    }

    private static var regions: [UInt8] {
        let plane = LocalPlane(origin: DemoTown.townHall)
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("type", "FeatureCollection")
        writer.member("features", listing: rooms.indices) { writer, room in
            let place = plane.coordinate(RadioHouse.centre(of: room))
            writer.beginObject()
            writer.member("type", "Feature")
            writer.member("id", rooms[room].lowercased())
            writer.key("geometry")
            writer.beginObject()
            writer.member("type", "Point")
            writer.member("coordinates", listing: [place.longitude, place.latitude]) { $0.value($1) }
            writer.endObject()
            writer.key("properties")
            writer.beginObject()
            writer.member("name", rooms[room])
            writer.member("radius", RadioHouse.side / 2)
            writer.key("beacon")
            writer.beginObject()
            writer.member("uuid", uuid)
            writer.member("major", Int64(1))
            writer.member("minor", Int64(room + 1))
            writer.member("room", true)
            writer.endObject()
            writer.endObject()
            writer.endObject()
        }
        writer.endObject()
        return writer.takeBytes()
    }

    private struct Report: Encodable {
        struct Sighting: Encodable {
            let uuid = DemoHouse.uuid
            let major = 1
            var minor: Int
            var sampleTime: String
            var signalStrength: Double
        }

        let device = DemoHouse.device
        var listenedUntil: String
        var sightings: [Sighting]
    }

    /// Reports what the phone has heard until now, and prints the room when the server decides another one.
    mutating func follow(at now: Instant) async throws {
        guard !hearings.isEmpty else { return }
        let elapsed = now.seconds(since: start)
        let heard = hearings.prefix { $0.seconds <= elapsed }
        hearings = hearings.dropFirst(heard.count)
        let sightings = heard.filter { Self.rooms.indices.contains($0.scanner) }.map { hearing in
            Report.Sighting(
                minor: hearing.scanner + 1, sampleTime: start.advanced(bySeconds: hearing.seconds).rfc3339,
                signalStrength: hearing.signal)
        }
        try await connection.send(
            "POST", "/sightings", json: Report(listenedUntil: now.rfc3339, sightings: sightings))
        if now.seconds(since: lookedAt) >= Self.lookSeconds {
            lookedAt = now
            try await tellRoom()
        }
    }

    private mutating func tellRoom() async throws {
        let presences = try await connection.items("/presences?user=\(Self.name)")
        let inside = presences.first { presence in
            presence.words("standing") == "inside" && presence["region"]?.words("collection") == Self.collection
        }
        guard let id = inside?["region"]?.words("id"), id != room else { return }
        room = id
        announce("  \(Self.name) is in the \(id), by its beacon.")
    }
}
