/// The bounds of WebSockets that carry GraphQL.
struct SocketLimits: Hashable, Sendable {
    /// The most WebSockets in all. `FeedShares` limits the part of each user.
    var sockets = 10_000
    /// The most WebSockets of all clients that have not proven who they are.
    var strangers = 2_000
    /// The most of them from one address. An IPv6 /64 counts as one address.
    var strangersOfAddress = 64
    /// Seconds within which a client must begin by `connection_init`, with a valid proof.
    var beginSeconds: Double = 10
    /// The most operations of one WebSocket that run or wait.
    var operations = 100
    /// The most of them that are queries and mutations: each holds its text until its answer is sent.
    var requests = 16
    /// The largest message, in bytes: a subscription with its variables and the fields that authorize it fit.
    var messageBytes = 64 << 10
    /// The largest message of a client that has not proven who it is, in bytes.
    var strangerBytes = 16 << 10
    /// The most bytes that are read at once.
    var readBytes = 16 << 10
    /// The size up to which an incomplete message does not count against the memory for bodies, in bytes.
    var freeBytes = 8 << 10
    /// Milliseconds without a message after which AppSync's clients take the connection for broken.
    var silenceMilliseconds: Int64 = 300_000
}
