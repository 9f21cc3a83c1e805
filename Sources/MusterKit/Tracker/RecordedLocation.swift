public import MusterCore
import MusterGeometry
import MusterWire

/// A location as a document: a GeoJSON Feature with the members that the location tracker's app writes.
public struct RecordedLocation: Codable, Hashable, Sendable {
    /// The type that GeoJSON demands: `Feature`.
    public var type = "Feature"
    /// The time of the fix, milliseconds since 1970 UTC.
    public var created_at: Int64
    /// The place of the fix.
    public var geometry: Geometry
    /// The person, the run and the measurements of the fix.
    public var properties: Properties

    /// A GeoJSON Point.
    public struct Geometry: Codable, Hashable, Sendable {
        /// The type that GeoJSON demands: `Point`.
        public var type = "Point"
        /// Longitude and latitude, degrees, in this order.
        public var coordinates: [Double]
    }

    /// The person, the run and the measurements of the fix.
    public struct Properties: Codable, Hashable, Sendable {
        /// The name of the person.
        public var username: String
        /// The name of the tracker's run that recorded it.
        public var session_id: String
        /// The time of the fix, milliseconds since 1970 UTC.
        public var timestamp: Int64
        /// Whether the app was in the background.
        public var background: Bool
        /// The radius within which the device is with a probability of 68 %, metres.
        public var accuracy: Double?
        /// Metres above the ellipsoid.
        public var altitude: Double?
        /// Metres a second.
        public var speed: Double?
        /// Degrees clockwise from north.
        public var heading: Double?
    }

    /// Makes the document of a monitor's location.
    public init(_ location: LocationMonitor.Location, user: String, session: String) {
        let fix = location.fix.withoutInvalidNumbers
        created_at = fix.sampleTime.milliseconds
        geometry = Geometry(coordinates: [fix.coordinate.longitude, fix.coordinate.latitude])
        properties = Properties(
            username: user, session_id: session, timestamp: fix.sampleTime.milliseconds,
            background: location.isInBackground, accuracy: fix.accuracy?.value, altitude: fix.altitude?.value,
            speed: fix.speed, heading: fix.heading)
    }

    /// The id of its document. It follows from run and time, so that recording a location twice makes one document.
    public var id: String { Self.idPrefix(ofSession: properties.session_id) + String(created_at) }

    /// The prefix of the ids of one run's locations.
    public static func idPrefix(ofSession session: String) -> String { "\(idPrefix)\(session)-" }

    /// The prefix of the ids of all recorded locations.
    static let idPrefix = "location-"

    /// The fix that the server reads from the document; nil if its coordinates or time are not valid.
    public var fix: Position? {
        guard let json = try? LocalStore.json(of: self) else { return nil }
        return LocationDocument.position(in: json, receivedAt: Instant(milliseconds: properties.timestamp))
    }
}
