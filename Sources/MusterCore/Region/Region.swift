public import MusterGeometry

/// A place with a name that devices cross.
public struct Region: Hashable, Sendable {
    /// Its number.
    public let number: RegionNumber
    /// The collection it is in.
    public var collection: CollectionNumber
    /// Unique within its collection; 1 to 100 characters.
    public var id: String
    /// What a person reads; the id where nobody said.
    public var name: String
    /// Where it is. A point on the boundary is inside.
    public var shape: Shape
    /// Whether people inside it are safe.
    public var isMuster: Bool
    /// What a wrong crossing would cost; nil: inside is safe where people are safe, else the standard. Only the
    /// confident policy asks.
    public var mode: RegionMode?
    /// Seconds inside after which a dwell is reported; nil: never.
    public var dwellSeconds: Double?
    /// Seconds that an exit is held back, in case the device returns; 0: at once.
    public var exitDelaySeconds: Double
    /// The GeoJSON properties as they came, as the text of one JSON object.
    public var properties: String?
    /// When it was made and changed.
    public var times: EditTimes

    /// A region.
    public init(
        number: RegionNumber, collection: CollectionNumber, id: String, name: String, shape: Shape,
        isMuster: Bool = false, mode: RegionMode? = nil, dwellSeconds: Double? = nil, exitDelaySeconds: Double = 0,
        properties: String? = nil, times: EditTimes = EditTimes()
    ) {
        self.number = number
        self.collection = collection
        self.id = id
        self.name = name
        self.shape = shape
        self.isMuster = isMuster
        self.mode = mode
        self.dwellSeconds = dwellSeconds
        self.exitDelaySeconds = exitDelaySeconds
        self.properties = properties
        self.times = times
    }
}
