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

    /// The name that a person knows it by, unescaped.
    package var name: String
    /// The type, as it was browsed for.
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

/// What became of a service of a type that is browsed for.
package enum ServiceEvent: Hashable, Sendable {
    /// The service is there, and where.
    case found(ServiceInstance)
    /// Its host, port, addresses or text are others now.
    case changed(ServiceInstance)
    /// It said goodbye, or it was not heard of for as long as its records lived. The instance is what was last known.
    case removed(ServiceInstance)

    /// The service that it is about.
    package var instance: ServiceInstance {
        switch self {
        case .found(let instance), .changed(let instance), .removed(let instance): instance
        }
    }
}
