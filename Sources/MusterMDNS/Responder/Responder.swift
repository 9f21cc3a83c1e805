/// Advertises services: the answering half of multicast DNS (RFC 6762, sections 6 to 10; RFC 6763, sections 4 to 6).
///
/// It is a value that does nothing by itself. Its owner gives it messages and the time, sends what it returns, and
/// calls `advance` again at `deadline`. Times count from any fixed instant.
struct Responder: Sendable {
    /// The most services that are advertised.
    static let limitServices = 64
    /// The times to live in seconds: of records that hold the host's name, and of the others (RFC 6762, section 10).
    static let hostTimeToLive: UInt32 = 120
    static let otherTimeToLive: UInt32 = 4_500

    /// The records to send on a link, and those that were sent.
    struct LinkState: Sendable {
        var link: NetworkLink
        /// Waiting answers to all hosts, each with the time at which it is sent.
        var answers: [DNSRecord: Duration] = [:]
        /// When each record was last sent to all hosts.
        var sent: [DNSRecord: Duration] = [:]
        /// Answers for one host each.
        var replies: [Reply] = []
        /// Questions whose known answers continue in further messages.
        var truncated: [HostEndpoint: TruncatedQuery] = [:]
        /// The number of unicast answers that may be sent, and the time of that count.
        var allowance = UnicastAllowance()
    }

    var links: [Int: LinkState] = [:]
    var services: [ServiceID: AdvertisedService] = [:] { didSet { ownedByLink = [:] } }
    var host: Claim { didSet { ownedByLink = [:] } }
    /// The records with which this host answers on each link, by name; no entry for a link on which they may have
    /// changed.
    var ownedByLink: [Int: [DNSName: [DNSRecord]]] = [:]
    private let hostWish: String
    private var hostAttempt = 1
    private var lastID = 0
    private var names: [(ServiceID, String)] = []
    var outgoing: [OutgoingDatagram] = []
    var random: any RandomNumberGenerator & Sendable

    /// The port from which hosts that support multicast DNS send.
    let port: UInt16

    /// - Parameter hostLabel: the first label of the host's name; `local` follows it.
    init(hostLabel: String, port: UInt16, random: any RandomNumberGenerator & Sendable) {
        self.port = port
        hostWish = hostLabel
        host = Claim(name: DNSName.local.prepending(hostLabel.utf8) ?? .local)
        self.random = random
    }

    /// Starts to advertise on a link, or replaces this host's addresses there.
    mutating func setLink(_ link: NetworkLink, at now: Duration) {
        guard let old = links[link.index] else {
            links[link.index] = LinkState(link: link)
            guard !services.isEmpty else { return }
            probeAll(on: link.index, at: now)
            return
        }
        guard old.link != link else { return }
        links[link.index]?.link = link
        ownedByLink = [:]
        host.announceAgain(on: link.index, at: now)
    }

    /// Removes a link that no longer exists.
    mutating func removeLink(_ index: Int) {
        links[index] = nil
        ownedByLink = [:]
        host.steps[index] = nil
        for id in services.keys { services[id]?.claim.steps[index] = nil }
    }

    private mutating func probeAll(on link: Int, at now: Duration) {
        let delay = probeDelay()
        if host.steps[link] == nil { host.probe(on: link, at: now, after: delay) }
        for id in services.keys where services[id]?.claim.steps[link] == nil {
            services[id]?.claim.probe(on: link, at: now, after: delay)
        }
    }

    /// The delay of a probe, so that hosts which start together do not probe together (RFC 6762, section 8.1).
    mutating func probeDelay() -> Duration { .milliseconds(Int.random(in: 0...250, using: &random)) }

    /// Begins to advertise a service. `takeNames` returns its name once it is known to be free.
    mutating func advertise(_ service: ServiceDescription, at now: Duration) throws(ServiceError) -> ServiceID {
        guard services.count < Self.limitServices else { throw .tooMany(limit: Self.limitServices) }
        let type = try ServiceNames.type(service.type)
        guard let strings = service.text.strings else { throw .badText }
        var advertised = AdvertisedService(
            type: type, wish: service.name, name: service.name, port: service.port, text: strings,
            claim: Claim(name: type))
        // Two services of this host do not compete for a name by probes, so the second one gets another name here.
        guard advertised.chooseName(besides: services.values.map(\.claim.name)) else { throw .badName(service.name) }
        lastID += 1
        let id = ServiceID(number: lastID)
        services[id] = advertised
        for link in links.keys { probeAll(on: link, at: now) }
        return id
    }

    /// Stops advertising a service, and says goodbye to all hosts (RFC 6762, section 10.1).
    mutating func withdraw(_ id: ServiceID) {
        guard let service = services[id] else { return }
        let isLast = services.count == 1
        for index in links.keys.sorted() {
            var records = service.claim.isOwned(on: index) ? goodbyes(to: service, on: index) : []
            if isLast, host.isOwned(on: index) { records += hostRecords(on: index) }
            send(MessagePacker.packAnswers(records.map { $0.withTimeToLive(0) }, additionals: []), on: index)
        }
        services[id] = nil
        if isLast { host.steps = [:] }
        forgetOldRecords()
    }

    /// The records of a service that no other service of this host has.
    private func goodbyes(to service: AdvertisedService, on link: Int) -> [DNSRecord] {
        let others = services.values.filter { $0.type == service.type && $0.claim.isOwned(on: link) }
        return records(of: service).filter { others.count == 1 || $0.name != ServiceNames.types }
    }

    /// Returns the names that services have got since it was last called, in order.
    mutating func takeNames() -> [(ServiceID, String)] {
        defer { names = [] }
        return names
    }

    /// Returns the datagrams to send since the last call.
    mutating func takeDatagrams() -> [OutgoingDatagram] {
        defer { outgoing = [] }
        return outgoing
    }

    mutating func send(_ messages: [[UInt8]], on link: Int, to destination: HostEndpoint? = nil) {
        outgoing += messages.map { OutgoingDatagram(link: link, destination: destination, payload: $0) }
    }

    /// When `advance` is to be called next; nil when nothing is planned.
    var deadline: Duration? {
        var times = host.steps.values.compactMap(\.next)
        for service in services.values { times += service.claim.steps.values.compactMap(\.next) }
        for link in links.values {
            times += link.answers.values
            times += link.replies.map(\.due)
            times += link.truncated.values.map(\.due)
        }
        return times.min()
    }

    /// Records a service's name for `takeNames` when it is first announced on any link.
    mutating func noteName(of id: ServiceID) {
        guard let service = services[id], service.toldName != service.name else { return }
        services[id]?.toldName = service.name
        names.append((id, service.name))
    }

    /// Chooses another name for the host, and probes for it everywhere. The services' records hold the name, so they
    /// are announced anew.
    mutating func renameHost(at now: Duration) {
        host.noteConflict(at: now)
        hostAttempt += 1
        let ending = "-\(hostAttempt)"
        let label = hostWish.utf8.prefix(DNSName.limitLabelBytes - ending.utf8.count) + Array(ending.utf8)
        host.name = DNSName.local.prepending(label) ?? host.name
        for link in links.keys {
            let delay = probeDelay()
            host.probe(on: link, at: now, after: delay)
            for id in services.keys { services[id]?.claim.announceAgain(on: link, at: now) }
        }
        forgetOldRecords()
    }

    /// Chooses another name for a service, and probes for it everywhere.
    mutating func rename(_ id: ServiceID, at now: Duration) {
        guard var service = services.removeValue(forKey: id) else { return }
        service.claim.noteConflict(at: now)
        service.attempt += 1
        _ = service.chooseName(besides: services.values.map(\.claim.name))
        let delay = probeDelay()
        for link in links.keys { service.claim.probe(on: link, at: now, after: delay) }
        services[id] = service
        forgetOldRecords()
    }

    /// Drops planned answers and sending times of records that this host no longer has.
    mutating func forgetOldRecords() {
        for index in Array(links.keys) {
            let owned = Set(owned(on: index).values.joined())
            guard let link = links[index] else { continue }
            links[index]?.answers = link.answers.filter { owned.contains($0.key) }
            links[index]?.sent = link.sent.filter { owned.contains($0.key) }
        }
    }
}

extension AdvertisedService {
    /// Sets the name of this attempt, or of the next that no service of this host has.
    ///
    /// - Returns: false when the name is empty or too long.
    fileprivate mutating func chooseName(besides taken: [DNSName]) -> Bool {
        while true {
            name = attempt == 1 ? wish : ServiceNames.numbered(wish, attempt)
            guard let full = type.prepending(name.utf8) else { return false }
            claim.name = full
            if !taken.contains(full) { return true }
            attempt += 1
        }
    }
}
