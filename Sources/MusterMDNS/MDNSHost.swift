/// A host that advertises services and looks for others: a `Responder` and a `Querier` behind the checks that every
/// datagram has to pass.
///
/// It is a value that does nothing by itself. Its owner gives it datagrams and the time, sends what `takeDatagrams`
/// returns, and calls `advance` again at `deadline`. Times count from any fixed instant.
package struct MDNSHost: Sendable {
    /// The port of multicast DNS.
    package static let port: UInt16 = 5353

    private(set) var responder: Responder
    private(set) var querier: Querier
    private var links: [Int: NetworkLink] = [:]
    private let port: UInt16
    private var asked: [OutgoingDatagram] = []
    /// The number of datagrams that held no valid message, or came from a wrong address or port.
    package private(set) var refusedCount = 0

    /// - Parameters:
    ///   - hostLabel: the first label of the host's name in `local`: 1 to 63 bytes. If another host has it, a number is
    ///     appended.
    ///   - port: the port from which other hosts send: 5353, except in tests.
    ///   - random: chooses the delays that keep hosts from sending at the same moment.
    package init(
        hostLabel: String, port: UInt16 = MDNSHost.port, random: any RandomNumberGenerator & Sendable
    ) {
        self.port = port
        responder = Responder(hostLabel: hostLabel, port: port, random: random)
        querier = Querier(random: random)
    }

    /// When `advance` is to be called next; nil when nothing is planned.
    package var deadline: Duration? { [responder.deadline, querier.deadline].compactMap { $0 }.min() }

    /// Starts on a link, or replaces this host's addresses there.
    package mutating func setLink(_ link: NetworkLink, at now: Duration) {
        links[link.index] = link
        responder.setLink(link, at: now)
        querier.addLink(link.index, at: now)
    }

    /// Removes a link that no longer exists, with everything received on it.
    package mutating func removeLink(_ index: Int, at now: Duration) {
        links[index] = nil
        responder.removeLink(index)
        querier.removeLink(index, at: now)
    }

    /// Begins to advertise a service. `takeNames` returns the name that it gets.
    package mutating func advertise(
        _ service: ServiceDescription, at now: Duration
    ) throws(ServiceError) -> ServiceID {
        try responder.advertise(service, at: now)
    }

    /// Stops advertising all services, and says goodbye to the other hosts.
    package mutating func withdrawAll() {
        for id in responder.services.keys { responder.withdraw(id) }
    }

    /// Begins to look for services of a type. It has no effect if the host looks for them already.
    package mutating func browse(_ type: String, at now: Duration) throws(ServiceError) {
        try querier.browse(try ServiceNames.type(type), at: now)
    }

    /// Stops looking for services of a type.
    package mutating func stopBrowsing(_ type: String) {
        if let name = try? ServiceNames.type(type) { querier.stopBrowsing(name) }
    }

    /// Returns the known services of a type.
    package func instances(of type: String) -> [ServiceInstance] {
        (try? ServiceNames.type(type)).map { querier.instances(of: $0) } ?? []
    }

    /// Handles a datagram. One that holds no message, or comes from beyond the link, is counted and ignored (RFC 6762,
    /// sections 6, 11 and 18).
    package mutating func receive(_ datagram: IncomingDatagram, at now: Duration) {
        guard let link = links[datagram.link], datagram.isMulticast || link.isNear(datagram.source.address),
            let message = try? DNSMessage(decoding: datagram.payload)
        else {
            refusedCount += 1
            return
        }
        guard message.operation == 0, message.responseCode == 0 else { return }
        if !message.isResponse {
            responder.receive(
                query: message, from: datagram.source, isMulticast: datagram.isMulticast, on: link.index, at: now)
            if datagram.source.port == port { querier.observe(message, on: link.index, at: now) }
        } else if datagram.source.port == port {
            responder.receive(response: message, on: link.index, at: now)
            querier.receive(message, from: datagram.source.address, on: link.index, at: now)
        } else {
            refusedCount += 1
        }
        advance(to: now)
    }

    /// Performs everything that is due.
    package mutating func advance(to now: Duration) {
        responder.advance(to: now)
        asked += querier.advance(to: now)
    }

    /// Returns the datagrams to send since the last call.
    package mutating func takeDatagrams() -> [OutgoingDatagram] {
        defer { asked = [] }
        return responder.takeDatagrams() + asked
    }

    /// Returns the names that services have got since it was last called, in order. A service gets another one when
    /// another host has its name.
    package mutating func takeNames() -> [(id: ServiceID, name: String)] {
        responder.takeNames().map { (id: $0.0, name: $0.1) }
    }

    /// Returns the events of services of the types that are looked for, since the last call, in order.
    package mutating func takeEvents() -> [(type: String, event: ServiceEvent)] {
        querier.takeEvents().map { (type: ServiceNames.text(of: $0.type), event: $0.event) }
    }
}
