import MusterMDNS

/// Peers on the same local network, by multicast DNS and DNS-SD (RFC 6762, RFC 6763), without a daemon.
///
/// A device is announced as a service of the type `_muster-nearby._tcp`, by its name and port, with the first digits of
/// its key in the text `key`.
public struct MulticastDiscovery: Discovery {
    /// The DNS service type under which devices find each other.
    public static let serviceType = "_muster-nearby._tcp"
    private let configuration: MulticastDNS.Configuration

    /// Creates a discovery on all interfaces of this device, or on the loopback interface alone, for programs on one
    /// machine.
    public init(onLoopback isLoopback: Bool = false) {
        configuration = MulticastDNS.Configuration(interfaces: isLoopback ? .loopback : .all)
    }

    /// Announces this device and reports others until the task is cancelled; then it withdraws the announcement.
    ///
    /// - Throws: `ServiceError` when the announcement cannot be made.
    public func run(announcing own: Announcement, tell: @escaping @Sendable (DiscoveryNews) -> Void) async throws {
        guard let port = UInt16(exactly: own.port) else { throw ServiceError.badName("\(own.port)") }
        let services = MulticastDNS(configuration)
        async let stopped: Void = services.run()
        let description = ServiceDescription(
            type: Self.serviceType, name: own.name, port: port, text: ["key": own.key])
        _ = try await services.advertise(description)
        for await event in try services.browse(Self.serviceType) {
            switch event {
            case .found(let instance), .changed(let instance): tell(.found(Self.peer(instance)))
            case .removed(let instance): tell(.lost(id: instance.name))
            }
        }
        await stopped
    }

    private static func peer(_ instance: ServiceInstance) -> FoundPeer {
        let addresses = instance.addresses.map { found in
            NearbyAddress(
                host: found.address.isLinkLocal6
                    ? "\(found.address)%\(found.interfaceIndex)" : found.address.description,
                port: Int(instance.port))
        }
        return FoundPeer(
            id: instance.name, name: PeerName.checked(instance.name) ?? "a peer of an unreadable name",
            addresses: addresses, key: instance.text["key"])
    }
}
