import Crypto
package import MusterCore
import MusterWire

/// Computes CouchDB's revision hash: the MD5 digest of an Erlang term. Two peers that make the same edit make the same
/// revision, and so no conflict.
///
/// The term is `[Deleted, OldStart, OldRev, Body, [{Name, Type, MD5}]]`, as in `couch_db:new_revid`. A parent's hash of
/// 32 hexadecimal digits enters it as 16 bytes, any other hash as its text; attachments enter it in reverse order.
/// CouchDB compresses text attachments and digests the compressed bytes, so the revisions of documents with such
/// attachments differ from CouchDB's.
package enum RevisionDigest {
    /// Returns the revision that an edit makes on a leaf; on nil, the first revision of a document.
    package static func revision(of edit: DocumentEdit, on parent: Revision?) -> Revision {
        var term = ErlangTerm(capacity: edit.body.json.count * 2 + 64)
        term.beginList(5)
        term.put(atom: edit.isDeleted ? "true" : "false")
        term.put(integer: Int64(parent?.generation ?? 0))
        switch parent?.hash {
        case nil: term.put(integer: 0)
        case .digest(let high, let low)?: term.put(high, low)
        case .text(let text)?: term.put(binary: text.utf8)
        }
        // Text that is not JSON is digested as it is. The revision is valid, but not the one that CouchDB makes.
        if !edit.body.json.withUnsafeBytes({ term.put(json: $0) }) { term.put(binary: edit.body.json) }
        if !edit.body.attachments.isEmpty { term.beginList(edit.body.attachments.count) }
        for attachment in edit.body.attachments.reversed() {
            term.beginTuple(3)
            term.put(binary: attachment.name.utf8)
            term.put(binary: attachment.contentType.utf8)
            term.put(binary: attachment.md5)
        }
        term.endList()
        term.endList()
        let hash = Insecure.MD5.hash(data: term.bytes).withUnsafeBytes { digest in
            Revision.Hash.digest(
                UInt64(bigEndian: digest.loadUnaligned(as: UInt64.self)),
                UInt64(bigEndian: digest.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
        }
        return Revision(generation: (parent?.generation ?? 0) + 1, hash: hash)
    }
}

extension ErlangTerm {
    /// Appends the 16 bytes of a digest.
    fileprivate mutating func put(_ high: UInt64, _ low: UInt64) {
        withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { put(binary: $0) }
    }
}
