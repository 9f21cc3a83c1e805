import NIOCore

/// Moves datagrams between a `MDNSHost` and the sockets of its links, on one event loop.
final class MulticastLoop {
    /// A reader of the events of one type.
    final class Reader: Sendable {
        let pending: PendingEvents
        let wakes: AsyncStream<Void>.Continuation

        init(pending: PendingEvents, wakes: AsyncStream<Void>.Continuation) {
            (self.pending, self.wakes) = (pending, wakes)
        }

        func add(_ event: ServiceEvent) {
            pending.add(event)
            wakes.yield()
        }
    }

    /// The sockets of one interface.
    private struct Sockets {
        var name: String
        var link: NetworkLink
        var v4: (any Channel)?
        var v6: (any Channel)?
        /// Whether sockets are being opened.
        var isOpening = false
    }

    private let configuration: MulticastDNS.Configuration
    private let eventLoop: any EventLoop
    private var host: MDNSHost
    private var echoes = EchoFilter()
    private var sockets: [Int: Sockets] = [:]
    private var readers: [String: [Reader]] = [:]
    private var names: [ServiceID: AsyncStream<String>.Continuation] = [:]
    private var timer: Scheduled<Void>?
    private var rescan: RepeatedTask?
    private var isStopped = false

    init(
        _ configuration: MulticastDNS.Configuration, eventLoop: any EventLoop,
        random: any RandomNumberGenerator & Sendable
    ) {
        var random = random
        let label = configuration.hostLabel ?? Self.randomLabel(&random)
        (self.configuration, self.eventLoop) = (configuration, eventLoop)
        host = MDNSHost(hostLabel: label, port: configuration.port, random: random)
    }

    private static func randomLabel(_ random: inout some RandomNumberGenerator) -> String {
        "host-" + (0..<12).map { _ in String(Int.random(in: 0..<16, using: &random), radix: 16) }.joined()
    }

    private var now: Duration { .nanoseconds(Int64(truncatingIfNeeded: eventLoop.now.uptimeNanoseconds)) }

    // MARK: Calls of the owner

    func start() {
        guard rescan == nil, !isStopped else { return }
        let box = NIOLoopBound(self, eventLoop: eventLoop)
        rescan = eventLoop.scheduleRepeatedTask(initialDelay: .zero, delay: configuration.rescan) { _ in
            box.value.lookAtInterfaces()
        }
    }

    /// Says goodbye to the other hosts, and closes all sockets.
    func stop() -> EventLoopFuture<Void> {
        isStopped = true
        rescan?.cancel()
        timer?.cancel()
        host.withdrawAll()
        let written = send(host.takeDatagrams())
        for continuation in names.values { continuation.finish() }
        for reader in readers.values.joined() { reader.wakes.finish() }
        (names, readers) = ([:], [:])
        let channels = sockets.values.flatMap { [$0.v4, $0.v6].compactMap { $0 } }
        sockets = [:]
        return EventLoopFuture.andAllComplete(written, on: eventLoop).flatMap { [eventLoop] in
            EventLoopFuture.andAllComplete(channels.map { $0.close() }, on: eventLoop)
        }
    }

    func advertise(_ service: ServiceDescription) throws(ServiceError) -> AsyncStream<String> {
        guard !isStopped else { throw .stopped }
        let id = try host.advertise(service, at: now)
        let (stream, continuation) = AsyncStream<String>.makeStream(bufferingPolicy: .bufferingNewest(1))
        names[id] = continuation
        act()
        return stream
    }

    func addReader(_ reader: Reader, of type: String) {
        guard !isStopped, (try? host.browse(type, at: now)) != nil else {
            reader.wakes.finish()
            return
        }
        // Earlier readers get the pending events first, so that the new reader gets none of them twice.
        act()
        for instance in host.instances(of: type) { reader.add(.found(instance)) }
        readers[type, default: []].append(reader)
    }

    func removeReader(_ reader: Reader, of type: String) {
        readers[type]?.removeAll { $0 === reader }
        guard readers[type]?.isEmpty == true else { return }
        readers[type] = nil
        host.stopBrowsing(type)
        act()
    }

    // MARK: The network

    private func receive(_ datagram: IncomingDatagram) {
        guard !isStopped else { return }
        let isOwn = sockets.values.contains { $0.link.addresses.contains { $0.address == datagram.source.address } }
        if isOwn, datagram.source.port == configuration.port, echoes.isEcho(datagram.payload, at: now) { return }
        host.receive(datagram, at: now)
        act()
    }

    /// Performs what is due, sends the datagrams, delivers names and events, and schedules the next deadline.
    private func act() {
        host.advance(to: now)
        _ = send(host.takeDatagrams())
        for (id, name) in host.takeNames() { names[id]?.yield(name) }
        for (type, event) in host.takeEvents() {
            for reader in readers[type] ?? [] { reader.add(event) }
        }
        timer?.cancel()
        guard let deadline = host.deadline else { return }
        let box = NIOLoopBound(self, eventLoop: eventLoop)
        let nanoseconds = (deadline - now) / .nanoseconds(1)
        timer = eventLoop.scheduleTask(in: .nanoseconds(Int64(max(nanoseconds, 0).rounded(.up)))) { box.value.act() }
    }

    private func send(_ datagrams: [OutgoingDatagram]) -> [EventLoopFuture<Void>] {
        var written: [EventLoopFuture<Void>] = []
        for datagram in datagrams {
            guard let socket = sockets[datagram.link] else { continue }
            var targets: [(any Channel, HostEndpoint)] = []
            if let destination = datagram.destination {
                let channel = if case .v4 = destination.address { socket.v4 } else { socket.v6 }
                if let channel { targets.append((channel, destination)) }
            } else {
                if let v4 = socket.v4 {
                    targets.append((v4, HostEndpoint(MulticastGroup.v4, port: configuration.port)))
                }
                if let v6 = socket.v6 {
                    targets.append((v6, HostEndpoint(MulticastGroup.v6, port: configuration.port)))
                }
                echoes.recordSent(datagram.payload, copies: targets.count, at: now)
            }
            for (channel, target) in targets {
                let address = target.socketAddress(onLink: datagram.link)
                let envelope = AddressedEnvelope(
                    remoteAddress: address, data: channel.allocator.buffer(bytes: datagram.payload))
                written.append(channel.writeAndFlush(envelope))
            }
        }
        return written
    }

    /// Opens sockets on new interfaces, closes those of interfaces that are gone, and updates the host.
    private func lookAtInterfaces() {
        guard !isStopped else { return }
        let current: [NetworkInterface]
        do {
            current = try NetworkInterface.current(configuration.interfaces)
        } catch {
            configuration.onError("", error)
            return
        }
        let indices = Set(current.map(\.link.index))
        for (index, socket) in sockets where !indices.contains(index) {
            for channel in [socket.v4, socket.v6] { channel?.close(promise: nil) }
            sockets[index] = nil
            host.removeLink(index, at: now)
        }
        for interface in current { follow(interface) }
        act()
    }

    private func follow(_ interface: NetworkInterface) {
        let index = interface.link.index
        var socket = sockets[index] ?? Sockets(name: interface.name, link: interface.link)
        if socket.link != interface.link {
            socket.link = interface.link
            if socket.v4 != nil || socket.v6 != nil { host.setLink(interface.link, at: now) }
        }
        let missing = [(interface.v4, socket.v4, false), (interface.v6, socket.v6, true)]
            .filter { $0.0 != nil && $0.1 == nil }
        guard !socket.isOpening, !missing.isEmpty else {
            sockets[index] = socket
            return
        }
        socket.isOpening = true
        sockets[index] = socket
        let box = NIOLoopBound(self, eventLoop: eventLoop)
        let opened = missing.compactMap { device, _, isIPv6 in
            device.map { open($0, isIPv6: isIPv6, box) }
        }
        EventLoopFuture.andAllComplete(opened, on: eventLoop).whenComplete { _ in box.value.finishOpening(index) }
    }

    private func open(
        _ device: NIONetworkDevice, isIPv6: Bool, _ box: NIOLoopBound<MulticastLoop>
    ) -> EventLoopFuture<Void> {
        let index = device.interfaceIndex
        return LinkSockets.open(device, isIPv6: isIPv6, port: configuration.port, on: eventLoop) { datagram in
            box.value.receive(datagram)
        }.map { channel in box.value.adopt(channel, isIPv6: isIPv6, on: index) }
            .flatMapErrorThrowing { error in box.value.configuration.onError(device.name, error) }
    }

    private func adopt(_ channel: any Channel, isIPv6: Bool, on index: Int) {
        guard sockets[index] != nil, !isStopped else {
            channel.close(promise: nil)
            return
        }
        if isIPv6 { sockets[index]?.v6 = channel } else { sockets[index]?.v4 = channel }
        let box = NIOLoopBound(self, eventLoop: eventLoop)
        // A socket that fails is opened again at the next reading of the list.
        channel.closeFuture.whenComplete { _ in box.value.lose(channel, on: index) }
    }

    private func lose(_ channel: any Channel, on index: Int) {
        if sockets[index]?.v4 === channel { sockets[index]?.v4 = nil }
        if sockets[index]?.v6 === channel { sockets[index]?.v6 = nil }
        guard !isStopped, let socket = sockets[index], socket.v4 == nil, socket.v6 == nil else { return }
        host.removeLink(index, at: now)
        act()
    }

    private func finishOpening(_ index: Int) {
        sockets[index]?.isOpening = false
        guard !isStopped, let socket = sockets[index], socket.v4 != nil || socket.v6 != nil else { return }
        host.setLink(socket.link, at: now)
        act()
    }
}
