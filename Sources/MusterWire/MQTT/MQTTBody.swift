import MusterCoding

/// Reads the fields of a packet's body, in order (MQTT 5.0, section 1.5).
struct MQTTBodyReader {
    private var bytes: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

    var isAtEnd: Bool { bytes.isEmpty }

    mutating func byte() throws(MQTTError) -> UInt8 {
        guard let byte = bytes.popFirst() else { throw Self.tooShort }
        return byte
    }

    mutating func short() throws(MQTTError) -> UInt16 { UInt16(try byte()) << 8 | UInt16(try byte()) }

    mutating func long() throws(MQTTError) -> UInt32 { UInt32(try short()) << 16 | UInt32(try short()) }

    /// Reads a number of one to four bytes with seven bits in each. Longer forms of the same number are faults.
    mutating func variableNumber() throws(MQTTError) -> UInt32 {
        var number: UInt32 = 0
        for index in 0..<4 {
            let next = try byte()
            number |= UInt32(next & 0x7F) << (7 * index)
            guard next & 0x80 == 0 else { continue }
            guard next != 0 || index == 0 else { throw .malformed("a number is longer than it must be") }
            return number
        }
        throw .malformed("a number has more than four bytes")
    }

    mutating func data() throws(MQTTError) -> ArraySlice<UInt8> { try takeBytes(Int(try short())) }

    /// Reads text in UTF-8. The character U+0000 is a fault.
    mutating func text() throws(MQTTError) -> String {
        let data = try data()
        guard let text = String(utf8: data) else { throw .malformed("a text is not UTF-8") }
        guard !data.contains(0) else { throw .malformed("a text contains U+0000") }
        return text
    }

    /// Reads a packet identifier. The value 0 is a fault.
    mutating func packetID() throws(MQTTError) -> UInt16 {
        let number = try short()
        guard number != 0 else { throw .violation("the packet identifier is 0") }
        return number
    }

    /// Returns a reader of the next `length` bytes.
    mutating func part(_ length: Int) throws(MQTTError) -> MQTTBodyReader { MQTTBodyReader(try takeBytes(length)) }

    /// Reads all remaining bytes.
    mutating func rest() -> [UInt8] {
        defer { bytes = [] }
        return Array(bytes)
    }

    func requireEnd() throws(MQTTError) {
        guard bytes.isEmpty else { throw .malformed("\(bytes.count) bytes follow the end of the packet") }
    }

    private mutating func takeBytes(_ length: Int) throws(MQTTError) -> ArraySlice<UInt8> {
        guard length <= bytes.count else { throw Self.tooShort }
        defer { bytes = bytes.dropFirst(length) }
        return bytes.prefix(length)
    }

    private static let tooShort = MQTTError.malformed("the packet ends within a field")
}

extension [UInt8] {
    mutating func appendShort(_ number: UInt16) {
        append(UInt8(number >> 8))
        append(UInt8(truncatingIfNeeded: number))
    }

    mutating func appendLong(_ number: UInt32) {
        appendShort(UInt16(number >> 16))
        appendShort(UInt16(truncatingIfNeeded: number))
    }

    mutating func appendVariableNumber(_ number: UInt32) {
        var left = number
        repeat {
            let byte = UInt8(left & 0x7F)
            left >>= 7
            append(left > 0 ? byte | 0x80 : byte)
        } while left > 0
    }

    /// Appends a length of two bytes, then the bytes. Bytes beyond 65,535 are dropped.
    mutating func appendData(_ data: some Collection<UInt8>) {
        let kept = data.prefix(Int(UInt16.max))
        appendShort(UInt16(kept.count))
        append(contentsOf: kept)
    }

    mutating func appendText(_ text: String) { appendData(text.utf8) }
}
