public import MusterCore
import MusterGeometry
import MusterWire

/// A location as a document: a GeoJSON Feature, as the location tracker's app wrote them.
public struct RecordedLocation: Codable, Hashable, Sendable {
    /// `Feature`.
    public var type = "Feature"
    /// When it was taken, milliseconds since 1970.
    public var created_at: Int64
    /// Where.
    public var geometry: Geometry
    /// Who, when and how.
    public var properties: Properties

    /// A GeoJSON Point.
    public struct Geometry: Codable, Hashable, Sendable {
        /// `Point`.
        public var type = "Point"
        /// Longitude and latitude, degrees, in this order.
        public var coordinates: [Double]
    }

    /// Who, when and how.
    public struct Properties: Codable, Hashable, Sendable {
        /// Whose location.
        public var username: String
        /// Which run of the tracker recorded it.
        public var session_id: String
        /// When it was taken, milliseconds since 1970.
        public var timestamp: Int64
        /// Whether nobody looked at the app.
        public var background: Bool
        /// Metres, 68 %.
        public var accuracy: Double?
        /// Metres above the ellipsoid.
        public var altitude: Double?
        /// Metres a second.
        public var speed: Double?
        /// Degrees clockwise from north.
        public var heading: Double?
    }

    /// A location that a monitor told of.
    public init(_ location: LocationMonitor.Location, user: String, session: String) {
        let fix = location.fix
        created_at = fix.sampleTime.milliseconds
        geometry = Geometry(coordinates: [fix.coordinate.longitude, fix.coordinate.latitude])
        properties = Properties(
            username: user, session_id: session, timestamp: fix.sampleTime.milliseconds,
            background: location.isInBackground, accuracy: fix.accuracy?.value, altitude: fix.altitude?.value,
            speed: fix.speed, heading: fix.heading)
    }

    /// The id of its document: the same location of one session is one document, however often it is recorded.
    public var id: String { Self.idPrefix(ofSession: properties.session_id) + String(created_at) }

    /// How the ids of one session's locations begin.
    public static func idPrefix(ofSession session: String) -> String { "\(idPrefix)\(session)-" }

    /// How the ids of all recorded locations begin.
    static let idPrefix = "location-"

    /// The fix, as the server will read it out of the document; nil where that tells of no place.
    public var fix: Position? {
        guard let json = try? LocalStore.json(of: self) else { return nil }
        return LocationDocument.position(in: json, receivedAt: Instant(milliseconds: properties.timestamp))
    }
}
