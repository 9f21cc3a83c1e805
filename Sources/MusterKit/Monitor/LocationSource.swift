public import MusterCore

/// Where fixes come from: a receiver, a file, or whatever a program has.
public protocol LocationSource: Sendable {
    /// Fixes as they come, until there are no more or nobody reads them.
    func fixes() -> AsyncStream<Position>
}

/// Fixes that a program has from elsewhere.
public struct StreamedLocations: LocationSource {
    private let stream: AsyncStream<Position>

    /// Fixes of a stream; it can be read once.
    public init(_ stream: AsyncStream<Position>) { self.stream = stream }

    /// The stream.
    public func fixes() -> AsyncStream<Position> { stream }
}

/// A source that also tells why it has no fixes: the person withdrew the permission, say.
public protocol LocationUpdateSource: LocationSource {
    /// Fixes and changes of what the source may and can deliver, until there are no more or nobody reads them.
    func updates() -> AsyncStream<LocationUpdate>
}

/// What a `LocationUpdateSource` delivers.
public enum LocationUpdate: Hashable, Sendable {
    /// A fix.
    case fix(Position)
    /// From now on the source has fixes, or has none for a reason.
    case availability(LocationAvailability)
}

/// Whether a device delivers fixes, and if not, why.
public enum LocationAvailability: Hashable, Sendable, CustomStringConvertible {
    /// It delivers fixes.
    case available
    /// It delivers fixes, and the person allows approximate ones only.
    case reducedAccuracy
    /// It cannot tell where it is now: no satellites, no radio.
    case noPosition
    /// The person denied this app the permission, or withdrew it.
    case denied
    /// The person switched location services off for all apps.
    case deniedForAllApps
    /// A profile or parental control forbids it; the person cannot allow it.
    case restricted

    /// One sentence without a full stop.
    public var description: String {
        switch self {
        case .available: "this device reports where it is"
        case .reducedAccuracy: "this app may use approximate locations only"
        case .noPosition: "this device cannot tell where it is now"
        case .denied: "this app may not use locations: allow it in the settings"
        case .deniedForAllApps: "location services are off: switch them on in the settings"
        case .restricted: "this device does not let apps use locations"
        }
    }
}
