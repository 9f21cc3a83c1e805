/// Why a session cannot run, or ended. The codes are those of Apple's `NIError`.
public struct NearbyError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of an error; its raw value is the code of Apple's `NIError`.
    public enum Kind: Int, Hashable, Sendable, CaseIterable {
        /// This device has nothing that could measure.
        case unsupportedPlatform = -5889
        /// The configuration does not fit the source, or names another peer than before.
        case invalidConfiguration = -5888
        /// The source broke, or the session is not one that can run.
        case sessionFailed = -5887
        /// The session was suspended for too long.
        case resourceUsageTimeout = -5886
        /// Too many sessions run.
        case activeSessionsLimitExceeded = -5885
        /// The person did not allow it.
        case userDidNotAllow = -5884
        /// The peer has no source that works with this one.
        case incompatiblePeerDevice = -5881
    }

    /// The kind of error.
    public let kind: Kind
    /// The cause, in words.
    public let reason: String

    /// Creates an error. The reason is shown to people.
    public init(_ kind: Kind, _ reason: String) {
        self.kind = kind
        self.reason = reason
    }

    /// The code of Apple's `NIError` for this kind.
    public var code: Int { kind.rawValue }
    /// The reason in words, and the code in parentheses.
    public var description: String { "\(reason) (\(code))" }
}
