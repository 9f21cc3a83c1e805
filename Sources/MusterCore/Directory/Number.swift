/// The number of an entity: given once, never reused, dense enough to index an array.
///
/// Names travel on the wire; numbers are what the log and the engine work with.
public struct Number<Entity>: Hashable, Comparable, Sendable {
    /// 1 and up.
    public let rawValue: Int32

    /// The entity with that number.
    public init(_ rawValue: Int32) { self.rawValue = rawValue }

    /// Whether the left number was given earlier.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// A user's number.
public typealias UserNumber = Number<User>
/// A team's number.
public typealias TeamNumber = Number<Team>
/// A device's number.
public typealias DeviceNumber = Number<Device>
/// A tracker's number.
public typealias TrackerNumber = Number<Tracker>
/// A collection's number.
public typealias CollectionNumber = Number<RegionCollection>
/// A region's number.
public typealias RegionNumber = Number<Region>
