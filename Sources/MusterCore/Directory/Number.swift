/// The number of an entity: assigned once, never reused, dense enough to index an array.
///
/// Clients use names; the log and the engine use numbers.
public struct Number<Entity>: Hashable, Comparable, Sendable {
    /// 1 and up for entities of the directory. Visitors and users' location databases have numbers below 0.
    public let rawValue: Int32

    /// Creates a number; an entity with it need not exist.
    public init(_ rawValue: Int32) { self.rawValue = rawValue }

    /// Orders numbers by value, which is the order in which entities were made.
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
