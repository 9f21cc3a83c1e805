import Foundation
import MusterCoding

// Addresses of clients: parsed, grouped by prefix for limits, and found behind reverse proxies.

/// An IPv4 or IPv6 address.
package struct InternetAddress: Hashable, Sendable {
    /// Four or sixteen bytes. An IPv4 address that is mapped into IPv6 has four.
    let bytes: [UInt8]

    /// Parses an address without a port; nil for any other text. An IPv6 address may have brackets and a zone.
    init?(_ text: some StringProtocol) {
        var text = String(text)
        if text.hasPrefix("["), text.hasSuffix("]") { text = String(text.dropFirst().dropLast()) }
        if let zone = text.firstIndex(of: "%") { text = String(text[..<zone]) }
        var four = [UInt8](repeating: 0, count: 4)
        if inet_pton(AF_INET, text, &four) == 1 {
            bytes = four
            return
        }
        var all = [UInt8](repeating: 0, count: 16)
        guard inet_pton(AF_INET6, text, &all) == 1 else { return nil }
        let isMapped = all.prefix(10).allSatisfy { $0 == 0 } && all[10] == 0xFF && all[11] == 0xFF
        bytes = isMapped ? Array(all[12...]) : all
    }
}

/// The part of an address by which the server counts and limits clients: a whole IPv4 address, or the first 64 bits of
/// an IPv6 address, because a household usually has a /64.
package enum AddressPrefix {
    /// The prefix of an address as text. Returns any other text unchanged.
    package static func of(_ address: String) -> String {
        guard let parsed = InternetAddress(address) else { return address }
        if parsed.bytes.count == 4 { return parsed.bytes.map(String.init).joined(separator: ".") }
        return parsed.bytes.prefix(8).hexadecimal + "/64"
    }
}

/// A range of addresses in CIDR notation, such as `192.168.0.0/16` or `2001:db8::/32`, or a single address.
package struct AddressRange: Hashable, Sendable {
    private let network: [UInt8]
    private let bits: Int

    /// Parses a range; nil for any other text.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = InternetAddress(parts[0]) else { return nil }
        let most = address.bytes.count * 8
        guard let bits = parts.count == 1 ? most : Int(parts[1]), (0...most).contains(bits) else { return nil }
        network = address.bytes
        self.bits = bits
    }

    package func contains(_ address: InternetAddress) -> Bool {
        guard address.bytes.count == network.count else { return false }
        return (0..<network.count).allSatisfy { index in
            let kept = max(0, min(8, bits - index * 8))
            let mask = UInt8(truncatingIfNeeded: 0xFF00 >> kept)
            return (address.bytes[index] ^ network[index]) & mask == 0
        }
    }
}

/// The reverse proxies that the operator trusts to state a client's address (`--trusted-proxy`).
package struct TrustedProxies: Hashable, Sendable {
    package var ranges: [AddressRange]

    package init(_ ranges: [AddressRange] = []) { self.ranges = ranges }

    package func contains(_ address: String) -> Bool {
        guard !ranges.isEmpty, let address = InternetAddress(address) else { return false }
        return ranges.contains { $0.contains(address) }
    }

    /// Returns the client's own address: the last address of the chain that does not belong to a trusted proxy.
    ///
    /// - Parameters:
    ///   - peer: the address at the other end of the connection.
    ///   - forwardedFor: the values of `X-Forwarded-For`, in order.
    ///   - forwarded: the values of `Forwarded` (RFC 7239), in order. Where there are any, `forwardedFor` is ignored.
    package func client(peer: String, forwardedFor: [String], forwarded: [String]) -> String {
        guard contains(peer) else { return peer }
        let chain =
            forwarded.isEmpty
            ? forwardedFor.flatMap { $0.split(separator: ",") }.map(Self.address)
            : forwarded.flatMap { $0.split(separator: ",") }.map(Self.addressForwarded)
        var client = peer
        for address in chain.reversed() {
            // An element that is not an address ends the chain, because nothing before it can be verified.
            guard let address, InternetAddress(address) != nil else { break }
            client = address
            if !contains(address) { break }
        }
        return client
    }

    /// The address in a text that may also have a port.
    private static func address(_ text: Substring) -> String? {
        let text = text.filter { $0 != " " && $0 != "\"" && $0 != "\t" }
        if text.hasPrefix("["), let end = text.firstIndex(of: "]") { return String(text[...end]) }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        return parts.count == 2 ? String(parts[0]) : String(text)
    }

    /// The address in the `for` parameter of an element of `Forwarded`; nil where there is none.
    private static func addressForwarded(_ element: Substring) -> String? {
        for pair in element.split(separator: ";") {
            let parts = pair.split(separator: "=", maxSplits: 1)
            if parts.count == 2, parts[0].filter({ $0 != " " }).lowercased() == "for" { return address(parts[1]) }
        }
        return nil
    }
}
