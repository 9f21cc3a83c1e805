package import MusterCore
import MusterWire

/// The owner's name in the documents of the union.
extension DocumentBody {
    /// The member that names a document's owner in the union. It hides a member of this name in the document itself.
    static let ownerMember = "muster_owner"

    /// Returns the body with its owner's name added, as the union shows it. The document keeps its revision, because
    /// the owner is not part of its content.
    ///
    /// - Parameter name: the owner's name; nil where the user no longer exists, which gives a null.
    package func addingOwner(named name: String?) -> DocumentBody {
        var writer = JSONWriter()
        writer.beginObject()
        writer.members(of: mayHaveOwnerMember ? jsonWithoutOwner : json)
        writer.key(Self.ownerMember)
        if let name { writer.value(name) } else { writer.null() }
        writer.endObject()
        return DocumentBody(json: writer.takeBytes(), attachments: attachments)
    }

    /// Whether the body may have a member of this name: its text contains the name, or an escaped character. False
    /// positives only cost time.
    private var mayHaveOwnerMember: Bool {
        let name = Array(Self.ownerMember.utf8)
        return json.withUnsafeBufferPointer { bytes in
            var index = bytes.startIndex
            while index < bytes.endIndex {
                if bytes[index] == UInt8(ascii: "\\"), index + 1 < bytes.endIndex {
                    if bytes[index + 1] == UInt8(ascii: "u") { return true }
                    index += 2
                    continue
                }
                if bytes[index] == name[0], bytes[index...].starts(with: name) { return true }
                index += 1
            }
            return false
        }
    }

    private var jsonWithoutOwner: [UInt8] {
        json.withUnsafeBytes { bytes in
            var kept: [UInt8] = [UInt8(ascii: "{")]
            var reader = JSONReader(bytes, depthLimit: CouchDocument.depthLimit + 1)
            do {
                try reader.beginObject()
                while let key = try reader.nextKey() {
                    let start = reader.offset
                    try reader.passOver()
                    if key.string == Self.ownerMember { continue }
                    if kept.count > 1 { kept.append(UInt8(ascii: ",")) }
                    kept.append(UInt8(ascii: "\""))
                    kept.append(contentsOf: key.bytes)
                    kept.append(contentsOf: "\":".utf8)
                    kept.append(contentsOf: bytes[start..<reader.offset])
                }
            } catch {
                // A client cannot read a member of a body that cannot be parsed, either.
                return [UInt8](bytes)
            }
            kept.append(UInt8(ascii: "}"))
            return kept
        }
    }
}
