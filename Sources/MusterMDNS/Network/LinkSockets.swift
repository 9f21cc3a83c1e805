import NIOCore
import NIOPosix

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#else
    import Glibc
#endif

// `LinkSockets`: the UDP sockets of one network interface, joined to the multicast groups.

/// The groups of multicast DNS (RFC 6762, section 3).
enum MulticastGroup {
    static let v4 = HostAddress.v4(0xE000_00FB)
    static let v6 = HostAddress.v6(high: 0xFF02_0000_0000_0000, low: 0xFB)
}

/// Opens the sockets of one interface.
enum LinkSockets {
    /// A packet of 9,000 bytes, and more, so that a longer one is seen to be too long.
    private static let bufferBytes = 9_216

    /// Opens a socket that receives the group's datagrams on one interface, also while other programs do so.
    ///
    /// - Parameter receive: is called on the event loop with each datagram of this interface.
    static func open(
        _ device: NIONetworkDevice, isIPv6: Bool, port: UInt16, on eventLoop: any EventLoop,
        receive: @escaping @Sendable (IncomingDatagram) -> Void
    ) -> EventLoopFuture<any Channel> {
        let index = device.interfaceIndex
        let any = HostEndpoint(isIPv6 ? .v6(high: 0, low: 0) : .v4(0), port: port)
        let group = HostEndpoint(isIPv6 ? MulticastGroup.v6 : MulticastGroup.v4, port: port)
            .socketAddress(onLink: index)
        let bootstrap = DatagramBootstrap(group: eventLoop)
            .channelOption(.socketOption(.so_reuseaddr), value: 1)
            .channelOption(.socketOption(.init(rawValue: SO_REUSEPORT)), value: 1)
            .channelOption(.autoRead, value: false)
            .channelOption(
                .recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: bufferBytes)
            )
            .channelInitializer { channel in
                do {
                    try channel.pipeline.syncOperations.addHandler(DatagramHandler(index: index, receive: receive))
                } catch {
                    return channel.eventLoop.makeFailedFuture(error)
                }
                guard isIPv6, let options = channel as? any SocketOptionProvider else {
                    return channel.eventLoop.makeSucceededVoidFuture()
                }
                // Set before the socket is bound: packets of IPv4 arrive at a socket of their own.
                return options.unsafeSetSocketOption(level: .ipv6, name: .ipv6_v6only, value: 1 as CInt)
            }
        return bootstrap.bind(to: any.socketAddress(onLink: 0)).flatMap { channel in
            prepare(channel, device, isIPv6: isIPv6, group: group).map { channel }
                .flatMapError { error in channel.close().flatMapThrowing { throw error } }
        }
    }

    private static func prepare(
        _ channel: any Channel, _ device: NIONetworkDevice, isIPv6: Bool, group: SocketAddress
    ) -> EventLoopFuture<Void> {
        guard let multicast = channel as? any MulticastChannel, let options = channel as? any SocketOptionProvider
        else {
            return channel.eventLoop.makeFailedFuture(ChannelError.operationUnsupported)
        }
        var settings = [channel.setOption(.receivePacketInfo, value: true)]
        // The hop limit is 255, so that receivers can tell that no router forwarded the packet (RFC 6762, section 11).
        if isIPv6 {
            settings += [
                options.setIPv6MulticastIF(CUnsignedInt(truncatingIfNeeded: device.interfaceIndex)),
                options.setIPv6MulticastHops(255),
                options.unsafeSetSocketOption(
                    level: .ipv6, name: .init(rawValue: IPV6_UNICAST_HOPS), value: 255 as CInt),
            ]
        } else if let own = device.address.flatMap(HostEndpoint.init)?.address, case .v4(let number) = own {
            settings += [
                options.unsafeSetSocketOption(level: .ip, name: .ip_multicast_if, value: number.bigEndian),
                options.setIPMulticastTTL(255),
                options.unsafeSetSocketOption(level: .ip, name: .init(rawValue: IP_TTL), value: 255 as CInt),
            ]
        }
        return EventLoopFuture.andAllSucceed(settings, on: channel.eventLoop)
            .flatMap { multicast.joinGroup(group, device: device) }
            .flatMap { channel.setOption(.autoRead, value: true) }
    }
}

/// Passes the datagrams of one interface on.
private final class DatagramHandler: ChannelInboundHandler {
    typealias InboundIn = AddressedEnvelope<ByteBuffer>

    private let index: Int
    private let receive: @Sendable (IncomingDatagram) -> Void

    init(index: Int, receive: @escaping @Sendable (IncomingDatagram) -> Void) {
        (self.index, self.receive) = (index, receive)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let envelope = unwrapInboundIn(data)
        guard let source = HostEndpoint(envelope.remoteAddress), let info = envelope.metadata?.packetInfo,
            let destination = HostEndpoint(info.destinationAddress)
        else { return }
        let first = destination.address.bytes[0]
        let isMulticast = if case .v4 = destination.address { first >> 4 == 0xE } else { first == 0xFF }
        // Linux gives a datagram of the group to every socket of the port, also to those of other interfaces. It gives
        // a unicast datagram to any one of them, whatever its interface.
        if isMulticast, info.interfaceIndex != index { return }
        receive(
            IncomingDatagram(
                link: info.interfaceIndex, source: source, isMulticast: isMulticast,
                payload: Array(buffer: envelope.data)))
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // A datagram could not be delivered. An error that ends the socket also closes the channel.
    }
}
