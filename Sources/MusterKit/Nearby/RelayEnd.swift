import MusterWire

/// Why there is no connection to the relay.
enum RelayEnd: Error, Hashable, Sendable, CustomStringConvertible {
    /// The server cannot be reached.
    case unreachable(String)
    /// The server answered with this status, and with this reason if it gave one.
    case refused(status: Int, reason: String?)
    /// The relay stated why it ended the connection.
    case farewell(RelayFrame.Farewell)
    /// The relay was silent for too long.
    case silent
    /// The connection ended without a stated reason.
    case lost
    /// The relay broke the protocol.
    case fault(String)

    /// Whether a further attempt with the same credential fails, too.
    var isFinal: Bool {
        if case .refused(let status, _) = self {
            (400..<500).contains(status) && ![408, 425, 429].contains(status)
        } else {
            false
        }
    }

    var description: String {
        switch self {
        case .unreachable(let reason): "it cannot be reached (\(reason))"
        case .refused(404, _): "the server has no relay"
        case .refused(401, _): "the server does not accept the credential"
        case .refused(let status, let reason): reason ?? "the server answers with status \(status)"
        case .farewell(.fault): "it says that this device broke the protocol"
        case .farewell(.rightEnded): "this device's right to it has ended"
        case .farewell(.slow): "this device read too slowly"
        case .farewell(.silent): "this device was silent for too long"
        case .farewell(.replaced): "this device has another connection to it"
        case .farewell(.stopping): "the server stops"
        case .silent: "it does not answer any more"
        case .lost: "the connection was cut"
        case .fault(let reason): "it broke the protocol: \(reason)"
        }
    }
}

/// Why a stream could not be opened.
struct RelayStreamRefusal: Error, CustomStringConvertible {
    /// The reason that the relay stated; nil when there is no connection to it.
    let closing: RelayFrame.Closing?

    var description: String {
        switch closing {
        case nil: "there is no connection to the relay"
        case .done, .refused: "it does not take the connection"
        case .absent, .gone: "the relay does not know it any more"
        case .tooMany: "one of the two has too many connections at the relay"
        case .slow: "it reads too slowly"
        }
    }
}
