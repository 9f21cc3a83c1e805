/// By how much a device's clock is ahead of the server's, as its last position told.
///
/// Such a position is kept as history and moves nothing: when it was sampled nobody knows.
public struct ClockLead: Hashable, Sendable {
    /// How much, in seconds.
    public let seconds: Double
    /// When the position that told so was received, by the server's clock.
    public let receivedTime: Instant

    /// What a position tells of its device's clock.
    public init(_ position: Position) {
        seconds = position.sampleTime.seconds(since: position.receivedTime)
        receivedTime = position.receivedTime
    }

    /// Whether another position of the device, one that counts and was received then, tells that its clock is right
    /// again.
    public func isMended(at moment: Instant) -> Bool { moment > receivedTime }
}
