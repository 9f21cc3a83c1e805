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
