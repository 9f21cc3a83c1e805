/// Looks for services, and stores the received records of them: the asking half of multicast DNS (RFC 6762, sections 5,
/// 7 and 10; RFC 6763, sections 4 to 6).
///
/// It is a value that does nothing by itself. Its owner gives it messages and the time, sends what it returns, and
/// calls `advance` again at `deadline`. Times count from any fixed instant.
struct Querier: Sendable {
    /// The most types that are browsed for.
    static let limitTypes = 64
    /// The most questions about services that are known in part, for each link.
    static let limitMissing = 1_024
    /// The longest pause between two questions for a type (RFC 6762, section 5.2).
    static let longestPause = Duration.seconds(3_600)

    /// When a question is asked next, and how long after that.
    struct Pace: Sendable {
        var next: Duration
        var pause = Duration.seconds(1)

        /// Counts a question that was asked, by this host or another.
        mutating func step(from now: Duration) {
            next = now + pause
            pause = min(pause * 2, Querier.longestPause)
        }
    }

    struct LinkState: Sendable {
        var cache: RecordCache
        var browses: [DNSName: Pace] = [:]
        /// The questions for the missing records of services that are known in part.
        var missing: [DNSQuestion: Pace] = [:]
        /// The questions for records whose life is nearly over, until they are asked.
        var toRefresh: Set<DNSQuestion> = []
        /// When such questions were asked last.
        var refreshedAt: Duration?
        /// The services on each host; nil when `services(on:in:at:)` must compute them anew.
        var hosts: [DNSName: [DNSName]]?
    }

    /// The state of a type that is looked for.
    struct Browse: Sendable {
        /// The services that events have reported.
        var reported: [DNSName: ServiceInstance] = [:]
    }

    var links: [Int: LinkState] = [:]
    var browses: [DNSName: Browse] = [:]
    /// The services whose records changed since their last evaluation, by their names, with the type of each.
    var dirty: [DNSName: DNSName] = [:]
    private var events: [(type: DNSName, event: ServiceEvent)] = []
    let limits: RecordCache.Limits
    var random: any RandomNumberGenerator & Sendable

    init(limits: RecordCache.Limits = .init(), random: any RandomNumberGenerator & Sendable) {
        (self.limits, self.random) = (limits, random)
    }

    /// When `advance` is to be called next; nil when nothing is planned.
    var deadline: Duration? {
        links.values.lazy.flatMap { link in
            [link.cache.deadline, link.browses.values.map(\.next).min(), link.missing.values.map(\.next).min()]
        }.compactMap { $0 }.min()
    }

    /// Begins to ask on a link.
    mutating func addLink(_ index: Int, at now: Duration) {
        guard links[index] == nil else { return }
        var link = LinkState(cache: RecordCache(limits: limits))
        for type in browses.keys { link.browses[type] = Pace(next: now + startDelay()) }
        links[index] = link
    }

    /// Removes a link with everything received on it.
    mutating func removeLink(_ index: Int, at now: Duration) {
        guard links.removeValue(forKey: index) != nil else { return }
        for (type, browse) in browses { for name in browse.reported.keys { dirty[name] = type } }
        review(at: now)
    }

    /// Begins to look for services of a type. It does nothing for a type that is browsed for already.
    mutating func browse(_ type: DNSName, at now: Duration) throws(ServiceError) {
        guard browses[type] == nil else { return }
        guard browses.count < Self.limitTypes else { throw .tooMany(limit: Self.limitTypes) }
        browses[type] = Browse()
        for index in Array(links.keys) {
            let delay = startDelay()
            links[index]?.browses[type] = Pace(next: now + delay)
        }
    }

    /// Stops looking for a type, and forgets its services.
    mutating func stopBrowsing(_ type: DNSName) {
        browses[type] = nil
        dirty = dirty.filter { $0.value != type }
        for index in Array(links.keys) {
            guard var link = links[index] else { continue }
            link.browses[type] = nil
            link.missing = link.missing.filter { $0.key.name != type && $0.key.name.parent != type }
            link.cache.retain { $0.name != type && $0.name.parent != type }
            link.hosts = nil
            links[index] = link
        }
    }

    /// Returns the services of a type that events have reported.
    func instances(of type: DNSName) -> [ServiceInstance] {
        browses[type].map { $0.reported.values.sorted { $0.name < $1.name } } ?? []
    }

    /// Returns the events since the last call, in order.
    mutating func takeEvents() -> [(type: DNSName, event: ServiceEvent)] {
        defer { events = [] }
        return events
    }

    /// The first question waits 20 to 120 ms, so that hosts which start together do not ask together (RFC 6762,
    /// section 5.2).
    private mutating func startDelay() -> Duration {
        .milliseconds(Int.random(in: 20...120, using: &random))
    }

    /// Evaluates each service whose records changed: adds the event, and plans the questions for missing records.
    mutating func review(at now: Duration) {
        let changed = dirty
        dirty = [:]
        for (name, type) in changed {
            guard let browse = browses[type] else { continue }
            let before = browse.reported[name]
            let after = resolve(name, type, at: now)
            guard before != after else { continue }
            browses[type]?.reported[name] = after
            switch (before, after) {
            case (nil, let after?): events.append((type, .found(after)))
            case (_?, let after?): events.append((type, .changed(after)))
            case (let before?, nil): events.append((type, .removed(before)))
            case (nil, nil): break
            }
        }
    }

    /// Combines the records of a service from all links; nil when no link has all of its records.
    private mutating func resolve(_ name: DNSName, _ type: DNSName, at now: Duration) -> ServiceInstance? {
        var instance: ServiceInstance?
        for index in links.keys.sorted() {
            guard let cache = links[index]?.cache else { continue }
            let pointers = cache.records(type, .ptr, at: now)
            guard pointers.contains(where: { $0.data == .pointer(name) }) else { continue }
            let location = location(name, in: cache, at: now)
            let texts = cache.records(name, .txt, at: now)
            if location == nil { plan(DNSQuestion(name, .srv), on: index, at: now) }
            if texts.isEmpty { plan(DNSQuestion(name, .txt), on: index, at: now) }
            guard let location else { continue }
            let addresses = [RecordType.a, .aaaa].flatMap { cache.records(location.target, $0, at: now) }
                .compactMap { if case .address(let address) = $0.data { address } else { nil } }
            if addresses.isEmpty {
                plan(DNSQuestion(location.target, .a), on: index, at: now)
                plan(DNSQuestion(location.target, .aaaa), on: index, at: now)
            }
            guard case .text(let strings) = texts.last?.data, !addresses.isEmpty else { continue }
            if instance == nil {
                instance = ServiceInstance(
                    name: name.firstLabel, type: ServiceNames.text(of: type), host: location.target.description,
                    port: location.port, addresses: [], text: ServiceText(reading: strings))
            }
            instance?.addresses += addresses.map { ServiceInstance.Address($0, interfaceIndex: index) }
        }
        instance?.addresses.sort { Self.order($0) < Self.order($1) }
        return instance
    }

    /// Returns the host and port of a service. Of several records, the one of the lowest priority counts (RFC 2782),
    /// and of several with the same priority the newest: a newer record that comes within a second does not end an
    /// older one.
    private func location(_ name: DNSName, in cache: RecordCache, at now: Duration) -> ServiceLocation? {
        cache.records(name, .srv, at: now).reversed()
            .compactMap { if case .service(let location) = $0.data { location } else { nil } }
            .min { $0.priority < $1.priority }
    }

    private static func order(_ address: ServiceInstance.Address) -> (Int, String, Int) {
        let isV4 = if case .v4 = address.address { true } else { false }
        return (
            isV4 ? 0 : address.address.isLinkLocal6 ? 2 : 1, address.address.description, address.interfaceIndex
        )
    }

    private mutating func plan(_ question: DNSQuestion, on index: Int, at now: Duration) {
        guard let link = links[index], link.missing[question] == nil, link.missing.count < Self.limitMissing else {
            return
        }
        let delay = startDelay()
        links[index]?.missing[question] = Pace(next: now + delay)
    }
}
