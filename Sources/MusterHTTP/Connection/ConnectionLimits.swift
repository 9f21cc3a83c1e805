/// The limits on slow requests (slowloris), and on the memory that request bodies hold. The memory limits also hold,
/// counted separately, for answers that clients have not read (`AnswerBudget`).
package struct ConnectionLimits: Hashable, Sendable {
    /// The time from the first byte of a request to the end of its head, in seconds.
    package var headSeconds: Double = 20
    /// The time after which `bytesPerSecond` applies to a body, in seconds.
    package var bodyGraceSeconds: Double = 20
    /// The lowest average rate at which a body must arrive after `bodyGraceSeconds`.
    package var bytesPerSecond: Double = 500
    /// The time within which a body must have arrived completely, in seconds. Time in which the server reads nothing
    /// does not count.
    package var bodySeconds: Double = 1_800
    /// The memory of the bodies of all requests without an answer, in bytes.
    package var bodyBytes = 256 << 20
    /// The memory of the bodies of one address's requests without an answer, in bytes. An IPv6 /64 counts as one
    /// address; a trusted proxy's address does not count as a client's.
    package var bodyBytesOfAddress = 128 << 20
    /// The memory of the bodies of one user's requests without an answer, in bytes.
    package var bodyBytesOfUser = 96 << 20

    package init() {}
}
