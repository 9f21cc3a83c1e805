public import MusterGeometry

/// Where a device was: one fix, as it was reported.
public struct Position: Hashable, Sendable {
    /// The place, WGS-84.
    public var coordinate: Coordinate
    /// When the device took the fix, by its own clock.
    public var sampleTime: Instant
    /// When Muster received it.
    public var receivedTime: Instant
    /// The radius in metres that holds the true place with 68 % probability; nil when unknown (a reported 0 is unknown).
    public var accuracy: Metres?
    /// Metres above the ellipsoid.
    public var altitude: Metres?
    /// Metres a second over ground.
    public var speed: Double?
    /// Degrees clockwise from north, 0 to 360.
    public var heading: Double?
    /// Per cent, 0 to 100.
    public var battery: Double?
    /// The road by which it came.
    public var source: Source
    /// What else the sender said, as the text of one JSON object; kept and given back, never interpreted.
    public var attributes: String?

    /// The endpoint that a position came through.
    public enum Source: UInt8, Hashable, Sendable, CaseIterable {
        case native, ownTracks, amazonLocation, couchDB, meshblu, simulator
    }

    /// A fix with what is known of it.
    public init(
        coordinate: Coordinate, sampleTime: Instant, receivedTime: Instant, accuracy: Metres? = nil,
        altitude: Metres? = nil, speed: Double? = nil, heading: Double? = nil, battery: Double? = nil,
        source: Source = .native, attributes: String? = nil
    ) {
        self.coordinate = coordinate
        self.sampleTime = sampleTime
        self.receivedTime = receivedTime
        self.accuracy = accuracy
        self.altitude = altitude
        self.speed = speed
        self.heading = heading
        self.battery = battery
        self.source = source
        self.attributes = attributes
    }
}

/// What a device noticed. Sightings of beacons and ranges to peers join positions here.
public enum Observation: Hashable, Sendable {
    /// A device was somewhere.
    case position(Position, of: DeviceNumber)
}
