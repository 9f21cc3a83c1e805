/// A token that a session gives to its peer alone, so that the two can measure each other. It is valid for one session.
public struct DiscoveryToken: Hashable, Sendable {
    /// 16 random bytes.
    public let bytes: [UInt8]
    /// The number of the session. A device's later session has a higher one, also after a restart.
    public let epoch: UInt64

    /// The number of bytes.
    static let size = 16

    /// Creates the token of a session.
    static func random(epoch: UInt64, using random: inout some RandomNumberGenerator) -> DiscoveryToken {
        DiscoveryToken(bytes: (0..<size).map { _ in UInt8.random(in: 0...255, using: &random) }, epoch: epoch)
    }
}

/// The tokens that this device has accepted. It refuses a token that it has seen before, and one of an earlier session.
struct TokenLedger: Hashable, Sendable {
    /// The epoch of the last token that each peer's key brought.
    private(set) var lastEpochs: [KeyFingerprint: UInt64] = [:]

    /// Why a token is not accepted.
    enum Refusal: Hashable, Sendable, CustomStringConvertible {
        /// It was accepted before.
        case replayed
        /// It belongs to a session that is older than one that was accepted.
        case oldEpoch(UInt64, last: UInt64)
        /// The peer's name belongs to another key by now.
        case otherKey
        /// The store holds as many peers as it can.
        case full

        var description: String {
            switch self {
            case .replayed: "its token was used before"
            case .oldEpoch(let epoch, let last): "its token is of an old session (epoch \(epoch), after \(last))"
            case .otherKey: "its name belongs to another key"
            case .full: "this device knows as many peers as it can: forget one"
            }
        }
    }

    /// Creates a ledger of the stored epochs.
    init(_ stored: [KeyFingerprint: UInt64] = [:]) { lastEpochs = stored }

    /// Accepts a token, or returns the reason to refuse it; nil means that the token was accepted.
    mutating func accept(_ token: DiscoveryToken, from key: KeyFingerprint) -> Refusal? {
        if let last = lastEpochs[key] {
            if token.epoch == last { return .replayed }
            if token.epoch < last { return .oldEpoch(token.epoch, last: last) }
        }
        lastEpochs[key] = token.epoch
        return nil
    }
}
