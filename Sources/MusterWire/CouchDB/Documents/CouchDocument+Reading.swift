import MusterCoding
import MusterCore

/// Parses a document in CouchDB's JSON.
extension CouchDocument {
    /// The deepest nesting of a document.
    package static let depthLimit = 60
    /// The largest number of attachments of a document.
    package static let attachmentLimit = 1_000

    /// Parses a text that is one document.
    ///
    /// - Parameter isLocal: whether it is a local document, whose `_revisions` is ignored.
    /// - Throws: `JSONError`, `CouchDocumentError`.
    package init(parsing bytes: UnsafeRawBufferPointer, isLocal: Bool = false) throws {
        var reader = JSONReader(bytes, depthLimit: Self.depthLimit)
        try self.init(reading: &reader, isLocal: isLocal)
        try reader.finish()
    }

    /// Reads the next document.
    ///
    /// - Parameter isLocal: whether it is a local document, whose `_revisions` is ignored.
    /// - Throws: `JSONError`, `CouchDocumentError`.
    package init(reading reader: inout JSONReader, isLocal: Bool = false) throws {
        guard try reader.peek() == .object else { throw CouchDocumentError.notAnObject }
        self.init()
        var keys = KeyLedger()
        keys.open()
        try reader.beginObject()
        json.append(UInt8(ascii: "{"))
        while let key = try reader.nextKey() {
            keys.recordKey(key)
            let isSpecial =
                key.bytes.first == UInt8(ascii: "_") || (!key.isPlain && key.string.utf8.first == UInt8(ascii: "_"))
            if isLocal, key == "_revisions" {
                // A CouchDB that stores its checkpoint here sends `{"start": 0, "ids": ["1"]}`.
                try reader.skip()
            } else if isSpecial, !Self.replicationMembers.contains(key.string) {
                try readMember(key.string, &reader)
            } else {
                if json.count > 1 { json.append(UInt8(ascii: ",")) }
                json.append(UInt8(ascii: "\""))
                json.append(contentsOf: key.bytes)
                json.append(UInt8(ascii: "\""))
                json.append(UInt8(ascii: ":"))
                json.append(compacting: try reader.skip())
            }
        }
        json.append(UInt8(ascii: "}"))
        if let twice = keys.close() { throw reader.duplicateKey(twice) }
    }

    /// Reads a member whose name begins with `_`.
    private mutating func readMember(_ key: String, _ reader: inout JSONReader) throws {
        switch key {
        case "_id":
            guard try reader.peek() == .string else {
                throw CouchDocumentError.illegalID("Document id must be a string")
            }
            id = try reader.text().string
        case "_rev":
            guard try reader.peek() == .string else { throw CouchDocumentError.invalidRevision("") }
            revisionText = try reader.text().string
        case "_deleted":
            guard try reader.peek() == .boolean else {
                throw CouchDocumentError.invalidMember("_deleted must be true or false.")
            }
            isDeleted = try reader.boolean()
        case "_revisions": ancestry = try Self.ancestry(&reader)
        case "_attachments": attachments = try CouchAttachment.list(&reader)
        case "_revs_info", "_conflicts", "_deleted_conflicts", "_local_seq":
            // Members that a server writes into its responses, and that clients send back.
            try reader.skip()
        default: throw CouchDocumentError.unknownMember(key)
        }
    }

    /// Parses `{"start": 3, "ids": ["c", "b", "a"]}`.
    private static func ancestry(_ reader: inout JSONReader) throws -> [Revision] {
        let fault = CouchDocumentError.invalidMember("_revisions must have a start and a list of ids.")
        guard try reader.peek() == .object else { throw fault }
        var start: Int64?
        var hashes: [Revision.Hash] = []
        try reader.beginObject()
        while let key = try reader.nextKey() {
            if key == "start", try reader.peek() == .number {
                start = try reader.decimal().integer
            } else if key == "ids", try reader.peek() == .array {
                try reader.beginArray()
                while try reader.nextElement() {
                    guard try reader.peek() == .string else { throw fault }
                    let text = try reader.text().string
                    guard let hash = Revision.Hash(text) else { throw CouchDocumentError.invalidRevision(text) }
                    hashes.append(hash)
                }
            } else {
                try reader.skip()
            }
        }
        guard let start, let path = Revision.path(from: start, hashes) else { throw fault }
        return path
    }
}

extension CouchAttachment {
    /// Parses `_attachments`.
    static func list(_ reader: inout JSONReader) throws -> [CouchAttachment] {
        guard try reader.peek() == .object else {
            throw CouchDocumentError.invalidMember("_attachments must be an object.")
        }
        var list: [CouchAttachment] = []
        var names: Set<String> = []
        try reader.beginObject()
        while let key = try reader.nextKey() {
            let name = key.string
            guard !name.isEmpty, name.utf8.first != UInt8(ascii: "_") else {
                throw CouchDocumentError.invalidBody("Attachment name '\(name)' starts with prohibited character '_'")
            }
            guard names.insert(name).inserted, list.count < CouchDocument.attachmentLimit else {
                throw CouchDocumentError.invalidMember("_attachments has a name twice, or too many.")
            }
            list.append(try CouchAttachment(name: name, reading: &reader))
        }
        return list
    }

    private init(name: String, reading reader: inout JSONReader) throws {
        let fault = CouchDocumentError.invalidMember("Invalid attachment: \(name)")
        guard try reader.peek() == .object else { throw fault }
        self.init(name: name)
        var isStub = false
        try reader.beginObject()
        while let key = try reader.nextKey() {
            switch (key.string, try reader.peek()) {
            case ("stub", .boolean): isStub = try reader.boolean()
            case ("content_type", .string): contentType = try reader.text().string
            case ("data", .string):
                guard let bytes = Base64.decode(try reader.text().bytes) else {
                    throw CouchDocumentError.invalidMember("Attachment \(name) is not base64.")
                }
                content = .inline(bytes)
            case ("follows", .boolean): if try reader.boolean() { content = .following }
            case ("digest", .string): md5 = Self.md5(try reader.text().string)
            case ("revpos", .number): revisionPosition = try reader.decimal().integer.flatMap(Int32.init(exactly:))
            // A compressed attachment has two lengths. `length` here is that of the bytes which the client sends: the
            // encoded one.
            case ("length", .number):
                let told = try reader.decimal().integer
                if length == nil { length = told }
            case ("encoded_length", .number): length = try reader.decimal().integer
            case ("encoding", .string): isPacked = try reader.text() == "gzip"
            default: try reader.skip()
            }
        }
        // As in CouchDB, `"stub": true` overrides the other members.
        if isStub { content = .stub }
        guard Self.isType(contentType), (length ?? 0) >= 0, (revisionPosition ?? 1) >= 0 else { throw fault }
    }

    /// Parses a digest as CouchDB writes it, `md5-` and base64, to its bytes; nil for any other text.
    package static func md5(_ text: String) -> [UInt8]? {
        guard text.hasPrefix("md5-") else { return nil }
        let bytes = Base64.decode(String(text.dropFirst(4)))
        return bytes?.count == 16 ? bytes : nil
    }

    /// Whether an attachment may have this type. Nearly every text is accepted, because browsers send an empty type for
    /// files that they do not know.
    package static func isType(_ text: String) -> Bool { text.utf8.count <= 1_024 }

    /// Returns the type of an attachment where only a media type may be sent: any other text becomes
    /// `application/octet-stream`.
    package static func mediaType(_ text: String) -> String {
        isMediaType(text) ? text : "application/octet-stream"
    }

    /// Whether a header field may contain this text as a media type.
    package static func isMediaType(_ text: String) -> Bool {
        (1...255).contains(text.utf8.count) && text.utf8.allSatisfy { (0x20..<0x7F).contains($0) }
    }
}

extension [UInt8] {
    /// Appends JSON text without the whitespace outside its strings.
    mutating func append(compacting text: UnsafeRawBufferPointer) {
        var start = 0
        var index = 0
        var isInString = false
        while index < text.count {
            let byte = text[index]
            if isInString {
                if byte == UInt8(ascii: "\\") { index += 1 } else if byte == UInt8(ascii: "\"") { isInString = false }
            } else if byte == UInt8(ascii: "\"") {
                isInString = true
            } else if byte <= 0x20 {
                append(contentsOf: text[start..<index])
                start = index + 1
            }
            index += 1
        }
        append(contentsOf: text[Swift.min(start, text.count)...])
    }
}
