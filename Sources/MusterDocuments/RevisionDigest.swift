import Crypto
package import MusterCore
import MusterWire

/// What CouchDB would call a revision: the MD5 digest of an Erlang term, so that two sides that make the same edit make
/// the same revision and not a conflict.
///
/// The term is `[Deleted, OldStart, OldRev, Body, [{Name, Type, MD5}]]`, after `couch_db:new_revid`. A parent's hash of
/// 32 hexadecimal digits goes in as their 16 bytes, any other as its text; attachments go in from the last to the
/// first. CouchDB compresses attachments that are text and digests what it compressed: of a document with such ones,
/// its revision is another than ours.
package enum RevisionDigest {
    /// The revision that an edit on a leaf, or on none, makes.
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
        // Text that is none of JSON's is digested as it is: a revision all the same, if not CouchDB's.
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
    /// A digest's 16 bytes.
    fileprivate mutating func put(_ high: UInt64, _ low: UInt64) {
        withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { put(binary: $0) }
    }
}
