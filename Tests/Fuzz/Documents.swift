import MusterWire

/// What clients and replicating peers send about documents: whatever is read is a document that JSON readers take, and
/// says nothing under names that the server has for itself.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
    let bytes = UnsafeRawBufferPointer(start: data, count: size)
    let limit = 100
    for isLocal in [false, true] {
        if let document = try? CouchDocument(parsing: bytes, isLocal: isLocal) { check(document) }
    }
    if let bulk = try? CouchBulk(parsing: bytes, limit: limit) {
        precondition(bulk.documents.count <= limit)
        for case .success(let document) in bulk.documents { check(document) }
    }
    if let wanted = try? CouchWanted.list(parsing: bytes, limit: limit) { precondition(wanted.count <= limit) }
    if let asked = try? CouchRevisions.list(parsing: bytes, limit: limit) {
        precondition(asked.reduce(0) { $0 + $1.revisions.count } <= limit)
    }
    var reader = JSONReader(bytes)
    _ = try? CouchDocumentName(passingOver: &reader)
    return 0
}

private func check(_ document: CouchDocument) {
    guard let members = try? JSONValue(parsing: document.json).members else { fatalError("no object") }
    for member in members where member.key.utf8.first == UInt8(ascii: "_") {
        precondition(CouchDocument.replicationMembers.contains(member.key))
    }
    _ = try? document.revision()
    if let id = document.id { _ = try? DocumentID.check(id) }
    for file in document.attachments { _ = CouchAttachment.isMediaType(file.contentType) }
}
