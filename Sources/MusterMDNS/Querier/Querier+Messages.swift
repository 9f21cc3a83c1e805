/// The part of a querier that handles messages of other hosts, and sends the questions that are due.
extension Querier {
    /// Handles a response (RFC 6762, section 6).
    ///
    /// It stores only records of services that are browsed for, and the addresses of their hosts.
    mutating func receive(_ response: DNSMessage, from source: HostAddress, on index: Int, at now: Duration) {
        guard response.isResponse, !browses.isEmpty, var link = links.removeValue(forKey: index) else { return }
        let records = (response.answers + response.additionals).filter {
            $0.recordClass == DNSRecord.internet && isWanted($0)
        }
        // Records of services are read first, because they decide which hosts' addresses are wanted.
        for record in records where record.type != .a && record.type != .aaaa {
            guard link.cache.insert(record, from: source, at: now, random: &random) == .changed else { continue }
            link.hosts = nil
            markDirty(record, in: &link, at: now)
        }
        for record in records where record.type == .a || record.type == .aaaa {
            guard services(on: record.name, in: &link, at: now) != nil,
                link.cache.insert(record, from: source, at: now, random: &random) == .changed
            else { continue }
            markDirty(record, in: &link, at: now)
        }
        let cache = link.cache
        link.missing = link.missing.filter { cache.records($0.key.name, $0.key.type, at: now).isEmpty }
        links[index] = link
        review(at: now)
    }

    /// Whether a record may be one of a service that is browsed for.
    private func isWanted(_ record: DNSRecord) -> Bool {
        switch record.data {
        case .pointer(let name): browses[record.name] != nil && name.parent == record.name
        case .service, .text: browses[record.name.parent] != nil
        case .address: true
        case .present, .unknown: false
        }
    }

    /// Returns the services on a host, according to a link's cache; nil when there are none.
    private func services(on host: DNSName, in link: inout LinkState, at now: Duration) -> [DNSName]? {
        if let hosts = link.hosts { return hosts[host] }
        var hosts: [DNSName: [DNSName]] = [:]
        for type in browses.keys {
            for pointer in link.cache.records(type, .ptr, at: now) {
                guard case .pointer(let name) = pointer.data else { continue }
                for record in link.cache.records(name, .srv, at: now) {
                    if case .service(let location) = record.data { hosts[location.target, default: []].append(name) }
                }
            }
        }
        link.hosts = hosts
        return hosts[host]
    }

    /// Marks the services to which a record belongs as changed.
    private mutating func markDirty(_ record: DNSRecord, in link: inout LinkState, at now: Duration) {
        switch record.data {
        case .pointer(let name): if browses[record.name] != nil { dirty[name] = record.name }
        case .service, .text: if browses[record.name.parent] != nil { dirty[record.name] = record.name.parent }
        case .address: for name in services(on: record.name, in: &link, at: now) ?? [] { dirty[name] = name.parent }
        case .present, .unknown: break
        }
    }

    /// Handles another host's question. If this host was about to ask the same within a second, and the other host
    /// lists no known answer that this one lacks, the other's question serves both (RFC 6762, section 7.3).
    mutating func observe(_ query: DNSMessage, on index: Int, at now: Duration) {
        guard !query.isResponse, !query.isTruncated, query.authorities.isEmpty, let link = links[index] else { return }
        for question in query.questions where question.type == .ptr && !question.wantsUnicast {
            guard let pace = link.browses[question.name], pace.next - now <= .seconds(1) else { continue }
            let mine = link.cache.knownAnswers(question.name, .ptr, at: now)
            let theirs = query.answers.filter { $0.name == question.name && $0.type == .ptr }
            if theirs.allSatisfy({ known in mine.contains { $0.hasSameData(as: known) } }) {
                links[index]?.browses[question.name]?.step(from: now)
            }
        }
    }

    /// Asks the questions that are due, and removes the records that have ended.
    mutating func advance(to now: Duration) -> [OutgoingDatagram] {
        var asked: [Int: Set<DNSQuestion>] = [:]
        for index in links.keys.sorted() {
            guard var link = links.removeValue(forKey: index) else { continue }
            let (ended, refresh) = link.cache.advance(to: now)
            link.toRefresh.formUnion(refresh)
            // Otherwise one host with short-lived records would make every host of the link ask all the time.
            if let refreshedAt = link.refreshedAt, now - refreshedAt < .seconds(1) {
                asked[index] = []
            } else {
                asked[index] = link.toRefresh
                if !link.toRefresh.isEmpty { link.refreshedAt = now }
                link.toRefresh = []
            }
            for (type, pace) in link.browses where pace.next <= now {
                link.browses[type]?.step(from: now)
                asked[index]?.insert(DNSQuestion(type, .ptr))
            }
            for record in ended { markDirty(record, in: &link, at: now) }
            if !ended.isEmpty { link.hosts = nil }
            links[index] = link
        }
        review(at: now)
        return asked.sorted { $0.key < $1.key }.flatMap { index, questions in
            messages(asking: questions.union(dueMissing(on: index, at: now)), on: index, at: now)
        }
    }

    /// The number of known answers in a question: they fill a few packets.
    private static let mostKnownAnswers = 128

    private func messages(asking questions: Set<DNSQuestion>, on index: Int, at now: Duration) -> [OutgoingDatagram] {
        guard let link = links[index], !questions.isEmpty else { return [] }
        let ordered = questions.map { ($0.name.description, $0) }
            .sorted { ($0.0, $0.1.type.rawValue) < ($1.0, $1.1.type.rawValue) }.map(\.1)
        let known = ordered.flatMap { link.cache.knownAnswers($0.name, $0.type, at: now) }
        // Hosts send the omitted answers again (RFC 6762, section 7.1).
        return MessagePacker.packQuestions(ordered, knowing: Array(known.prefix(Self.mostKnownAnswers))).map {
            OutgoingDatagram(link: index, payload: $0)
        }
    }

    /// Returns the due questions about services of which records are missing. Questions about a service that is gone
    /// are dropped.
    private mutating func dueMissing(on index: Int, at now: Duration) -> [DNSQuestion] {
        guard let due = links[index]?.missing.filter({ $0.value.next <= now }).keys, !due.isEmpty,
            var link = links.removeValue(forKey: index)
        else { return [] }
        defer { links[index] = link }
        return due.filter { question in
            guard isStillMissing(question, in: &link, at: now) else {
                link.missing[question] = nil
                return false
            }
            link.missing[question]?.step(from: now)
            return true
        }
    }

    private func isStillMissing(_ question: DNSQuestion, in link: inout LinkState, at now: Duration) -> Bool {
        guard link.cache.records(question.name, question.type, at: now).isEmpty else { return false }
        if question.type == .a || question.type == .aaaa {
            let other = question.type == .a ? RecordType.aaaa : .a
            return services(on: question.name, in: &link, at: now) != nil
                && link.cache.records(question.name, other, at: now).isEmpty
        }
        return link.cache.records(question.name.parent, .ptr, at: now).contains { $0.data == .pointer(question.name) }
    }
}
