public import MusterCore

/// A source of fixes, for example a receiver or a file.
public protocol LocationSource: Sendable {
    /// A stream of fixes, which ends with the source or when its reader stops.
    func fixes() -> AsyncStream<Position>
}

/// A source of the fixes of a stream.
public struct StreamedLocations: LocationSource {
    private let stream: AsyncStream<Position>

    /// Makes a source of a stream. It can be read once.
    public init(_ stream: AsyncStream<Position>) { self.stream = stream }

    /// The stream that was passed to `init`.
    public func fixes() -> AsyncStream<Position> { stream }
}

/// A source that also reports why it has no fixes, for example because the person withdrew the permission.
public protocol LocationUpdateSource: LocationSource {
    /// A stream of fixes and of changes of availability, which ends with the source or when its reader stops.
    func updates() -> AsyncStream<LocationUpdate>
}

/// An element of a `LocationUpdateSource`.
public enum LocationUpdate: Hashable, Sendable {
    /// The device was located.
    case fix(Position)
    /// The availability from now on.
    case availability(LocationAvailability)
}

/// Whether a device delivers fixes, and the reason if it does not.
public enum LocationAvailability: Hashable, Sendable, CustomStringConvertible {
    /// The device delivers fixes.
    case available
    /// The device delivers approximate fixes only, because the person allows no others.
    case reducedAccuracy
    /// The device cannot determine its position now, for lack of satellites or radio.
    case noPosition
    /// The person denied this app the permission, or withdrew it.
    case denied
    /// The person switched location services off for all apps.
    case deniedForAllApps
    /// A profile or parental control forbids locations; the person cannot allow them.
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
