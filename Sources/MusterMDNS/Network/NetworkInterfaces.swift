import NIOCore

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#else
    import Glibc
#endif

/// The network interfaces that multicast DNS uses.
package enum InterfaceChoice: Hashable, Sendable {
    /// All that are up and support multicast, except links between two points. If there are none, the loopback
    /// interface, so that programs of one host find each other.
    case all
    /// Those with these names, when they are up.
    case named(Set<String>)
    /// The loopback interface, by IPv4.
    case loopback
}

/// A network interface in its present state.
struct NetworkInterface {
    /// The most addresses that are announced for one interface.
    private static let limitAddresses = 16

    var name: String
    var link: NetworkLink
    /// The interface with its first address of IPv4, and of IPv6.
    var v4: NIONetworkDevice?
    var v6: NIONetworkDevice?

    /// Returns the chosen interfaces that have addresses.
    ///
    /// - Throws: `IOError` when the system cannot list its interfaces.
    static func current(_ choice: InterfaceChoice) throws -> [NetworkInterface] {
        let flags = try interfaceFlags()
        var found: [Int: NetworkInterface] = [:]
        for device in try System.enumerateDevices() {
            guard let flag = flags[device.name], flag & UInt32(IFF_UP) != 0,
                let address = device.address.flatMap(HostEndpoint.init)?.address
            else { continue }
            let index = device.interfaceIndex
            var interface =
                found[index]
                ?? NetworkInterface(name: device.name, link: NetworkLink(index: index, addresses: []))
            interface.add(address, device)
            found[index] = interface
        }
        let isLoopback = { (interface: NetworkInterface) in
            (flags[interface.name] ?? 0) & UInt32(IFF_LOOPBACK) != 0
        }
        let all = found.values.sorted { $0.link.index < $1.link.index }
        switch choice {
        case .named(let names): return all.filter { names.contains($0.name) }
        case .loopback: return all.filter(isLoopback).compactMap(\.withoutIPv6)
        case .all:
            let wide = all.filter { interface in
                let flag = flags[interface.name] ?? 0
                return flag & UInt32(IFF_MULTICAST) != 0 && flag & UInt32(IFF_POINTOPOINT) == 0
                    && !isLoopback(interface)
            }
            return wide.isEmpty ? all.filter(isLoopback).compactMap(\.withoutIPv6) : wide
        }
    }

    private mutating func add(_ address: HostAddress, _ device: NIONetworkDevice) {
        var device = device
        // The loopback interface of Linux supports multicast, although the system does not report it.
        device.multicastSupported = true
        if case .v4 = address { v4 = v4 ?? device } else { v6 = v6 ?? device }
        guard link.addresses.count < Self.limitAddresses else { return }
        let mask = device.netmask.flatMap(HostEndpoint.init)?.address.bytes ?? []
        let bits = mask.reduce(0) { $0 + $1.nonzeroBitCount }
        let entry = NetworkLink.Address(address, prefixLength: mask.isEmpty ? address.bytes.count * 8 : bits)
        if !link.addresses.contains(entry) { link.addresses.append(entry) }
    }

    /// The loopback interface often has no route for IPv6's groups.
    private var withoutIPv6: NetworkInterface? {
        var copy = self
        copy.v6 = nil
        copy.link.addresses = copy.link.addresses.filter { if case .v4 = $0.address { true } else { false } }
        return copy.v4 == nil ? nil : copy
    }

    private static func interfaceFlags() throws -> [String: UInt32] {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { throw IOError(errnoCode: errno, reason: "getifaddrs") }
        defer { freeifaddrs(first) }
        var flags: [String: UInt32] = [:]
        var next = first
        while let entry = next?.pointee {
            flags[String(cString: entry.ifa_name)] = UInt32(entry.ifa_flags)
            next = entry.ifa_next
        }
        return flags
    }
}
