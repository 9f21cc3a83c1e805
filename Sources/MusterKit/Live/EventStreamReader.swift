import MusterReplication

/// Reads a stream of events (`text/event-stream`, HTML Standard section 9.2) from the pieces in which it arrives.
package struct EventStreamReader: Sendable {
    /// One event.
    package struct Event: Hashable, Sendable {
        /// Its type; empty where the stream names none.
        package var name: String
        /// Its data.
        package var data: String
    }

    private var line: [UInt8] = []
    private var name = ""
    private var data: [String] = []
    private var dataBytes = 0

    /// The largest event that is read.
    static let limitBytes = 1 << 20

    /// Reads the next piece of the stream.
    ///
    /// - Returns: the events that end in it.
    /// - Throws: `ReplicationError.tooLarge` for an event above the limit.
    mutating func read(_ piece: [UInt8]) throws -> [Event] {
        var events: [Event] = []
        for byte in piece {
            guard byte == UInt8(ascii: "\n") else {
                line.append(byte)
                guard line.count + dataBytes <= Self.limitBytes else {
                    throw ReplicationError.tooLarge(limitBytes: Self.limitBytes)
                }
                continue
            }
            if line.last == UInt8(ascii: "\r") { line.removeLast() }
            if let event = takeLine(String(decoding: line, as: UTF8.self)) { events.append(event) }
            line.removeAll(keepingCapacity: true)
        }
        return events
    }

    /// - Returns: the event that an empty line ends; nil for any other line.
    private mutating func takeLine(_ line: String) -> Event? {
        guard !line.isEmpty else {
            defer { (name, data, dataBytes) = ("", [], 0) }
            return data.isEmpty ? nil : Event(name: name, data: data.joined(separator: "\n"))
        }
        // A line that begins with a colon is a comment.
        guard let end = line.firstIndex(of: ":"), end > line.startIndex else { return nil }
        let value = line[line.index(after: end)...]
        let text = String(value.first == " " ? value.dropFirst() : value)
        switch line[..<end] {
        case "event": name = text
        case "data":
            data.append(text)
            dataBytes += text.utf8.count
        default: break
        }
        return nil
    }
}
