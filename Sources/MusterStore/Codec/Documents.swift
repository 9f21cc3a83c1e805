import MusterCore
import MusterDocuments

/// The stored bytes of changes of documents.
extension ByteWriter {
    mutating func put(_ touch: DocumentTouch) {
        put(signed: Int64(touch.database.rawValue))
        put(text: touch.id)
        put(byte: touch.isDeleted ? 1 : 0)
        put(touch.winner)
    }
}

extension ByteReader {
    mutating func documentTouch() throws(CodecError) -> DocumentTouch {
        guard let database = Int32(exactly: try signed()) else { throw .malformed(offset: offset) }
        let id = try text()
        let isDeleted = try byte() == 1
        return DocumentTouch(
            database: DatabaseNumber(database), id: id, winner: try revision(), isDeleted: isDeleted)
    }
}
