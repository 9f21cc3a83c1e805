/// The text of a GraphQL document, which finds the line and column of an offset.
package struct GraphQLSource: Sendable {
    /// The text as UTF-8.
    package let bytes: [UInt8]

    package init(_ text: String) { bytes = Array(text.utf8) }
}

/// Finds lines and columns in one source.
///
/// - Complexity: O(bytes) once, then O(log lines) for each location.
struct GraphQLPlaces {
    private let bytes: [UInt8]
    /// The offsets at which lines begin.
    private var lineStarts: [Int] = [0]
    /// How many continuation bytes of UTF-8 stand before each multiple of `stride`; empty for a text of ASCII.
    private var continuations: [Int] = []
    private static let stride = 64

    init(_ source: GraphQLSource) {
        bytes = source.bytes
        var index = 0
        var isASCII = true
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            if byte >= 0x80 { isASCII = false }
            guard byte == 0x0A || byte == 0x0D else { continue }
            if byte == 0x0D, index < bytes.count, bytes[index] == 0x0A { index += 1 }
            lineStarts.append(index)
        }
        if !isASCII { countContinuations() }
    }

    private mutating func countContinuations() {
        var count = 0
        for (index, byte) in bytes.enumerated() {
            if index % Self.stride == 0 { continuations.append(count) }
            if byte & 0xC0 == 0x80 { count += 1 }
        }
        continuations.append(count)
    }

    /// Returns the line and column of an offset in bytes; of the end for an offset beyond it.
    func location(of offset: UInt32) -> GraphQLLocation {
        let offset = min(Int(offset), bytes.count)
        var (low, high) = (0, lineStarts.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if lineStarts[middle] <= offset { low = middle } else { high = middle }
        }
        let scalars = offset - continuationsBefore(offset)
        let first = lineStarts[low] - continuationsBefore(lineStarts[low])
        return GraphQLLocation(line: low + 1, column: scalars - first + 1)
    }

    private func continuationsBefore(_ offset: Int) -> Int {
        if continuations.isEmpty { return 0 }
        let block = offset / Self.stride
        guard block < continuations.count else { return continuations.last ?? 0 }
        return bytes[(block * Self.stride)..<offset].reduce(continuations[block]) { count, byte in
            byte & 0xC0 == 0x80 ? count + 1 : count
        }
    }
}
