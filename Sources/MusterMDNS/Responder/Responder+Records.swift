/// The records of a responder's services and of its host.
extension Responder {
    /// The owner of a name of this host.
    enum Owner: Hashable {
        case host
        case service(ServiceID)
    }

    /// The names that this host claims, on any link.
    var owners: [DNSName: Owner] {
        guard !services.isEmpty else { return [:] }
        var owners: [DNSName: Owner] = [host.name: .host]
        for (id, service) in services { owners[service.claim.name] = .service(id) }
        return owners
    }

    /// The records of a service: those that many hosts may have, and those of its name alone (RFC 6763, sections 4 to 6
    /// and 9).
    func records(of service: AdvertisedService) -> [DNSRecord] {
        let name = service.claim.name
        let location = ServiceLocation(port: service.port, target: host.name)
        return [
            DNSRecord(service.type, .pointer(name), timeToLive: Self.otherTimeToLive),
            DNSRecord(name, .service(location), timeToLive: Self.hostTimeToLive, flushesCache: true),
            DNSRecord(name, .text(service.text), timeToLive: Self.otherTimeToLive, flushesCache: true),
            DNSRecord(ServiceNames.types, .pointer(service.type), timeToLive: Self.otherTimeToLive),
        ]
    }

    /// The addresses of this host on a link.
    func hostRecords(on link: Int) -> [DNSRecord] {
        links[link]?.link.addresses.map {
            DNSRecord(host.name, .address($0.address), timeToLive: Self.hostTimeToLive, flushesCache: true)
        } ?? []
    }

    /// The records of a claim that no other host may have.
    func uniqueRecords(of owner: Owner, on link: Int) -> [DNSRecord] {
        switch owner {
        case .host: hostRecords(on: link)
        case .service(let id): services[id].map { records(of: $0).filter(\.flushesCache) } ?? []
        }
    }

    func claim(of owner: Owner) -> Claim? {
        switch owner {
        case .host: host
        case .service(let id): services[id]?.claim
        }
    }

    mutating func change(_ owner: Owner, _ body: (inout Claim) -> Void) {
        switch owner {
        case .host: body(&host)
        case .service(let id):
            guard var claim = services[id]?.claim else { return }
            body(&claim)
            services[id]?.claim = claim
        }
    }

    /// Returns the records with which this host answers questions on a link, by name.
    mutating func owned(on link: Int) -> [DNSName: [DNSRecord]] {
        if let owned = ownedByLink[link] { return owned }
        guard host.isOwned(on: link) else { return [:] }
        var records = hostRecords(on: link)
        for service in services.values where service.claim.isOwned(on: link) { records += self.records(of: service) }
        var seen: Set<DNSRecord> = []
        let owned = Dictionary(grouping: records.filter { seen.insert($0).inserted }, by: \.name)
        ownedByLink[link] = owned
        return owned
    }

    /// Returns the NSEC record of a name: the types that it has, and thereby that it has no others (RFC 6762, section
    /// 6.1).
    func absence(_ name: DNSName, among records: [DNSRecord]) -> DNSRecord {
        let types = Set(records.lazy.filter { $0.name == name }.map(\.type)).sorted { $0.rawValue < $1.rawValue }
        return DNSRecord(
            name, .present(types, next: name), timeToLive: Self.hostTimeToLive, flushesCache: true)
    }

    /// Returns the records that a receiver of these answers is likely to ask for next (RFC 6763, section 12; RFC 6762,
    /// section 6.1).
    func additionals(to answers: [DNSRecord], among owned: [DNSName: [DNSRecord]]) -> [DNSRecord] {
        var names: [DNSName] = []
        var isHostWanted = false
        for answer in answers {
            switch answer.data {
            case .pointer(let name) where owned[name] != nil: names.append(name)
            case .service, .text: if answer.timeToLive > 0 { names.append(answer.name) }
            case .address: isHostWanted = true
            case .pointer, .present, .unknown: break
            }
        }
        if !names.isEmpty || isHostWanted { names.append(host.name) }
        var found: [DNSRecord] = []
        for name in names { found += owned[name] ?? [] }
        for name in names { owned[name].map { found.append(absence(name, among: $0)) } }
        var seen = Set(answers)
        return found.filter { seen.insert($0).inserted }
    }
}
