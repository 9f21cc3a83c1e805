public import MusterGeometry

/// A closed area of a collection that devices cross (a geofence); for a beacon region, the reach of a radio.
public struct Region: Hashable, Sendable {
    /// The number by which the log and the engine know the region.
    public let number: RegionNumber
    /// The collection whose policy decides crossings of the region.
    public var collection: CollectionNumber
    /// Unique within its collection; 1 to 100 characters.
    public var id: String
    /// The name that people see; the id when no name was given.
    public var name: String
    /// The area; nil for a virtual beacon region, which has no place. A point on the boundary is inside. In a beacon
    /// region it is a circle: the place of the beacon or of the scanner, and how far from it a device that is heard may
    /// be.
    public var shape: Shape?
    /// The radio that decides who is inside a beacon region; nil for a region that positions decide.
    public var beacon: BeaconArea?
    /// Whether the region itself is marked as a muster region, in which people are safe. A rule may make it one too. A
    /// region without a place makes nobody safe, whatever this says.
    public var isMuster: Bool
    /// Which wrong crossing is the worse one; nil stands for `.insideIsSafe` in a muster region, else for `.standard`.
    /// Only the confident policy uses it.
    public var mode: RegionMode?
    /// After how many seconds inside a dwell is reported; nil for never.
    public var dwellSeconds: Double?
    /// For how many seconds an exit is held back, in case the device returns; 0 to report it at once.
    public var exitDelaySeconds: Double
    /// The GeoJSON properties as the client sent them: the text of one JSON object.
    public var properties: String?
    /// When the region was made and last changed.
    public var times: EditTimes

    public init(
        number: RegionNumber, collection: CollectionNumber, id: String, name: String, shape: Shape?,
        beacon: BeaconArea? = nil, isMuster: Bool = false, mode: RegionMode? = nil, dwellSeconds: Double? = nil,
        exitDelaySeconds: Double = 0, properties: String? = nil, times: EditTimes = EditTimes()
    ) {
        self.number = number
        self.collection = collection
        self.id = id
        self.name = name
        self.shape = shape
        self.beacon = beacon
        self.isMuster = isMuster
        self.mode = mode
        self.dwellSeconds = dwellSeconds
        self.exitDelaySeconds = exitDelaySeconds
        self.properties = properties
        self.times = times
    }
}
