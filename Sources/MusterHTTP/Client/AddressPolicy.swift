import Foundation
package import NIOCore

/// The addresses that targets may have, against server-side request forgery (SSRF): a user who may create targets must
/// not use them to reach servers that only this machine can reach, such as a cloud's metadata service.
///
/// The policy checks the address that the server connects to, after name resolution. The spelling of a name or number
/// in the URL does not matter.
package struct AddressPolicy: Hashable, Sendable {
    /// Whether targets may be on this machine or in a private network.
    package var allowsPrivate = false

    package init(allowsPrivate: Bool = false) {
        self.allowsPrivate = allowsPrivate
    }

    /// The reason why the server may not connect to this address; nil when it may.
    package func refusal(of address: SocketAddress) -> String? {
        switch address {
        case .v4(let address):
            let number = UInt32(bigEndian: address.address.sin_addr.s_addr)
            return refusal(Self.reach(ofV4: number), address.host)
        case .v6(let address):
            let bytes = withUnsafeBytes(of: address.address.sin6_addr) { Array($0) }
            return refusal(Self.reach(ofV6: bytes), address.host)
        case .unixDomainSocket: return "a local socket may not be reached"
        }
    }

    private func refusal(_ reach: Reach, _ host: String) -> String? {
        switch reach {
        case .open: nil
        case .restricted: allowsPrivate ? nil : "a private or loopback address may not be reached"
        case .closed: "a link-local, multicast, reserved or metadata address may not be reached"
        }
    }

    private enum Reach {
        case open
        /// Allowed only where the configuration allows private targets.
        case restricted
        case closed
    }

    /// Networks of IANA's special-purpose registry, and the addresses of clouds' metadata services.
    private static let closedV4: [(network: UInt32, bits: UInt32)] = [
        (0x0000_0000, 8), (0xA9FE_0000, 16), (0xC000_0000, 24), (0xE000_0000, 4), (0xF000_0000, 4),
        // The metadata services of Alibaba and Azure.
        (0x6464_64C8, 32), (0xA83F_8110, 32),
    ]
    /// Private, shared and loopback networks, and those for documentation and benchmarks.
    private static let restrictedV4: [(network: UInt32, bits: UInt32)] = [
        (0x0A00_0000, 8), (0x7F00_0000, 8), (0xAC10_0000, 12), (0xC0A8_0000, 16), (0x6440_0000, 10),
        (0xC612_0000, 15), (0xC000_0200, 24), (0xC633_6400, 24), (0xCB00_7100, 24),
    ]

    private static func reach(ofV4 address: UInt32) -> Reach {
        func isIn(_ network: UInt32, _ bits: UInt32) -> Bool { (address ^ network) >> (32 - bits) == 0 }
        if closedV4.contains(where: isIn) { return .closed }
        return restrictedV4.contains(where: isIn) ? .restricted : .open
    }

    private static func reach(ofV6 bytes: [UInt8]) -> Reach {
        if let embedded = embeddedV4(in: bytes) { return reach(ofV4: embedded) }
        switch (bytes[0], bytes[1]) {
        // Multicast and link-local addresses, and addresses that begin with zeros, except the loopback address.
        case (0xFF, _): return .closed
        case (0xFE, 0x80...0xBF): return .closed
        case (0, 0): return bytes.dropLast().allSatisfy { $0 == 0 } && bytes[15] == 1 ? .restricted : .closed
        // A Teredo address hides another address.
        case (0x20, 0x01) where bytes[2] == 0 && bytes[3] == 0: return .closed
        // The metadata services of Amazon and Google.
        case (0xFD, 0x00) where bytes[2] == 0x0E && bytes[3] == 0xC2: return .closed
        case (0xFD, 0x20) where bytes[2] == 0 && bytes[3] == 0xCE: return .closed
        case (0xFC...0xFD, _), (0xFE, 0xC0...0xFF): return .restricted
        case (0x20, 0x01) where bytes[2] == 0x0D && bytes[3] == 0xB8: return .restricted
        default: return .open
        }
    }

    /// The IPv4 address embedded in an IPv6 address: mapped, translated (RFC 6052, RFC 8215), or 6to4.
    private static func embeddedV4(in bytes: [UInt8]) -> UInt32? {
        func number(_ start: Int) -> UInt32 { bytes[start..<start + 4].reduce(0) { $0 << 8 | UInt32($1) } }
        let zeros = bytes.prefix(10).allSatisfy { $0 == 0 }
        if zeros, bytes[10] == 0xFF, bytes[11] == 0xFF { return number(12) }
        if bytes.starts(with: [0x00, 0x64, 0xFF, 0x9B]) { return number(12) }
        if bytes[0] == 0x20, bytes[1] == 0x02 { return number(2) }
        return nil
    }
}
