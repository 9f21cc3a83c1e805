/// A block of IP addresses in CIDR form: IPv4 (RFC 4632) or IPv6 (RFC 4291). Host bits that are set do not matter.
struct AddressBlock: Hashable, Sendable {
    private let first: Address
    private let hostBits: Int

    /// Reads a block such as `10.0.0.0/24`; nil for any other text.
    init?(_ text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.count == 2, let address = Address(parts[0]), let length = Address.number(parts[1], atMost: 128),
            length <= address.width
        else { return nil }
        hostBits = address.width - length
        first = Address(bits: address.bits.shifted(right: hostBits), width: address.width)
    }

    /// Whether a text is an address in this block. An IPv4 address is never in an IPv6 block.
    func contains(_ text: String) -> Bool {
        guard let address = Address(text.utf8[...]), address.width == first.width else { return false }
        return address.bits.shifted(right: hostBits) == first.bits
    }
}

/// An IP address.
private struct Address: Hashable, Sendable {
    let bits: AddressBits
    /// 32 or 128.
    let width: Int

    init(bits: AddressBits, width: Int) {
        self.bits = bits
        self.width = width
    }

    init?(_ text: Substring.UTF8View) {
        if let version4 = Self.version4(text) {
            self.init(bits: AddressBits(low: UInt64(version4)), width: 32)
        } else if let version6 = Self.version6(text) {
            self.init(bits: version6, width: 128)
        } else {
            return nil
        }
    }

    /// Reads a decimal number of up to three digits without a sign or a leading zero; nil for one above `limit`.
    static func number(_ digits: Substring.UTF8View, atMost limit: Int) -> Int? {
        guard (1...3).contains(digits.count), digits.count == 1 || digits.first != UInt8(ascii: "0") else { return nil }
        var value = 0
        for digit in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            value = value * 10 + Int(digit - UInt8(ascii: "0"))
        }
        return value <= limit ? value : nil
    }

    private static func version4(_ text: Substring.UTF8View) -> UInt32? {
        guard text.count <= 15 else { return nil }
        let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        var bits: UInt32 = 0
        for part in parts {
            guard let value = number(part, atMost: 255) else { return nil }
            bits = bits << 8 | UInt32(value)
        }
        return bits
    }

    /// Reads eight groups of hexadecimal digits. One run of zero groups may be left out as `::`, and the last two
    /// groups may be written as IPv4.
    private static func version6(_ text: Substring.UTF8View) -> AddressBits? {
        guard (2...45).contains(text.count) else { return nil }
        let colon = UInt8(ascii: ":")
        var gap: Substring.UTF8View.Index?
        for index in text.indices where text[index] == colon {
            let next = text.index(after: index)
            guard next < text.endIndex, text[next] == colon else { continue }
            guard gap == nil else { return nil }
            gap = index
        }
        guard let gap else { return groups(text).flatMap { $0.count == 8 ? bits($0) : nil } }
        let rest = text[text.index(gap, offsetBy: 2)...]
        guard let head = groups(text[..<gap]), let tail = groups(rest), head.count + tail.count < 8 else { return nil }
        return bits(head + Array(repeating: 0, count: 8 - head.count - tail.count) + tail)
    }

    private static func groups(_ text: Substring.UTF8View) -> [UInt16]? {
        guard !text.isEmpty else { return [] }
        let parts = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        var groups: [UInt16] = []
        for (index, part) in parts.enumerated() {
            if index == parts.count - 1, let version4 = version4(part) {
                groups += [UInt16(version4 >> 16), UInt16(version4 & 0xFFFF)]
            } else {
                guard (1...4).contains(part.count), part.first != UInt8(ascii: "+"), part.first != UInt8(ascii: "-"),
                    let group = UInt16(String(Substring(part)), radix: 16)
                else { return nil }
                groups.append(group)
            }
        }
        return groups
    }

    private static func bits(_ groups: [UInt16]) -> AddressBits {
        groups.reduce(into: AddressBits()) { $0.append($1) }
    }
}

/// A number of 128 bits: Apple's systems have `UInt128` from iOS 18 on.
private struct AddressBits: Hashable, Sendable {
    var high: UInt64 = 0
    var low: UInt64 = 0

    /// The bits without those at the end; zero for 128 of them.
    func shifted(right count: Int) -> AddressBits {
        // A shift by 64 or more gives 0, and one by a negative number shifts the other way.
        AddressBits(high: high >> count, low: low >> count | high << (64 - count))
    }

    /// Adds 16 bits at the end.
    mutating func append(_ group: UInt16) {
        high = high << 16 | low >> 48
        low = low << 16 | UInt64(group)
    }
}
