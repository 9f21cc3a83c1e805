/// A service that was found and resolved.
package struct ServiceInstance: Hashable, Sendable {
    /// An address of the service's host.
    package struct Address: Hashable, Sendable {
        package var address: HostAddress
        /// The index of the network interface on which the address was heard. An address of `fe80::/10` is reached
        /// through it alone.
        package var interfaceIndex: Int

        package init(_ address: HostAddress, interfaceIndex: Int) {
            (self.address, self.interfaceIndex) = (address, interfaceIndex)
        }
    }

    /// The service's name for people, unescaped.
    package var name: String
    /// The type, as given to `browse`.
    package var type: String
    /// The domain name of the host.
    package var host: String
    package var port: UInt16
    /// The host's addresses, at least one: IPv4, then IPv6, the addresses of one link last.
    package var addresses: [Address]
    package var text: ServiceText

    package init(
        name: String, type: String, host: String, port: UInt16, addresses: [Address], text: ServiceText = [:]
    ) {
        (self.name, self.type, self.host, self.port) = (name, type, host, port)
        (self.addresses, self.text) = (addresses, text)
    }
}

/// A change of a service of a type that is looked for.
package enum ServiceEvent: Hashable, Sendable {
    /// The service was found and resolved.
    case found(ServiceInstance)
    /// The host, port, addresses or text of the service changed.
    case changed(ServiceInstance)
    /// The service said goodbye, or its records ended without being received again. The instance is its last known
    /// state.
    case removed(ServiceInstance)

    /// The service that it is about.
    package var instance: ServiceInstance {
        switch self {
        case .found(let instance), .changed(let instance), .removed(let instance): instance
        }
    }
}
