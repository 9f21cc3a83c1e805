package import MusterCore

/// Reads what a replay of the past needs: where many devices were, and what the server said of people, over a time.
package protocol ReplayStore {
    /// Passes `body` each of these devices, in this order, with its newest position of `[earliest, from)`, if there is
    /// one, and its positions of `[from, to)`, oldest first; all by sample time. Each device is read as of a moment
    /// after the call.
    func replay(
        of devices: [DeviceNumber], earliest: Instant, from: Instant, to: Instant,
        _ body: (DeviceNumber, Position?, [Position]) throws -> Void
    ) throws

    /// Returns the states of each of these people that the log reported in `(from, to)`, and the last one before, in
    /// the order of people, and of time for each. `forget` deletes older ones, except the last before its horizon.
    func safetyHistory(of people: [UserNumber], from: Instant, to: Instant) throws -> [ReportedSafety]

    /// From when on `safetyHistory` is complete: the moment when an older version's file was upgraded. For times
    /// before, it may lack states. `Instant(milliseconds: 0)` for a file that never lacked any.
    var safetyHistoryStart: Instant { get throws }
}

/// A state of a person's safety, and when the server committed it.
package struct ReportedSafety: Hashable, Sendable {
    package var user: UserNumber
    package var at: Instant
    /// The number of the change; zero for a state that an older version stored without it.
    package var sequence: LogSequence
    package var state: Safety.State
    /// What the state follows from; nil where an older version stored the state without it.
    package var source: Safety.Source?
    package var doubt: Doubt?

    package init(
        user: UserNumber, at: Instant, sequence: LogSequence, state: Safety.State, source: Safety.Source?, doubt: Doubt?
    ) {
        self.user = user
        self.at = at
        self.sequence = sequence
        self.state = state
        self.source = source
        self.doubt = doubt
    }
}
