import Foundation
import MusterCore
import MusterGeometry
import MusterSimulator
import MusterTerminal
import MusterWire

/// The demo's house with five beacons: the phone of someone who walks about in it hears them, and the server decides
/// the room. The sixth room, the stairs, has no beacon.
struct DemoHouse {
    /// The user's name.
    static let name = "porter"
    /// The user's telephone number, of those that Ofcom keeps free for drama: +44 1632 960000 to 960999.
    private static let phone = "+44 1632 960002"
    private static let device = "\(name)/phone"
    private static let collection = "town-hall"
    private static let rooms = ["Hall", "Office", "Archive", "Kitchen", "Library"]
    private static let uuid = BeaconUUID(high: 0x5A4B_CFCE_174E_4BAC, low: 0xA814_092E_77F6_B7E5)
    /// The most sightings in one report. After a longer pause, such as a computer's sleep, only the newest are sent.
    private static let reportLimit = 200
    /// The seconds between two readings of the server's decision.
    private static let lookSeconds: Double = 2

    private let connection: Connection
    private let start: Instant
    private var hearings: ArraySlice<RadioHouse.Hearing>
    private var lookedAt: Instant
    private var room = ""

    /// Simulates eight hours. After them the phone hears nothing more.
    init(connection: Connection, seed: UInt64, start: Instant) {
        self.connection = connection
        self.start = start
        lookedAt = start
        hearings = RadioHouse.hearings(hours: 8, seed: seed, rest: (least: 15, mean: 10))[...]
    }

    /// Creates the porter with a phone, and a beacon region for each room that has a beacon.
    static func createHouse(_ connection: Connection, team: String) async throws {
        try await connection.send(
            "POST", "/users", json: UserCommand.User(name: name, role: "member", team: team, phone: phone))
        try await connection.send("POST", "/users/\(name)/devices", json: ["name": "phone"])
        try await connection.makeUnlessThere("/collections", json: ["name": collection])
        try await connection.send(
            "POST", "/collections/\(collection)/regions", body: Data(regions: regions),
            contentType: "application/geo+json")
    }

    private static var regions: [Region] {
        let plane = LocalPlane(origin: DemoTown.townHall)
        return rooms.indices.map { room in
            let circle = Circle(
                centre: plane.coordinate(RadioHouse.centre(of: room)), radius: Metres(RadioHouse.side / 2))
            return Region(
                toSend: rooms[room].lowercased(), name: rooms[room], shape: .circle(circle),
                beacon: BeaconArea(.beacons(uuid, major: 1, minor: UInt16(room + 1)), isRoom: true))
        }
    }

    private struct Report: Encodable {
        struct Sighting: Encodable {
            let uuid = "\(DemoHouse.uuid)"
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
        let ofBeacons = heard.suffix(Self.reportLimit).filter { Self.rooms.indices.contains($0.scanner) }
        let sightings = ofBeacons.map { hearing in
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
