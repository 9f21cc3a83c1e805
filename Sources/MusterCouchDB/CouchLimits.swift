/// The limits on requests and responses of CouchDB's protocol.
enum CouchLimits {
    /// Bytes of a document without its attachments.
    static let documentBytes = 8 << 20
    /// Bytes of a body with many documents.
    static let bulkBytes = 64 << 20
    /// Bytes of an attachment, after decompression.
    static let attachmentBytes = 64 << 20
    /// Bytes of a multipart body.
    static let multipartBytes = 64 << 20
    /// Documents in a request.
    static let documents = 10_000
    /// Revisions in a `_revs_diff`, or keys in an `_all_docs`.
    static let names = 200_000
    /// Queries in a request.
    static let queries = 100
    /// Names in a `_dbs_info`, as in CouchDB.
    static let named = 100
    /// Databases in the response of a `_dbs_info`.
    static let described = 1_000
    /// Bytes of the attachments of one document that a JSON response contains.
    static let inlineBytes = 96 << 20
    /// Bytes of `_security` and other small settings.
    static let settingBytes = 64 << 10
    /// Documents that the server reads at once while it sends a long response.
    static let pageDocuments = 1_000
    /// The size in bytes that such a page should have.
    static let pageBytes = 1 << 20
    /// Bytes of an attachment that the server reads or stores at once.
    static let pieceBytes = 256 << 10
    /// UUIDs in a response.
    static let uuids = 1_000
}
