/// An error of signing in or registering.
public enum SessionError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The server's address is not a valid URL.
    case illegalServer(String)
    /// The server has a user of this name already.
    case userExists(String)
    /// The server refused the name or the password, or its registration is closed.
    case refused(String)
    /// The server does not answer.
    case unreachable(String)
    /// The server cannot answer now, or limits the rate of requests; `reason` if it sent one, for example for a full
    /// disk (507).
    case busy(status: Int, reason: String? = nil)
    /// The server's user of this name is another account than the one that was signed in before, because the user was
    /// removed and made again or because it is another server.
    case anotherAccount(String)
    /// The server's response does not belong to this API.
    case unexpected(status: Int)

    /// One sentence without a full stop.
    public var description: String {
        switch self {
        case .illegalServer(let text): "'\(text)' is not an http or https address"
        case .userExists(let name): "there is a user \(name) already"
        case .refused(let reason): "the server refuses: \(reason)"
        case .unreachable(let reason): "the server cannot be reached: \(reason)"
        case .busy(let status, let reason):
            "the server cannot answer now (status \(status))" + (reason.map { ": \($0)" } ?? "")
        case .anotherAccount(let name):
            "\(name) is another account at the server than the one that was signed in here before"
        case .unexpected(let status): "the server answers with status \(status)"
        }
    }
}
