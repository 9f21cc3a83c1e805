import MusterCoding
import MusterCore
package import MusterWire

/// Documents as CouchDB's protocol writes them: the members of the body, and beside them those whose names begin with
/// `_`.
package enum DocumentText {
    /// The deepest nesting of a document, the same as in a request for one document.
    package static let depthLimit = CouchDocument.depthLimit

    /// Reads the next document of a list. One that cannot be accepted (it nests too deep, has a key twice, …) is
    /// returned as a refused revision, and reading goes on after it.
    ///
    /// - Parameter asked: the id and revision that were requested, which name a document that has no members of its own
    ///   for them.
    /// - Returns: nil if it has no id or no revision.
    /// - Throws: `JSONError` if the text is malformed from here on.
    static func readOne(
        of reader: inout JSONReader, asked: (id: String?, revision: Revision?) = (nil, nil)
    ) throws -> ReplicatedRevision? {
        do {
            return try reader.alone(depthLimit: depthLimit) { try read(&$0) }
        } catch let error as JSONError where error.reason.isOfOneValue {
            let name = try CouchDocumentName(passingOver: &reader)
            guard let id = name.id ?? asked.id,
                let revision = name.revisionText.flatMap({ Revision($0) }) ?? asked.revision
            else { throw error }
            return ReplicatedRevision(refused: id, revision, error: "forbidden", reason: "\(error)")
        }
    }

    /// Reads the next document.
    ///
    /// - Returns: nil if it has no id or no revision.
    /// - Throws: `JSONError`.
    package static func read(_ reader: inout JSONReader) throws -> ReplicatedRevision? {
        var id: String?
        var revision: Revision?
        var path: [Revision] = []
        var isDeleted = false
        var attachments: [ReplicatedAttachment] = []
        var json: [UInt8] = [UInt8(ascii: "{")]
        var keys = KeyLedger()
        keys.open()
        try reader.beginObject()
        while let key = try reader.nextKey() {
            keys.recordKey(key)
            guard key.bytes.first == UInt8(ascii: "_"), !CouchDocument.replicationMembers.contains(key.string) else {
                if json.count > 1 { json.append(UInt8(ascii: ",")) }
                json.append(UInt8(ascii: "\""))
                json.append(contentsOf: key.bytes)
                json.append(UInt8(ascii: "\""))
                json.append(UInt8(ascii: ":"))
                append(try reader.skip(), to: &json)
                continue
            }
            if key == "_id" {
                id = try reader.text().string
            } else if key == "_rev" {
                revision = Revision(try reader.text())
            } else if key == "_revisions" {
                path = try readPath(&reader)
            } else if key == "_deleted" {
                isDeleted = try reader.boolean()
            } else if key == "_attachments" {
                attachments = try readAttachments(&reader)
            } else {
                _ = try reader.skip()
            }
        }
        json.append(UInt8(ascii: "}"))
        if let twice = keys.close() { throw reader.duplicateKey(twice) }
        if let revision, path.first != revision { path = [revision] }
        guard let id, !path.isEmpty else { return nil }
        return ReplicatedRevision(id: id, path: path, isDeleted: isDeleted, json: json, attachments: attachments)
    }

    /// Appends a value without the whitespace outside its strings.
    static func append(_ value: UnsafeRawBufferPointer, to json: inout [UInt8]) {
        // Most values have none.
        guard value.contains(where: { $0 <= 0x20 }) else {
            json.append(contentsOf: value)
            return
        }
        var isInString = false
        var isEscaped = false
        for byte in value {
            if !isInString, byte <= 0x20 { continue }
            json.append(byte)
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                isInString.toggle()
            }
        }
    }

    /// Reads `{"start":3,"ids":[…]}`; empty if a generation would be below one.
    private static func readPath(_ reader: inout JSONReader) throws -> [Revision] {
        var start: Int64 = 0
        var hashes: [Revision.Hash] = []
        var isSound = true
        try reader.beginObject()
        while let key = try reader.nextKey() {
            if key == "start" {
                start = Int64(exactly: try reader.number()) ?? 0
            } else if key == "ids" {
                try reader.beginArray()
                while try reader.nextElement() {
                    if let hash = Revision.Hash(try reader.text()) { hashes.append(hash) } else { isSound = false }
                }
            } else {
                _ = try reader.skip()
            }
        }
        return isSound ? Revision.path(from: start, hashes) ?? [] : []
    }

    private static func readAttachments(_ reader: inout JSONReader) throws -> [ReplicatedAttachment] {
        guard case .object(let members) = try reader.tree() else { return [] }
        return members.map { member in
            ReplicatedAttachment(
                name: member.key, contentType: member.value["content_type"]?.string ?? "application/octet-stream",
                digest: member.value["digest"]?.string ?? "",
                length: min(max(0, member.value["length"]?.integer ?? 0), lengthLimit),
                revisionPosition: Int32(exactly: member.value["revpos"]?.integer ?? 1) ?? 1)
        }
    }

    /// The largest length of an attachment that is accepted, so that sums of lengths cannot overflow.
    private static let lengthLimit: Int64 = 1 << 40

    /// The form in which a document's text contains the bytes of its attachments.
    package enum AttachmentForm {
        /// Not at all: the receiver has them already, or requests them (`"stub":true`).
        case stubs
        /// In parts of their own after the document (`"follows":true`), in order.
        case following
        /// In the text in base64 (`"data"`), by attachment name.
        case inline([String: [UInt8]])
    }

    /// Appends a document with its `_revisions`.
    package static func append(
        _ document: ReplicatedRevision, to bytes: inout [UInt8], attachments form: AttachmentForm = .stubs
    ) {
        var writer = JSONWriter(appendingTo: bytes)
        bytes = []
        writer.beginObject()
        writer.key("_id")
        writer.value(document.id)
        writer.key("_rev")
        writer.value(document.revision)
        writer.key("_revisions")
        writer.beginObject()
        writer.key("start")
        writer.value(document.revision.generation)
        writer.key("ids")
        writer.beginArray()
        for revision in document.path { writer.value(revision.hash) }
        writer.endArray()
        writer.endObject()
        if document.isDeleted {
            writer.key("_deleted")
            writer.value(true)
        }
        if !document.attachments.isEmpty { write(document.attachments, form, to: &writer) }
        writer.endObject()
        bytes = writer.takeBytes()
        // The members of the body follow the ones written here, before the closing brace.
        guard document.json.count > 2 else { return }
        bytes[bytes.count - 1] = UInt8(ascii: ",")
        bytes.append(contentsOf: document.json.dropFirst())
    }

    private static func write(
        _ attachments: [ReplicatedAttachment], _ form: AttachmentForm, to writer: inout JSONWriter
    ) {
        writer.key("_attachments")
        writer.beginObject()
        for attachment in attachments {
            writer.key(attachment.name)
            writer.beginObject()
            writer.key("content_type")
            writer.value(attachment.contentType)
            writer.key("revpos")
            writer.value(attachment.revisionPosition)
            switch form {
            case .inline(let bytes):
                writer.key("data")
                writer.value(Base64.encode(bytes[attachment.name] ?? []))
            case .stubs, .following:
                var isStub = false
                if case .stubs = form { isStub = true }
                // CouchDB's digest of a text attachment is that of its compressed form. Sent beside uncompressed bytes
                // it would make the receiver refuse them.
                if isStub || attachment.isDigestOfBytes {
                    writer.key("digest")
                    writer.value(attachment.digest)
                }
                writer.key("length")
                writer.value(attachment.length)
                writer.key(isStub ? "stub" : "follows")
                writer.value(true)
            }
            writer.endObject()
        }
        writer.endObject()
    }
}
