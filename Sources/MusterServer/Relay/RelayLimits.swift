/// The bounds of the relay.
package struct RelayLimits: Hashable, Sendable {
    /// The most connections in all.
    package var connections = 2_000
    /// The most connections of one user.
    package var connectionsOfUser = 8
    /// The most connections of one team.
    package var connectionsOfTeam = 500
    /// The most streams of one connection, opened by either end.
    package var streams = 160
    /// The most bytes of a stream that may be on their way in one direction.
    package var windowBytes = 32 << 10
    /// The most bytes of all streams together that may be on their way to one connection. Beyond that, a stream whose
    /// sender sends more is closed.
    package var owedBytes = 1 << 20
    /// The most bytes of all streams together that may be on their way to all connections. Beyond that, a stream whose
    /// sender sends more is closed.
    package var owedBytesInAll = 128 << 20
    /// The most bytes, of streams and of all else, that wait to be sent to one connection. A device that reads so
    /// slowly loses its connection.
    package var waitingBytes = 2 << 20
    /// Bytes a second that one user may send in the long run. Each frame counts for `frameBytes` more. The server does
    /// not read the connections of a user faster than that.
    package var bytesPerSecond: Double = 1_048_576
    /// The longest pause that a user who sent too much may owe the server, in seconds. Beyond that, a connection that
    /// sends more ends, and the server ignores what it sent.
    package var owedSeconds: Double = 60
    /// Bytes that one user may send at once.
    package var burstBytes: Double = 8_388_608
    /// The cost of a frame besides its bytes. A WebSocket frame that brings no frame of the relay costs as much.
    package var frameBytes = 64
    /// The cost of an `open`, and of a hello, which the relay passes on to the whole team.
    package var announcementBytes = 4 << 10
    /// The seconds within which a device must say hello.
    package var helloSeconds: Int64 = 10
    /// The seconds within which a device must send something.
    package var silenceSeconds: Int64 = 60

    package init() {}
}

/// Why the server does not open a connection to the relay.
package enum RelayRefusal: Error, Hashable, Sendable {
    case noTeam
    case userHasItsShare(limit: Int)
    case teamHasItsShare(limit: Int)
    case isFull
    case isStopping

    /// A sentence that tells a person what to do.
    package var words: String {
        switch self {
        case .noTeam: "You belong to no team, and the relay shows a device to its user's team alone."
        case .userHasItsShare(let limit):
            "You have \(limit) connections to the relay, which is the limit: close one first."
        case .teamHasItsShare(let limit): "Your team has \(limit) connections to the relay, which is the limit."
        case .isFull: "The server has reached its limit of connections to the relay. Try again later."
        case .isStopping: "The server is stopping."
        }
    }
}
