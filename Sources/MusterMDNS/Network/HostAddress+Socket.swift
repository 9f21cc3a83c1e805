import NIOCore

// Where the parts of `sockaddr_in` and `sockaddr_in6` lie is the same on Linux and on Apple's systems.
extension HostEndpoint {
    private static let portOffset = 2
    private static let v4Offset = 4
    private static let v6Offset = 8
    private static let scopeOffset = 24

    /// The address and port of a socket address; nil for one of another family.
    init?(_ address: SocketAddress) {
        let (host, port): (HostAddress?, UInt16)
        switch address {
        case .v4(let v4):
            (host, port) = withUnsafeBytes(of: v4.address) { raw in
                (HostAddress(bytes: raw[Self.v4Offset..<(Self.v4Offset + 4)]), Self.port(raw))
            }
        case .v6(let v6):
            (host, port) = withUnsafeBytes(of: v6.address) { raw in
                (HostAddress(bytes: raw[Self.v6Offset..<(Self.v6Offset + 16)]), Self.port(raw))
            }
        case .unixDomainSocket: return nil
        }
        guard let host else { return nil }
        self.init(host, port: port)
    }

    private static func port(_ raw: UnsafeRawBufferPointer) -> UInt16 {
        UInt16(raw[portOffset]) << 8 | UInt16(raw[portOffset + 1])
    }

    /// Returns the socket address; an address that is valid on one link only gets the link's index.
    func socketAddress(onLink index: Int) -> SocketAddress {
        let packed = ByteBuffer(bytes: address.bytes)
        guard let plain = try? SocketAddress(packedIPAddress: packed, port: Int(port)) else {
            preconditionFailure("an address has 4 or 16 bytes")
        }
        guard case .v6(let v6) = plain, address.isLinkLocal6 || address.bytes[0] == 0xFF else { return plain }
        var scoped = v6.address
        withUnsafeMutableBytes(of: &scoped) {
            $0.storeBytes(of: UInt32(truncatingIfNeeded: index), toByteOffset: Self.scopeOffset, as: UInt32.self)
        }
        return SocketAddress(scoped)
    }
}
