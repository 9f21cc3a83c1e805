/// What a connection may take before it is known whose it is, and what bodies that have not ended may hold.
package struct ConnectionLimits: Hashable, Sendable {
    /// Seconds from the first byte of a request to the end of its head.
    package var headSeconds: Double = 20
    /// Seconds that a body has before its rate counts.
    package var bodyGraceSeconds: Double = 20
    /// Bytes a second that a body brings from then on, on average.
    package var bytesPerSecond: Double = 500
    /// Seconds after which a body has ended, however fast it comes. Time in which the server takes none is not counted.
    package var bodySeconds: Double = 1_800
    /// Bytes of bodies whose requests have no answer yet: of all.
    package var bodyBytes = 256 << 20
    /// Of one address (an IPv6 /64 counts as one). A proxy that is trusted is no address of a client.
    package var bodyBytesOfAddress = 128 << 20
    /// Of one user.
    package var bodyBytesOfUser = 96 << 20

    /// The defaults.
    package init() {}
}
