/// Decides what observations cross. Pure: no clock, no I/O. (On its way.)
public struct Engine: Sendable {
    /// The newest position of a device by sample time.
    public func latestPosition(of device: DeviceNumber) -> Position? { nil }
    /// What a device is inside of, in region order.
    public func presences(of device: DeviceNumber) -> [Presence] { [] }
    /// How a person is.
    public func safety(of user: UserNumber) -> Safety { Safety(state: .unknown, since: Instant(milliseconds: 0)) }
}
