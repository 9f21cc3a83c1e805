/// An address of IPv4 or IPv6.
package enum HostAddress: Hashable, Sendable {
    case v4(UInt32)
    case v6(high: UInt64, low: UInt64)

    /// Creates an address of its 4 or 16 bytes in the network's order; nil for another number of bytes.
    package init?(bytes: some Collection<UInt8>) {
        switch bytes.count {
        case 4: self = .v4(bytes.reduce(0) { $0 << 8 | UInt32($1) })
        case 16:
            self = .v6(
                high: bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) },
                low: bytes.dropFirst(8).reduce(0) { $0 << 8 | UInt64($1) })
        default: return nil
        }
    }

    /// The 4 or 16 bytes of the address in the network's order.
    package var bytes: [UInt8] {
        switch self {
        case .v4(let address): (0..<4).map { UInt8(truncatingIfNeeded: address >> (24 - 8 * $0)) }
        case .v6(let high, let low):
            [high, low].flatMap { half in (0..<8).map { UInt8(truncatingIfNeeded: half >> (56 - 8 * $0)) } }
        }
    }

    /// Whether the address is valid on one link only, so that its use needs the link's index: `fe80::/10`.
    package var isLinkLocal6: Bool {
        if case .v6(let high, _) = self { high >> 54 == 0xFE80 >> 6 } else { false }
    }

    /// Whether two addresses are of one family and have their first bits in common.
    package func shares(prefix bits: Int, with other: HostAddress) -> Bool {
        let (mine, theirs) = (bytes, other.bytes)
        guard mine.count == theirs.count, (0...(mine.count * 8)).contains(bits) else { return false }
        let whole = bits / 8
        guard mine.prefix(whole) == theirs.prefix(whole) else { return false }
        let rest = bits % 8
        return rest == 0 || (mine[whole] ^ theirs[whole]) >> (8 - rest) == 0
    }
}

extension HostAddress: CustomStringConvertible {
    /// Dotted decimal for IPv4; for IPv6 the form of RFC 5952.
    package var description: String {
        guard case .v6(let high, let low) = self else { return bytes.map(String.init).joined(separator: ".") }
        let groups = [high, low].flatMap { half in (0..<4).map { UInt16(truncatingIfNeeded: half >> (48 - 16 * $0)) } }
        func text(_ range: some Sequence<UInt16>) -> String {
            range.map { String($0, radix: 16) }.joined(separator: ":")
        }
        var longest = 0..<0
        var start = 0
        for place in 0...8 where place == 8 || groups[place] != 0 {
            if place - start > longest.count { longest = start..<place }
            start = place + 1
        }
        guard longest.count > 1 else { return text(groups) }
        return text(groups[..<longest.lowerBound]) + "::" + text(groups[longest.upperBound...])
    }
}

/// An address and a port of UDP.
package struct HostEndpoint: Hashable, Sendable {
    package var address: HostAddress
    package var port: UInt16

    package init(_ address: HostAddress, port: UInt16) {
        (self.address, self.port) = (address, port)
    }
}
