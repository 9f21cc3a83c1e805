import MusterWire

/// What one client, one session and one user may take.
enum MQTTLimits {
    /// The largest CONNECT, in bytes: it comes from a stranger.
    static let connectBytes = 16 << 10
    /// The largest packet of a client that has signed in, in bytes. A card with its picture fits.
    static let packetBytes = 256 << 10
    /// Bytes of a connection that cost no share of the memory for bodies.
    static let freeBytes = 8 << 10
    /// Packets of one connection that wait to be handled. Then the server reads no more until they are.
    static let waitingPackets = 64
    /// Messages of QoS 1 and 2 of one client that may be under way, each way.
    static let inFlight = 64
    static let topicAliases = 16
    static let clientIDBytes = 128
    static let topicBytes = 512
    static let subscriptions = 50
    /// Sessions of one user that are kept while their clients are away.
    static let keptSessions = 20
    /// How long a session is kept at most while its client is away, in seconds: a week.
    static let sessionSeconds: UInt32 = 7 * 86_400
    /// Wills whose delay is not over. Further ones are published at once.
    static let waitingWills = 1_000
    /// Clients of all users.
    static let connections = 20_000
    /// Connections from one address, where an IPv6 /64 counts as one, that have not signed in yet.
    static let strangersOfAddress = 64
    /// The same from all addresses.
    static let strangers = 2_000
    /// Seconds between two writes of the places of sessions in the log.
    static let saveSeconds: Double = 1
    /// Sessions that one transaction stores.
    static let savedAtOnce = 1_000
    /// Seconds between two checks of the proofs of all clients.
    static let proofSeconds: Double = 30
}
