/// Limits for each client, and for strangers.
enum TAKLimits {
    /// Seconds within which a client must have shown its certificate.
    static let handshakeSeconds: Double = 10
    /// Seconds between two tries to open the port.
    static let startSeconds: Double = 30
    /// The largest number of clients of all users.
    static let clients = 5_000
    /// The largest number of connections from one address that have not shown a certificate. An IPv6 /64 counts as one
    /// address.
    static let strangersOfAddress = 64
    /// The largest number of connections from all addresses that have not shown a certificate.
    static let strangers = 1_000
    /// The largest certificate of a client, in bytes.
    static let certificateBytes = 8 << 10
    /// The number of events, or of messages without one, that are handled at once.
    static let eventsAtOnce = 64
    /// The bytes of an incomplete event that do not count against the memory for requests.
    static let freeBytes = 8 << 10
    /// The number of a connection's events that cannot be read and are kept for an operator.
    static let unreadable = 20
    /// How often a call for help is tried while the server cannot store it.
    static let callTries = 10
    /// How often the end of a call is tried. While it is, the calls behind it wait.
    static let endTries = 3
    /// Seconds between two such tries.
    static let callSeconds: Double = 1
    /// The number of calls for help that are stored of what a connection that failed has left.
    static let callsLeft = 16
    /// The number of ends that were not taken which a connection remembers.
    static let refusedEnds = 64
    /// Seconds between two heartbeats: each verifies the certificate, and sends who calls for help again.
    static let beatSeconds: Double = 30
    /// Seconds until the log is read again after it could not be read.
    static let failureSeconds: Double = 1
    /// The longest wait, in seconds, before a client is sent more after the server was too busy for it.
    static let busySeconds: Double = 30
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
