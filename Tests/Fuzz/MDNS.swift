import MusterMDNS

/// For any bytes: a message that is read is written and read as the same, and a host that advertises and browses
/// survives them as a series of datagrams, sends messages only, few for each, and always waits for a later moment.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: data, count: size))
    check(bytes)
    var host = MDNSHost(hostLabel: "host", random: Splitter(state: UInt64(size)))
    var now = Duration.seconds(1_000)
    let own = NetworkLink.Address(.v4(0x0A00_0001), prefixLength: 8)
    host.setLink(NetworkLink(index: 1, addresses: [own]), at: now)
    _ = try? host.advertise(ServiceDescription(type: "_x._tcp", name: "Ana", port: 1, text: ["a": "1"]), at: now)
    try? host.browse("_x._tcp", at: now)
    // The datagrams reach a host that has its name, or one that still probes for it.
    if size % 4 != 0 { run(&host, from: &now, for: .seconds(4)) }
    var rest = bytes[...]
    // Each datagram has four bytes before it: the time since the last one, its sender and how it was sent, and its
    // length.
    while rest.count >= 4 {
        let head = Array(rest.prefix(4))
        let payload = Array(rest.dropFirst(4).prefix(Int(head[2]) << 8 | Int(head[3])))
        rest = rest.dropFirst(4 + payload.count)
        check(payload)
        run(&host, from: &now, for: .milliseconds(Int64(head[0]) * 20))
        let source = HostEndpoint(
            .v4(0x0A00_0002 + UInt32(head[1] & 7)), port: head[1] & 0x80 == 0 ? MDNSHost.port : 40_000)
        host.receive(
            IncomingDatagram(link: 1, source: source, isMulticast: head[1] & 0x40 == 0, payload: payload), at: now)
        collect(&host, now)
    }
    run(&host, from: &now, for: .seconds(3))
    host.withdrawAll()
    collect(&host, now)
    return 0
}

private func check(_ bytes: [UInt8]) {
    guard let message = try? DNSMessage(decoding: bytes) else { return }
    for written in [message.encoded(), message.encoded(isLegacy: true)] where written.count <= DNSMessage.limitBytes {
        guard let again = try? DNSMessage(decoding: written) else {
            preconditionFailure("a message that was written is not read")
        }
        precondition(again == message, "a message is read as another")
    }
    for record in message.answers {
        precondition(DNSName(record.name.description) == record.name, "a name is not read as it is printed")
        if case .text(let strings) = record.data { _ = ServiceText(reading: strings) }
    }
}

/// Advances the host's time from deadline to deadline.
private func run(_ host: inout MDNSHost, from now: inout Duration, for duration: Duration) {
    let end = now + duration
    while let deadline = host.deadline, deadline <= end {
        now = max(now, deadline)
        host.advance(to: now)
        collect(&host, now)
    }
    now = end
}

private func collect(_ host: inout MDNSHost, _ now: Duration) {
    let datagrams = host.takeDatagrams()
    precondition(datagrams.count <= 64, "too many datagrams at once")
    for datagram in datagrams {
        precondition((try? DNSMessage(decoding: datagram.payload)) != nil, "what is sent is no message")
    }
    precondition(host.instances(of: "_x._tcp").allSatisfy { !$0.addresses.isEmpty })
    _ = (host.takeNames(), host.takeEvents())
    if let deadline = host.deadline { precondition(deadline > now, "a deadline that is over") }
}

/// Random numbers that depend on the input alone.
private struct Splitter: RandomNumberGenerator, Sendable {
    var state: UInt64

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ state >> 29
    }
}
