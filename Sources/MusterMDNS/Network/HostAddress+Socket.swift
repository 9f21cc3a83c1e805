package import NIOCore

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#else
    import Glibc
#endif

extension HostEndpoint {
    /// The address and port of a socket address; nil for one of another family.
    init?(_ address: SocketAddress) {
        switch address {
        case .v4(let v4):
            self.init(.v4(UInt32(bigEndian: v4.address.sin_addr.s_addr)), port: UInt16(bigEndian: v4.address.sin_port))
        case .v6(let v6):
            let bytes = withUnsafeBytes(of: v6.address.sin6_addr) { Array($0) }
            guard let host = HostAddress(bytes: bytes) else { return nil }
            self.init(host, port: UInt16(bigEndian: v6.address.sin6_port))
        case .unixDomainSocket: return nil
        }
    }

    /// The socket address, on a link where it is good on one link only.
    func socketAddress(onLink index: Int) -> SocketAddress {
        switch address {
        case .v4(let number):
            var v4 = sockaddr_in()
            v4.sin_family = sa_family_t(AF_INET)
            v4.sin_port = port.bigEndian
            v4.sin_addr.s_addr = number.bigEndian
            return SocketAddress(v4)
        case .v6:
            var v6 = sockaddr_in6()
            v6.sin6_family = sa_family_t(AF_INET6)
            v6.sin6_port = port.bigEndian
            withUnsafeMutableBytes(of: &v6.sin6_addr) { $0.copyBytes(from: address.bytes) }
            let isLocal = address.isLinkLocal6 || address.bytes[0] == 0xFF
            v6.sin6_scope_id = isLocal ? UInt32(truncatingIfNeeded: index) : 0
            return SocketAddress(v6)
        }
    }
}

extension ServiceInstance {
    /// Where to connect to, the best address first.
    package var socketAddresses: [SocketAddress] {
        addresses.map { HostEndpoint($0.address, port: port).socketAddress(onLink: $0.interfaceIndex) }
    }
}
