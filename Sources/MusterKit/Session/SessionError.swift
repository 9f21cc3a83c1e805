/// Why nobody is signed in.
public enum SessionError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The address is none.
    case illegalServer(String)
    /// There is a user of that name.
    case userExists(String)
    /// The name or the password is wrong or will not do, or nobody may register.
    case refused(String)
    /// The server does not answer.
    case unreachable(String)
    /// The server cannot answer now, or was asked too often; `reason` where it said why, as on a full disk (507).
    case busy(status: Int, reason: String? = nil)
    /// The server's user of this name is another account than the one that was signed in before: that one was
    /// removed and another made, or it is another server.
    case anotherAccount(String)
    /// It answers something else than it should.
    case unexpected(status: Int)

    /// One sentence without a full stop.
    public var description: String {
        switch self {
        case .illegalServer(let text): "'\(text)' is no http or https address"
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
