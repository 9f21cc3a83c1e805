package import MusterCore
import MusterWire

extension DocumentBody {
    /// The member in which the union tells whose a document is. What a document says under this name itself is not told
    /// there.
    static let ownerMember = "muster_owner"

    /// The body as the union tells it. Its revision is what it was: whose a document is, is no part of what its owner
    /// wrote.
    ///
    /// - Parameter name: the owner's; nil where the owner is gone.
    package func telling(owner name: String?) -> DocumentBody {
        var writer = JSONWriter()
        writer.beginObject()
        writer.members(of: mayTellOwner ? jsonWithoutOwner : json)
        writer.key(Self.ownerMember)
        if let name { writer.value(name) } else { writer.null() }
        writer.endObject()
        return DocumentBody(json: writer.takeBytes(), attachments: attachments)
    }

    /// Whether a member may have the name: where it stands in the text as it is, or a character is written by number.
    private var mayTellOwner: Bool {
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
                // What cannot be read says nothing of an owner that anyone could read.
                return [UInt8](bytes)
            }
            kept.append(UInt8(ascii: "}"))
            return kept
        }
    }
}
