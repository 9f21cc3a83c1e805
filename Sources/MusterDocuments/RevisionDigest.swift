package import MusterCore

/// What CouchDB would call a revision: the MD5 digest of an Erlang term, so that two sides that make the same edit make
/// the same revision and not a conflict.
package enum RevisionDigest {
    /// The revision that an edit on a leaf, or on none, makes.
    package static func revision(of edit: DocumentEdit, on parent: Revision?) -> Revision {
        preconditionFailure("helper documents writes this")
    }
}
