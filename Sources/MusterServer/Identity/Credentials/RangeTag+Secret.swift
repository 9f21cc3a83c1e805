import Crypto
package import MusterCore

extension RangeTag {
    /// The tag of a secret, which the server computes so that nobody registers a tag without its secret.
    ///
    /// Devices compute the same one by themselves (`RangeSecret.tag` of MusterNearby): both are tested with the vector
    /// of `docs/proximity.md`.
    package init(of secret: RangeSecret) { self = secret.tag { SHA256.hash(data: $0) } }
}
