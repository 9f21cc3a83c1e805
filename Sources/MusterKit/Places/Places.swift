public import MusterGeometry
import MusterReplication
import MusterWire

/// Finds places near a position: by a request to the server, or without a network from the stored places of earlier
/// requests.
public actor Places {
    /// A place that the server knows, such as an assembly point or a shop.
    public struct Place: Codable, Hashable, Sendable {
        /// The id of its document.
        public var id: String
        /// The name that a person reads.
        public var name: String
        /// Degrees.
        public var latitude: Double
        /// Degrees.
        public var longitude: Double
    }

    /// The places near a position, the nearest first.
    public struct Answer: Hashable, Sendable {
        /// The places; empty if none is within the radius.
        public var places: [Place]
        /// Whether the places come from the server's response to this request, and not from the store.
        public var isFresh: Bool
    }

    private let session: Session
    private let store: LocalStore
    private var known: [String: Place]?

    /// The radius of a search that names none: 2.5 miles.
    public static let usualRadius = Metres(2.5 * 1_609.34)
    /// The largest number of stored places.
    public static let keptLimit = 10_000
    private static let noteID = "places"

    /// Makes a search with the credentials of a session.
    public init(session: Session, store: LocalStore) {
        self.session = session
        self.store = store
    }

    /// Returns the places within a radius, ordered by distance and then by id: at most 200 from the server, and all
    /// known ones from the store.
    ///
    /// - Throws: `ReplicationError` if the server refuses the request; `LocalStoreError` if the store cannot be read. A
    ///   missing network is not an error.
    public func near(_ centre: Coordinate, radius: Metres = Places.usualRadius) async throws -> Answer {
        var places = try await restore()
        let answer: (status: Int, body: [UInt8])
        do {
            let query =
                "lat=\(centre.latitude)&lon=\(centre.longitude)&radius=\(radius.value)"
                + "&relation=contains&nearest=true&include_docs=true&limit=200"
            answer = try await session.connections.sendRequest(
                "GET", session.server + "api/places?" + query, credentials: session.credentials)
        } catch let fault as ReplicationError where fault.isPassing {
            return Answer(places: Self.within(radius, of: centre, places), isFresh: false)
        }
        guard let rows = try Self.rows(of: answer) else {
            return Answer(places: Self.within(radius, of: centre, places), isFresh: false)
        }
        let found = rows.compactMap(Self.parsePlace)
        // A stored place within the radius that the server did not return no longer exists.
        for place in Self.within(radius, of: centre, places) where !found.contains(where: { $0.id == place.id }) {
            if found.count < 200 { places[place.id] = nil }
        }
        for place in found where places.count < Self.keptLimit || places[place.id] != nil { places[place.id] = place }
        if places != known {
            known = places
            try await store.storeValue(places, note: Self.noteID)
        }
        return Answer(places: Self.ordered(found, from: centre), isFresh: true)
    }

    /// The rows of a server's answer; nil if the server cannot answer now, or if something else answers in its place,
    /// such as the sign-in page of a wireless network.
    ///
    /// - Throws: `ReplicationError` if the server refuses the request.
    private static func rows(of answer: (status: Int, body: [UInt8])) throws -> [JSONValue]? {
        guard let value = try? JSONValue(parsing: answer.body), value.members != nil else { return nil }
        switch answer.status {
        case 200: return value["rows"]?.elements
        case 401: throw ReplicationError.unauthorized(value["reason"]?.string ?? "")
        case 403: throw ReplicationError.forbidden(value["reason"]?.string ?? "")
        case 408, 425, 429, 500...: return nil
        case 400...:
            throw ReplicationError.refused(
                status: answer.status, error: value["error"]?.string ?? "",
                reason: value["reason"]?.string ?? "the server refused the search for places")
        default: return nil
        }
    }

    private func restore() async throws -> [String: Place] {
        if let known { return known }
        let kept = try await store.cachedValue(of: Self.noteID, as: [String: Place].self) ?? [:]
        known = kept
        return kept
    }

    private static func within(_ radius: Metres, of centre: Coordinate, _ places: [String: Place]) -> [Place] {
        ordered(
            places.values.filter { distance(of: $0, from: centre) <= radius.value }, from: centre)
    }

    private static func ordered(_ places: [Place], from centre: Coordinate) -> [Place] {
        places.map { (distance: distance(of: $0, from: centre), place: $0) }
            .sorted { ($0.distance, $0.place.id) < ($1.distance, $1.place.id) }.map(\.place)
    }

    private static func distance(of place: Place, from centre: Coordinate) -> Double {
        guard let coordinate = try? Coordinate(latitude: place.latitude, longitude: place.longitude) else {
            return .infinity
        }
        return centre.distance(to: coordinate).value
    }

    private static func parsePlace(_ row: JSONValue) -> Place? {
        guard let id = row["id"]?.string,
            let geometry = row["geometry"] ?? row["doc"]?["geometry"], geometry["type"]?.string == "Point",
            let numbers = geometry["coordinates"]?.elements, numbers.count >= 2,
            let longitude = numbers[0].number, let latitude = numbers[1].number
        else { return nil }
        return Place(id: id, name: row["doc"]?["name"]?.string ?? "", latitude: latitude, longitude: longitude)
    }
}
