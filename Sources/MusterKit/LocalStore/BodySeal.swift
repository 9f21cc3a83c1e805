import Crypto
import MusterCoding
import MusterCore

/// Seals what documents say with AES-GCM, so that a file that is lost tells nobody where someone was.
///
/// A sealed body is bound to its document and revision: moved to another, it does not open.
struct BodySeal: Sendable {
    let key: SymmetricKey

    /// The sealed form: a JSON object with one member, so that it is a body like any other.
    func sealed(_ json: [UInt8], of revision: Revision, of id: String) throws -> [UInt8] {
        let box = try AES.GCM.seal(json, using: key, authenticating: Self.place(id, revision))
        guard let bytes = box.combined else { preconditionFailure("a nonce of 12 bytes combines") }
        return Self.head + Array(Base64.encode(Array(bytes)).utf8) + Self.tail
    }

    /// What was sealed.
    ///
    /// - Throws: `LocalStoreError.unreadable` when it was sealed under another key, or tampered with.
    func opened(_ sealed: [UInt8], of revision: Revision, of id: String) throws -> [UInt8] {
        guard sealed.starts(with: Self.head), sealed.count >= Self.head.count + Self.tail.count,
            let bytes = Base64.decode(
                String(decoding: sealed[Self.head.count..<(sealed.count - Self.tail.count)], as: UTF8.self)),
            let box = try? AES.GCM.SealedBox(combined: bytes),
            let json = try? AES.GCM.open(box, using: key, authenticating: Self.place(id, revision))
        else { throw LocalStoreError.unreadable(id: id) }
        return Array(json)
    }

    private static let head = Array("{\"sealed\":\"".utf8)
    private static let tail = Array("\"}".utf8)

    private static func place(_ id: String, _ revision: Revision) -> [UInt8] {
        Array(id.utf8) + [0] + Array(revision.text.utf8)
    }
}
