import MusterCoding

/// Parses a multipart body (RFC 2046) incrementally. It buffers no more than the head of a part, and the last bytes of
/// a piece, which may be the beginning of a boundary.
package struct MultipartReader {
    /// A piece that the reader found.
    package enum Event: Hashable, Sendable {
        /// A part begins. Names of header fields are lower-case.
        case part(headers: [String: String])
        /// Bytes of the part.
        case bytes([UInt8])
        case endOfPart
        /// The last part has ended.
        case end
    }

    /// The errors of a multipart body.
    package enum ParsingError: Error, Hashable, Sendable {
        /// The head of a part is longer than `headLimitBytes`, or malformed.
        case invalidHead
        /// A boundary line contains other text.
        case invalidBoundary
    }

    /// The longest head of a part.
    package static let headLimitBytes = 16 << 10
    /// The longest boundary (RFC 2046, 5.1.1).
    package static let boundaryLimitBytes = 70

    private enum State { case preamble, afterBoundary, head, body, epilogue }

    /// A line break, two dashes and the boundary.
    private let delimiter: [UInt8]
    private var state = State.preamble
    /// The bytes that are not parsed yet. A line break precedes them at the beginning, so that the reader also finds a
    /// boundary in the first bytes.
    private var held: [UInt8] = [0x0D, 0x0A]

    /// Whether `held` begins with the line break that precedes the body of a part.
    private var isAtStartOfBody = false

    /// Makes a reader of bodies with this boundary.
    package init(boundary: String) { delimiter = Array("\r\n--\(boundary)".utf8) }

    /// Whether the closing boundary was read.
    package var isAtEnd: Bool { state == .epilogue }

    /// Parses the next bytes, and returns what they complete. Bytes after the closing boundary are ignored.
    package mutating func parse(_ bytes: some Collection<UInt8>) throws(ParsingError) -> [Event] {
        guard state != .epilogue else { return [] }
        held.append(contentsOf: bytes)
        var events: [Event] = []
        while try step(&events) {}
        return events
    }

    /// Parses one element of the bytes that are held.
    ///
    /// - Returns: whether another step may find more in them.
    private mutating func step(_ events: inout [Event]) throws(ParsingError) -> Bool {
        switch state {
        case .preamble:
            guard let start = held.firstOccurrence(of: delimiter) else {
                held.removeFirst(max(0, held.count - delimiter.count))
                return false
            }
            held.removeSubrange(..<start.upperBound)
            state = .afterBoundary
            return true
        case .afterBoundary: return try stepBehindBoundary(&events)
        case .head:
            // The line break of the boundary stays before the head, so that a part without header fields is parsed like
            // any other.
            guard let end = held.firstOccurrence(of: [0x0D, 0x0A, 0x0D, 0x0A]) else {
                guard held.count <= Self.headLimitBytes else { throw .invalidHead }
                return false
            }
            events.append(.part(headers: try Self.headers(held[..<end.lowerBound])))
            held.removeSubrange(..<end.upperBound)
            // The line break that ends the head may also begin the boundary of a part without bytes.
            held.insert(contentsOf: [0x0D, 0x0A], at: 0)
            state = .body
            isAtStartOfBody = true
            return true
        case .body: return stepInBody(&events)
        case .epilogue:
            held.removeAll()
            return false
        }
    }

    private mutating func stepBehindBoundary(_ events: inout [Event]) throws(ParsingError) -> Bool {
        guard held.count >= 2 else { return false }
        if held[0] == 0x2D, held[1] == 0x2D {
            events.append(.end)
            state = .epilogue
            return true
        }
        // RFC 2046 allows blanks between the boundary and its line break.
        guard let line = held.firstOccurrence(of: [0x0D, 0x0A]) else {
            guard held.count < Self.headLimitBytes else { throw .invalidBoundary }
            return false
        }
        guard held[..<line.lowerBound].allSatisfy({ $0 == 0x20 || $0 == 0x09 }) else { throw .invalidBoundary }
        held.removeSubrange(..<line.lowerBound)
        state = .head
        return true
    }

    private mutating func stepInBody(_ events: inout [Event]) -> Bool {
        let found = held.firstOccurrence(of: delimiter)
        let end = found?.lowerBound ?? max(0, held.count - delimiter.count)
        let start = isAtStartOfBody ? 2 : 0
        if end > start {
            events.append(.bytes(Array(held[start..<end])))
            held.removeSubrange(..<end)
            isAtStartOfBody = false
        } else if found != nil {
            held.removeSubrange(..<end)
        }
        guard found != nil else { return false }
        held.removeSubrange(..<delimiter.count)
        events.append(.endOfPart)
        isAtStartOfBody = false
        state = .afterBoundary
        return true
    }

    private static func headers(_ bytes: ArraySlice<UInt8>) throws(ParsingError) -> [String: String] {
        guard bytes.count <= headLimitBytes, let text = String(utf8: bytes) else {
            throw .invalidHead
        }
        var headers: [String: String] = [:]
        for line in text.split(separator: "\r\n") {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2 else { throw .invalidHead }
            headers[parts[0].lowercased()] = String(parts[1].drop { $0 == " " || $0 == "\t" })
        }
        return headers
    }
}

extension [UInt8] {
    /// The range of the first occurrence of some bytes; nil if there is none.
    fileprivate func firstOccurrence(of bytes: [UInt8]) -> Range<Int>? {
        guard count >= bytes.count, let first = bytes.first else { return nil }
        return withUnsafeBufferPointer { all in
            for start in 0...(all.count - bytes.count) where all[start] == first {
                var length = 1
                while length < bytes.count, all[start + length] == bytes[length] { length += 1 }
                if length == bytes.count { return start..<start + length }
            }
            return nil
        }
    }
}

extension MultipartReader {
    /// Returns a parameter of a header field, such as `boundary` of `multipart/related; boundary="x"`; nil if the field
    /// lacks it.
    package static func parameter(_ name: String, of field: String) -> String? {
        for part in field.split(separator: ";").dropFirst() {
            let pair = part.split(separator: "=", maxSplits: 1)
            guard pair.count == 2, pair[0].filter({ $0 != " " }).lowercased() == name else { continue }
            var value = pair[1].drop { $0 == " " }
            while value.last == " " { value.removeLast() }
            if value.first == "\"", value.last == "\"", value.count >= 2 { value = value.dropFirst().dropLast() }
            return String(value)
        }
        return nil
    }

    /// Returns the boundary in a multipart body's `Content-Type`; nil if the field names none, or one longer than
    /// `boundaryLimitBytes`.
    package static func boundary(of contentType: String) -> String? {
        guard contentType.lowercased().hasPrefix("multipart/"), let boundary = parameter("boundary", of: contentType),
            (1...boundaryLimitBytes).contains(boundary.utf8.count)
        else { return nil }
        return boundary
    }
}
