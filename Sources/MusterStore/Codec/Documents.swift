import MusterCore

extension ByteWriter {
    mutating func put(_ touch: DocumentTouch) {
        put(signed: Int64(touch.database.rawValue))
        put(text: touch.id)
        put(byte: touch.isDeleted ? 1 : 0)
        put(number: touch.winner.generation)
        switch touch.winner.hash {
        case .digest(let high, let low):
            put(byte: 0)
            put(fixed: high)
            put(fixed: low)
        case .text(let text):
            put(byte: 1)
            put(text: text)
        }
    }
}

extension ByteReader {
    mutating func documentTouch() throws(CodecFault) -> DocumentTouch {
        guard let database = Int32(exactly: try signed()) else { throw .malformed(offset: offset) }
        let id = try text()
        let isDeleted = try byte() == 1
        let generation = try number()
        let hash: Revision.Hash
        switch try byte() {
        case 0:
            let high = try fixed()
            hash = .digest(high, try fixed())
        case 1: hash = .text(try text())
        default: throw .malformed(offset: offset)
        }
        return DocumentTouch(
            database: DatabaseNumber(database), id: id, winner: Revision(generation: generation, hash: hash),
            isDeleted: isDeleted)
    }
}
