import Crypto
public import MusterCore

extension RangeSecret {
    /// The tag by which peers name this device to a server. It reveals nothing about the secret.
    ///
    /// The server computes the same one by itself (`RangeTag.init(of:)` of MusterServer): both are tested with the
    /// vector of `docs/proximity.md`.
    public var tag: RangeTag { tag { SHA256.hash(data: $0) } }
}
