import MusterServer

/// How much of everything CouchDB's clients may send and ask for at a time.
enum CouchLimits {
    /// A document, its files aside.
    static let documentBytes = 8 << 20
    /// A body of many documents.
    static let bulkBytes = 64 << 20
    /// A file.
    static let attachmentBytes = 64 << 20
    /// A multipart body.
    static let multipartBytes = 64 << 20
    /// Documents in one request.
    static let documents = 10_000
    /// Revisions in one `_revs_diff`, keys in one `_all_docs`.
    static let names = 200_000
    /// Queries in one request.
    static let queries = 100
    /// Databases that one may name to have them described, as in CouchDB.
    static let named = 100
    /// Databases that are described in one answer.
    static let described = 1_000
    /// Files of one document that are told with their bytes in JSON.
    static let inlineBytes = 96 << 20
    /// `_security`, and other small settings.
    static let settingBytes = 64 << 10
    /// Documents read at once while a long answer is sent.
    static let pageDocuments = 1_000
    /// Bytes that such a page is to have.
    static let pageBytes = 1 << 20
    /// Bytes of a file that are read or stored at once.
    static let pieceBytes = 256 << 10
    /// UUIDs in one answer.
    static let uuids = 1_000
}
