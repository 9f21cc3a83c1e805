/// Limits for each client, session and user.
enum MQTTLimits {
    /// The largest CONNECT, in bytes. It is small, because the client has not signed in yet.
    static let connectBytes = 16 << 10
    /// The largest packet of a client that has signed in, in bytes. An OwnTracks card with its picture fits.
    static let packetBytes = 256 << 10
    /// Room for the header of a WebSocket frame, in bytes; the largest has 14 (RFC 6455, section 5.2).
    static let frameHeaderBytes = 16
    /// The size up to which an incomplete packet does not count against the memory for bodies, in bytes.
    static let freeBytes = 8 << 10
    /// The number of waiting packets of one connection at which the server stops parsing and reading.
    static let waitingPackets = 64
    /// The largest number of QoS 1 messages to one client that the client has not acknowledged, and the Receive Maximum
    /// that the server states to clients.
    static let inFlight = 64
    static let topicAliases = 16
    static let clientIDBytes = 128
    static let topicBytes = 512
    static let subscriptions = 50
    /// What a filter of a waiting packet takes in memory besides its bytes.
    static let filterBytes = 64
    /// The number of SUBSCRIBE and UNSUBSCRIBE packets that one user's clients may send at once.
    static let subscribeBurst: Double = 500
    /// The number of SUBSCRIBE and UNSUBSCRIBE packets a second of one user's clients, in the long run.
    static let subscribesPerSecond: Double = 5
    /// The largest number of one user's sessions that are kept while their clients are away.
    static let keptSessions = 20
    /// The longest time that a session is kept while its client is away, in seconds: a week.
    static let sessionSeconds: UInt32 = 7 * 86_400
    /// The largest number of wills that wait for their delay. Further wills are published at once.
    static let waitingWills = 1_000
    /// The largest number of one user's wills that wait for their delay.
    static let waitingWillsOfUser = 20
    /// The largest number of clients of all users.
    static let connections = 20_000
    /// The largest number of connections from one address that have not signed in yet. An IPv6 /64 counts as one
    /// address.
    static let strangersOfAddress = 64
    /// The largest number of connections from all addresses that have not signed in yet.
    static let strangers = 2_000
    /// The incomplete bytes that each connection may hold uncounted before it has signed in.
    static let freeBytesOfStranger = 2 << 10
    /// The largest number of incomplete bytes that the connections of one address may hold together before they have
    /// signed in, without those that are not counted.
    static let strangerBytesOfAddress = 256 << 10
    /// The largest number of counted incomplete bytes of all connections that have not signed in.
    static let strangerBytes = 8 << 20
    /// The largest head of a request for a WebSocket, in bytes.
    static let upgradeBytes = 8 << 10
    /// Seconds between two writes of the sessions' places in the log.
    static let saveSeconds: Double = 1
    /// The largest number of sessions that one transaction stores.
    static let savedAtOnce = 1_000
    /// How often a packet's verification is tried while the server is too busy to verify.
    static let verifications = 5
    /// Seconds between two such tries.
    static let verificationSeconds: Double = 2
    /// Seconds between two checks of the credentials of all clients.
    static let proofSeconds: Double = 30
}
