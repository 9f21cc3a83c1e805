@testable import MusterMDNS

/// Hosts on one link, with a clock of its own: datagrams take a millisecond, and some are lost.
struct SimulatedNetwork {
    /// A datagram as it was sent.
    struct Sent {
        var time: Duration
        var sender: Int
        var destination: HostEndpoint?
        var message: DNSMessage
        var bytes: [UInt8]
    }

    static let link = 1
    static let latency = Duration.milliseconds(1)

    private(set) var now = Duration.seconds(1_000)
    var hosts: [Int: MDNSHost] = [:]
    /// The part of the datagrams that each receiver loses.
    var loss = 0.0
    /// The hosts that neither receive nor send.
    var isolated: Set<Int> = []
    private(set) var sent: [Sent] = []
    private(set) var names: [ServiceID: [Int: String]] = [:]
    private(set) var nameChanges: [(host: Int, name: String)] = []
    private(set) var events: [(time: Duration, host: Int, event: ServiceEvent)] = []
    private var flying: [(due: Duration, receiver: Int, datagram: IncomingDatagram)] = []
    private var random: SeededRandom

    init(seed: UInt64 = 1) { random = SeededRandom(seed: seed) }

    static func address(of host: Int) -> HostAddress { .v4(0x0A00_0000 | UInt32(host)) }

    /// Puts a host on the link.
    mutating func add(_ host: Int, label: String? = nil) {
        hosts[host] = MDNSHost(
            hostLabel: label ?? "host-\(host)", random: SeededRandom(seed: random.next()))
        let address = NetworkLink.Address(Self.address(of: host), prefixLength: 8)
        hosts[host]?.setLink(NetworkLink(index: Self.link, addresses: [address]), at: now)
    }

    /// Removes a host without a goodbye.
    mutating func kill(_ host: Int) { hosts[host] = nil }

    mutating func advertise(_ name: String, on host: Int, port: UInt16 = 4_711, text: ServiceText = [:]) throws {
        let service = ServiceDescription(type: "_x._tcp", name: name, port: port, text: text)
        _ = try hosts[host]?.advertise(service, at: now)
    }

    mutating func browse(on host: Int) throws { try hosts[host]?.browse("_x._tcp", at: now) }

    /// The names of the services that a host sees.
    func seen(by host: Int) -> [String] { hosts[host]?.instances(of: "_x._tcp").map(\.name) ?? [] }

    /// Lets a time pass.
    mutating func run(for duration: Duration) {
        let end = now + duration
        collect()
        while true {
            let due = [flying.map(\.due).min(), hosts.values.compactMap(\.deadline).min()].compactMap { $0 }.min()
            guard let due, due <= end else { break }
            now = max(now, due)
            let arriving = flying.filter { $0.due <= now }
            flying.removeAll { $0.due <= now }
            for arrival in arriving { hosts[arrival.receiver]?.receive(arrival.datagram, at: now) }
            for host in hosts.keys.sorted() where hosts[host]?.deadline.map({ $0 <= now }) == true {
                hosts[host]?.advance(to: now)
            }
            collect()
        }
        now = end
    }

    /// Sends a datagram as a host that is none of ours.
    mutating func inject(
        _ payload: [UInt8], from source: HostEndpoint, to host: Int, isMulticast: Bool = true
    ) {
        let datagram = IncomingDatagram(
            link: Self.link, source: source, isMulticast: isMulticast, payload: payload)
        hosts[host]?.receive(datagram, at: now)
        collect()
    }

    /// Forgets what was sent so far.
    mutating func forgetSent() { sent = [] }

    private mutating func collect() {
        for host in hosts.keys.sorted() {
            for datagram in hosts[host]?.takeDatagrams() ?? [] { send(datagram, by: host) }
            for (_, name) in hosts[host]?.takeNames() ?? [] { nameChanges.append((host, name)) }
            for (_, event) in hosts[host]?.takeEvents() ?? [] { events.append((now, host, event)) }
        }
    }

    private mutating func send(_ datagram: OutgoingDatagram, by host: Int) {
        guard let message = try? DNSMessage(decoding: datagram.payload) else {
            preconditionFailure("a host sent what is no message")
        }
        sent.append(
            Sent(
                time: now, sender: host, destination: datagram.destination, message: message,
                bytes: datagram.payload))
        guard !isolated.contains(host) else { return }
        let incoming = IncomingDatagram(
            link: Self.link, source: HostEndpoint(Self.address(of: host), port: 5353),
            isMulticast: datagram.destination == nil, payload: datagram.payload)
        for receiver in hosts.keys.sorted() where receiver != host && !isolated.contains(receiver) {
            if let destination = datagram.destination, destination.address != Self.address(of: receiver) { continue }
            if Double.random(in: 0..<1, using: &random) < loss { continue }
            flying.append((now + Self.latency, receiver, incoming))
        }
    }
}

extension SimulatedNetwork.Sent {
    var isProbe: Bool { !message.isResponse && !message.authorities.isEmpty }

    /// Whether it answers with a record of a type, and does not withdraw it.
    func answers(_ type: RecordType) -> Bool {
        message.isResponse && message.answers.contains { $0.type == type && $0.timeToLive > 0 }
    }

    func asks(_ type: RecordType) -> Bool { !message.isResponse && message.questions.contains { $0.type == type } }
}

extension DNSMessage {
    /// Creates a query: its questions, the answers that the sender knows, and in a probe the records that it claims.
    init(asking questions: [DNSQuestion], knowing answers: [DNSRecord] = [], claiming: [DNSRecord] = []) {
        self.init()
        (self.questions, self.answers, authorities) = (questions, answers, claiming)
    }
}
