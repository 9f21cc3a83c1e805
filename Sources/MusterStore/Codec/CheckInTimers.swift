import MusterCore
import MusterDocuments

/// The stored bytes of check-in timers.
extension ByteWriter {
    mutating func put(_ timer: CheckInTimer) {
        put(exact: timer.intervalSeconds)
        put(exact: timer.leaderAfterSeconds)
        put(exact: timer.sosAfterSeconds)
        put(byte: timer.opensIncident ? 1 : 0)
        put(optional: timer.note)
        put(number: timer.setBy.rawValue)
        put(instant: timer.lastWord)
        put(byte: timer.turn.rawValue)
        put(instant: timer.turnAt)
        put(optional: timer.turnBy)
        put(number: timer.noticeCount)
        put(instant: timer.toldAt)
    }
}

extension ByteReader {
    mutating func checkInTimer() throws(CodecError) -> CheckInTimer {
        let (interval, leaderAfter, sosAfter) = (try exactDouble(), try exactDouble(), try exactDouble())
        let opensIncident = try isPresent()
        let note: String? = try isPresent() ? try text() : nil
        let setBy = UserNumber(try number())
        let lastWord = try instant()
        var timer = CheckInTimer(
            intervalSeconds: interval, leaderAfterSeconds: leaderAfter, sosAfterSeconds: sosAfter,
            opensIncident: opensIncident, note: note, setBy: setBy, lastWord: lastWord, now: lastWord)
        guard let turn = CheckInTimer.Turn(rawValue: try byte()) else { throw .malformed(offset: offset) }
        timer.turn = turn
        timer.turnAt = try instant()
        timer.turnBy = try isPresent() ? UserNumber(try number()) : nil
        timer.noticeCount = try number()
        timer.toldAt = try instant()
        return timer
    }
}
