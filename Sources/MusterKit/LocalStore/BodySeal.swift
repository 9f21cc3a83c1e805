import Crypto
import MusterCoding
import MusterCore

/// Encrypts document bodies with AES-GCM, so that a lost file reveals nobody's locations.
///
/// A sealed body is bound to its document and revision: it cannot be opened under another one.
struct BodySeal: Sendable {
    let key: SymmetricKey

    /// Returns the sealed form: a JSON object with one member, so that it is stored like any other body.
    func sealed(_ json: [UInt8], of revision: Revision, of id: String) throws -> [UInt8] {
        let box = try AES.GCM.seal(json, using: key, authenticating: Self.authenticatedData(id, revision))
        guard let bytes = box.combined else { preconditionFailure("a nonce of 12 bytes combines") }
        return Self.head + Array(Base64.encode(Array(bytes)).utf8) + Self.tail
    }

    /// Opens a sealed body.
    ///
    /// - Throws: `LocalStoreError.unreadable` if it was sealed with another key or changed since.
    func opened(_ sealed: [UInt8], of revision: Revision, of id: String) throws -> [UInt8] {
        guard sealed.starts(with: Self.head), sealed.count >= Self.head.count + Self.tail.count,
            let bytes = Base64.decode(
                String(decoding: sealed[Self.head.count..<(sealed.count - Self.tail.count)], as: UTF8.self)),
            let box = try? AES.GCM.SealedBox(combined: bytes),
            let json = try? AES.GCM.open(box, using: key, authenticating: Self.authenticatedData(id, revision))
        else { throw LocalStoreError.unreadable(id: id) }
        return Array(json)
    }

    private static let head = Array("{\"sealed\":\"".utf8)
    private static let tail = Array("\"}".utf8)

    private static func authenticatedData(_ id: String, _ revision: Revision) -> [UInt8] {
        Array(id.utf8) + [0] + Array(revision.text.utf8)
    }
}
