import MusterCoding

/// A domain name: labels of 1 to 63 bytes, at most 255 bytes with their lengths (RFC 1035, section 3.1).
///
/// Two names are equal when they differ in nothing but the case of ASCII letters (RFC 6762, section 16). A label holds
/// any bytes, in DNS-SD UTF-8.
package struct DNSName: Sendable {
    /// The most bytes of a name, with the lengths of its labels and the zero at its end.
    package static let limitBytes = 255
    /// The most bytes of a label.
    package static let limitLabelBytes = 63

    /// Each label with its length before it, and a zero at the end.
    let wire: [UInt8]
    /// The same in lower case, which equality compares.
    private let folded: [UInt8]

    /// The name of no labels.
    package static let root = DNSName(wire: [0])
    /// The domain of names that multicast DNS answers for (RFC 6762, section 3).
    package static let local = DNSName(wire: [5] + Array("local".utf8) + [0])

    /// - Parameter wire: a name that was checked already.
    init(wire: [UInt8]) {
        self.wire = wire
        // A length byte is at most 63, so it is never taken for a letter.
        let isFolded = !wire.contains { $0 >= UInt8(ascii: "A") && $0 <= UInt8(ascii: "Z") }
        folded = isFolded ? wire : wire.map { $0 >= UInt8(ascii: "A") && $0 <= UInt8(ascii: "Z") ? $0 | 0x20 : $0 }
    }

    /// Creates a name of labels; nil when a label is empty or too long, or the name is.
    package init?(labels: [[UInt8]]) {
        var wire: [UInt8] = []
        for label in labels {
            guard (1...Self.limitLabelBytes).contains(label.count) else { return nil }
            wire.append(UInt8(label.count))
            wire += label
        }
        guard wire.count < Self.limitBytes else { return nil }
        self.init(wire: wire + [0])
    }

    /// The name's labels, the most specific first.
    package var labels: [[UInt8]] {
        var labels: [[UInt8]] = []
        var place = 0
        while wire[place] != 0 {
            let end = place + 1 + Int(wire[place])
            labels.append(Array(wire[(place + 1)..<end]))
            place = end
        }
        return labels
    }

    /// The most specific label as text, in which bytes that are no UTF-8 are replaced; empty for the root.
    package var firstLabel: String { String(decoding: wire[1..<(1 + Int(wire[0]))], as: UTF8.self) }

    /// The name without its most specific label; the root for the root.
    package var parent: DNSName {
        wire[0] == 0 ? self : DNSName(wire: Array(wire[(1 + Int(wire[0]))...]))
    }

    /// Returns the name with a more specific label before it; nil when either is too long, and when the label is empty.
    package func prepending(_ label: some Sequence<UInt8>) -> DNSName? {
        let label = Array(label)
        guard (1...Self.limitLabelBytes).contains(label.count), wire.count + label.count + 1 <= Self.limitBytes else {
            return nil
        }
        return DNSName(wire: [UInt8(label.count)] + label + wire)
    }
}

extension DNSName: Hashable {
    package static func == (left: DNSName, right: DNSName) -> Bool { left.folded == right.folded }

    package func hash(into hasher: inout Hasher) { hasher.combine(folded) }
}

extension DNSName: LosslessStringConvertible {
    /// Reads a name with dots between its labels. A backslash stands before a dot or a backslash of a label, or before
    /// the three decimal digits of a byte (RFC 1035, section 5.1; RFC 6763, section 4.3). A dot at the end is optional.
    ///
    /// - Returns: nil when a label is empty or too long, the name is too long, or an escape is not finished.
    package init?(_ text: String) {
        if text.isEmpty || text == "." {
            self = .root
            return
        }
        var labels: [[UInt8]] = []
        var label: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "."):
                labels.append(label)
                label = []
                if rest.isEmpty {
                    self.init(labels: labels)
                    return
                }
            case UInt8(ascii: "\\"):
                guard let escaped = Self.unescape(&rest) else { return nil }
                label.append(escaped)
            default: label.append(byte)
            }
        }
        self.init(labels: labels + [label])
    }

    /// Reads the escaped byte after a backslash.
    private static func unescape(_ rest: inout ArraySlice<UInt8>) -> UInt8? {
        guard let first = rest.popFirst() else { return nil }
        guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else { return first }
        guard rest.count >= 2 else { return nil }
        let digits = [first] + rest.prefix(2)
        rest = rest.dropFirst(2)
        return UInt8(String(decoding: digits, as: UTF8.self))
    }

    /// The name as `init(_:)` reads it: dots, backslashes and bytes below a space are escaped, and a name that is no
    /// UTF-8 has all its other bytes above ASCII escaped.
    package var description: String {
        if wire.count == 1 { return "." }
        return labels.map(Self.escape).joined(separator: ".")
    }

    private static func escape(_ label: [UInt8]) -> String {
        let isText = String(utf8: label) != nil
        var escaped: [UInt8] = []
        for byte in label {
            if byte == UInt8(ascii: ".") || byte == UInt8(ascii: "\\") {
                escaped += [UInt8(ascii: "\\"), byte]
            } else if byte < 0x20 || byte == 0x7F || (byte >= 0x80 && !isText) {
                escaped += "\\\(byte / 100)\(byte / 10 % 10)\(byte % 10)".utf8
            } else {
                escaped.append(byte)
            }
        }
        return String(decoding: escaped, as: UTF8.self)
    }
}
