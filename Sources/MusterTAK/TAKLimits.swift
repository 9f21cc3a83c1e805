/// Limits for each client, and for strangers.
enum TAKLimits {
    /// Seconds within which a client must have shown its certificate.
    static let handshakeSeconds: Double = 10
    /// The largest number of clients of all users.
    static let clients = 5_000
    /// The largest number of connections from one address that have not shown a certificate. An IPv6 /64 counts as one
    /// address.
    static let strangersOfAddress = 64
    /// The largest number of connections from all addresses that have not shown a certificate.
    static let strangers = 1_000
    /// The largest certificate of a client, in bytes.
    static let certificateBytes = 8 << 10
    /// The number of events that are handled at once.
    static let eventsAtOnce = 64
    /// The bytes of an incomplete event that do not count against the memory for requests.
    static let freeBytes = 8 << 10
    /// The number of events that cannot be read after which a connection ends.
    static let unreadable = 20
    /// How often a call for help is tried while the server cannot store it.
    static let callTries = 10
    /// Seconds between two such tries.
    static let callSeconds: Double = 1
    /// Seconds between two heartbeats: each verifies the certificate, and sends who calls for help again.
    static let beatSeconds: Double = 30
    /// Seconds for which a call for help holds on a client that hears no more of it.
    static let callHoldsSeconds: Double = 300
    /// The number of people whose state is sent at once.
    static let peopleAtOnce = 32
    /// The largest number of regions that a client gets.
    static let regions = 500
    /// The largest number of corners of a drawing.
    static let corners = 400
    /// The largest number of parts of a region that are drawn.
    static let parts = 20
    /// The number of heartbeats after which the regions are sent again.
    static let beatsOfRegions = 120
    /// Seconds for which a drawing holds on a client.
    static let regionHoldsSeconds: Double = 86_400
}
