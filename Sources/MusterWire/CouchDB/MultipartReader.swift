/// Takes a multipart body (RFC 2046) apart as it comes, piece by piece, and keeps no more of it than the head of a part
/// and the last bytes that may be the beginning of a boundary.
package struct MultipartReader {
    /// What was found.
    package enum Event: Hashable, Sendable {
        /// A part begins. Names of header fields are lower-case.
        case part(headers: [String: String])
        /// Bytes of the part.
        case bytes([UInt8])
        /// The part ends.
        case endOfPart
        /// The last part has ended.
        case end
    }

    /// What is wrong with a multipart body.
    package enum Fault: Error, Hashable, Sendable {
        /// The head of a part is longer than `headLimitBytes`, or is none.
        case invalidHead
        /// There is something where only a boundary may be.
        case invalidBoundary
    }

    /// How long the head of a part is at most.
    package static let headLimitBytes = 16 << 10
    /// How long a boundary is at most (RFC 2046, 5.1.1).
    package static let boundaryLimitBytes = 70

    private enum State { case preamble, afterBoundary, head, body, epilogue }

    /// CR LF and two dashes before the boundary.
    private let delimiter: [UInt8]
    private var state = State.preamble
    /// What came and was not used; a line break stands before it, so that a boundary at the very beginning is found.
    private var held: [UInt8] = [0x0D, 0x0A]

    /// Whether the first two bytes held are the line break before the body.
    private var isAtStartOfBody = false

    /// A reader for bodies with this boundary.
    package init(boundary: String) { delimiter = Array("\r\n--\(boundary)".utf8) }

    /// Whether the last part has ended.
    package var isAtEnd: Bool { state == .epilogue }

    /// Takes the next bytes.
    ///
    /// - Throws: `Fault`.
    package mutating func take(_ bytes: some Collection<UInt8>) throws(Fault) -> [Event] {
        guard state != .epilogue else { return [] }
        held.append(contentsOf: bytes)
        var events: [Event] = []
        while try step(&events) {}
        return events
    }

    /// Does what can be done with what is held.
    ///
    /// - Returns: whether there may be more to do.
    private mutating func step(_ events: inout [Event]) throws(Fault) -> Bool {
        switch state {
        case .preamble:
            guard let start = held.firstPlace(of: delimiter) else {
                held.removeFirst(max(0, held.count - delimiter.count))
                return false
            }
            held.removeSubrange(..<start.upperBound)
            state = .afterBoundary
            return true
        case .afterBoundary: return try stepBehindBoundary(&events)
        case .head:
            // A line break was kept before the head, so that a part without fields looks like any other.
            guard let end = held.firstPlace(of: [0x0D, 0x0A, 0x0D, 0x0A]) else {
                guard held.count <= Self.headLimitBytes else { throw .invalidHead }
                return false
            }
            events.append(.part(headers: try Self.headers(held[..<end.lowerBound])))
            held.removeSubrange(..<end.upperBound)
            // The line break that ends the head may begin the boundary of a part without bytes.
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

    private mutating func stepBehindBoundary(_ events: inout [Event]) throws(Fault) -> Bool {
        guard held.count >= 2 else { return false }
        if held[0] == 0x2D, held[1] == 0x2D {
            events.append(.end)
            state = .epilogue
            return true
        }
        // Blanks may stand between the boundary and its line break.
        guard let line = held.firstPlace(of: [0x0D, 0x0A]) else {
            guard held.count < Self.headLimitBytes else { throw .invalidBoundary }
            return false
        }
        guard held[..<line.lowerBound].allSatisfy({ $0 == 0x20 || $0 == 0x09 }) else { throw .invalidBoundary }
        held.removeSubrange(..<line.lowerBound)
        state = .head
        return true
    }

    private mutating func stepInBody(_ events: inout [Event]) -> Bool {
        let found = held.firstPlace(of: delimiter)
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

    private static func headers(_ bytes: ArraySlice<UInt8>) throws(Fault) -> [String: String] {
        guard bytes.count <= headLimitBytes, let text = String(validating: bytes, as: UTF8.self) else {
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
    /// Where bytes stand first; nil where they do not.
    fileprivate func firstPlace(of bytes: [UInt8]) -> Range<Int>? {
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
    /// A parameter of a header field: `boundary` of `multipart/related; boundary="x"`. nil where it is not there.
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

    /// The boundary of a multipart body, by its `Content-Type`; nil where there is none that may be one.
    package static func boundary(of contentType: String) -> String? {
        guard contentType.lowercased().hasPrefix("multipart/"), let boundary = parameter("boundary", of: contentType),
            (1...boundaryLimitBytes).contains(boundary.utf8.count)
        else { return nil }
        return boundary
    }
}
