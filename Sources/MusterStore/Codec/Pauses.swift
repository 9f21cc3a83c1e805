import MusterCore
import MusterDocuments

/// The stored bytes of pauses.
extension ByteWriter {
    mutating func put(_ pause: Pause) {
        put(instant: pause.since)
        put(instant: pause.until)
        put(optional: pause.note)
        put(byte: pause.turn.rawValue)
    }
}

extension ByteReader {
    mutating func pause() throws(CodecError) -> Pause {
        let (since, until) = (try instant(), try instant())
        var pause = Pause(since: since, until: until, note: try isPresent() ? try text() : nil)
        guard let turn = Pause.Turn(rawValue: try byte()) else { throw .malformed(offset: offset) }
        pause.turn = turn
        return pause
    }
}
