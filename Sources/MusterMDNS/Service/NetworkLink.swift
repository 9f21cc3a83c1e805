/// A network interface that multicast DNS uses, with this host's addresses on it. Records received on one link are not
/// valid on another link (RFC 6762, section 14).
package struct NetworkLink: Hashable, Sendable {
    /// An address of this host, and the number of its first bits that all hosts of the link share.
    package struct Address: Hashable, Sendable {
        package var address: HostAddress
        package var prefixLength: Int

        package init(_ address: HostAddress, prefixLength: Int) {
            (self.address, self.prefixLength) = (address, prefixLength)
        }
    }

    /// The system's number of the interface.
    package var index: Int
    package var addresses: [Address]

    package init(index: Int, addresses: [Address]) {
        (self.index, self.addresses) = (index, addresses)
    }

    /// Whether an address is of a host on this link (RFC 6762, section 11).
    package func isNear(_ other: HostAddress) -> Bool {
        other.isLinkLocal6 || addresses.contains { $0.address.shares(prefix: $0.prefixLength, with: other) }
    }
}

/// A datagram that arrived.
package struct IncomingDatagram: Sendable {
    /// The index of the link on which it arrived.
    package var link: Int
    package var source: HostEndpoint
    /// Whether it was sent to the group, and not to this host alone.
    package var isMulticast: Bool
    package var payload: [UInt8]

    package init(link: Int, source: HostEndpoint, isMulticast: Bool, payload: [UInt8]) {
        (self.link, self.source, self.isMulticast, self.payload) = (link, source, isMulticast, payload)
    }
}

/// A datagram to be sent.
package struct OutgoingDatagram: Hashable, Sendable {
    /// The index of the link to send it on.
    package var link: Int
    /// The receiver; nil for all hosts on the link, by IPv4 and IPv6.
    package var destination: HostEndpoint?
    package var payload: [UInt8]

    package init(link: Int, destination: HostEndpoint? = nil, payload: [UInt8]) {
        (self.link, self.destination, self.payload) = (link, destination, payload)
    }
}
