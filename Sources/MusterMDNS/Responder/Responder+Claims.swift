/// The part of a responder that claims names: it probes, announces and gives way (RFC 6762, sections 8 and 9).
extension Responder {
    /// Sends the probes, announcements and answers that are due.
    mutating func advance(to now: Duration) {
        for index in links.keys.sorted() {
            advanceClaims(on: index, at: now)
            answerTruncated(on: index, at: now)
            sendReplies(on: index, at: now)
            sendAnswers(on: index, at: now)
        }
    }

    private mutating func advanceClaims(on link: Int, at now: Duration) {
        var probes: [Owner] = []
        var announcements: [Owner] = []
        // The host first: a service is not announced before the name of its host.
        for owner in [Owner.host] + services.keys.sorted(by: { $0.number < $1.number }).map(Owner.service) {
            guard let step = claim(of: owner)?.steps[link], let next = step.next, next <= now else { continue }
            switch step.phase {
            case .probing(let sent) where sent < Claim.probeCount:
                probes.append(owner)
                set(owner, .probing(sent: sent + 1), next: now + Claim.probePause, on: link)
            case .probing: announce(owner, sent: 0, &announcements, on: link, at: now)
            case .announcing(let sent): announce(owner, sent: sent, &announcements, on: link, at: now)
            case .established: set(owner, .established, next: nil, on: link)
            }
        }
        sendProbes(probes, on: link)
        sendAnnouncements(announcements, on: link, at: now)
    }

    private mutating func set(_ owner: Owner, _ phase: Claim.Phase, next: Duration?, on link: Int) {
        change(owner) { $0.steps[link] = Claim.Step(phase: phase, next: next) }
    }

    private mutating func announce(
        _ owner: Owner, sent: Int, _ announcements: inout [Owner], on link: Int, at now: Duration
    ) {
        if owner != .host, !host.isOwned(on: link) {
            let next = host.steps[link]?.next.map { max($0, now + .milliseconds(1)) }
            change(owner) { $0.steps[link]?.next = next ?? now + Claim.announcementPause }
            return
        }
        // No record is sent to all hosts twice within a second (RFC 6762, section 6).
        let earliest = uniqueRecords(of: owner, on: link).compactMap { links[link]?.sent[$0] }.max()
            .map { $0 + .seconds(1) }
        if let earliest, earliest > now {
            change(owner) { $0.steps[link]?.next = earliest }
            return
        }
        announcements.append(owner)
        let isLast = sent + 1 >= Claim.announcementCount
        set(
            owner, isLast ? .established : .announcing(sent: sent + 1),
            next: isLast ? nil : now + Claim.announcementPause, on: link)
        change(owner) { if isLast { $0.clearConflicts() } }
        if case .service(let id) = owner { noteName(of: id) }
    }

    /// Asks whether other hosts have the names, and lists the records that this host wants (RFC 6762, section 8.1).
    ///
    /// The answer is not asked for by unicast: where several programs share the port, the system gives a unicast
    /// datagram to any one of them (RFC 6762, section 15.1).
    private mutating func sendProbes(_ owners: [Owner], on link: Int) {
        var message = DNSMessage()
        func send(_ message: DNSMessage, _ outgoing: inout [OutgoingDatagram]) {
            if !message.questions.isEmpty {
                outgoing.append(OutgoingDatagram(link: link, payload: message.encoded()))
            }
        }
        for owner in owners {
            guard let name = claim(of: owner)?.name else { continue }
            var longer = message
            longer.questions.append(DNSQuestion(name, .any))
            longer.authorities += uniqueRecords(of: owner, on: link).map {
                var record = $0
                record.flushesCache = false
                return record
            }
            if longer.encoded().count > MessagePacker.limitBytes, !message.questions.isEmpty {
                send(message, &outgoing)
                longer.questions.removeFirst(message.questions.count)
                longer.authorities.removeFirst(message.authorities.count)
            }
            message = longer
        }
        send(message, &outgoing)
    }

    /// Announces new records to all hosts on the link (RFC 6762, section 8.3).
    private mutating func sendAnnouncements(_ owners: [Owner], on link: Int, at now: Duration) {
        guard !owners.isEmpty else { return }
        var answers: [DNSRecord] = []
        for owner in owners {
            let records =
                if case .service(let id) = owner { services[id].map(records) ?? [] } else {
                    hostRecords(on: link)
                }
            answers += records.filter { !answers.contains($0) }
        }
        multicast(answers, on: link, at: now)
    }

    /// Sends records to all hosts, with the records that they are likely to ask for next, and records the time.
    mutating func multicast(_ answers: [DNSRecord], on link: Int, at now: Duration) {
        let owned = owned(on: link)
        let additionals = additionals(to: answers, among: owned)
        for record in answers {
            links[link]?.sent[record] = now
            links[link]?.answers[record] = nil
        }
        send(MessagePacker.packAnswers(answers, additionals: additionals), on: link)
    }

    /// Compares a response of another host with the records of this one (RFC 6762, sections 8.1, 9, 6.6, 7.4 and 10.1).
    mutating func receive(response: DNSMessage, on link: Int, at now: Duration) {
        guard response.isResponse, links[link] != nil, !services.isEmpty else { return }
        let owners = owners
        let owned = owned(on: link)
        var conflicts: Set<Owner> = []
        for record in response.answers + response.authorities + response.additionals {
            guard record.recordClass == DNSRecord.internet else { continue }
            if let mine = owned[record.name]?.first(where: { $0.hasSameData(as: record) }) {
                compare(mine, to: record, on: link, at: now)
            } else if record.timeToLive > 0, let owner = owners[record.name],
                isConflict(record, with: owner, on: link)
            {
                conflicts.insert(owner)
            }
        }
        for owner in conflicts { resolveConflict(owner, on: link, at: now) }
    }

    /// Handles a record of another host that is equal to one of this host.
    private mutating func compare(_ mine: DNSRecord, to theirs: DNSRecord, on link: Int, at now: Duration) {
        if theirs.timeToLive < mine.timeToLive / 2 {
            // The other host's shorter time to live would make caches forget the record, so this host sends it again.
            schedule([mine], after: .zero, gap: .seconds(1), on: link, at: now)
        } else if let due = links[link]?.answers[mine], due > now, theirs.timeToLive >= mine.timeToLive {
            links[link]?.answers[mine] = nil
        }
    }

    private func isConflict(_ record: DNSRecord, with owner: Owner, on link: Int) -> Bool {
        guard let claim = claim(of: owner), record.type != .nsec, claim.steps[link] != nil else { return false }
        let mine = uniqueRecords(of: owner, on: link)
        guard !mine.contains(where: { $0.hasSameData(as: record) }) else { return false }
        // A probing host gives way to any record of the name; an owner has a conflict only with a record of a type that
        // it has.
        return claim.isProbing(on: link) || mine.contains { $0.type == record.type }
    }

    private mutating func resolveConflict(_ owner: Owner, on link: Int, at now: Duration) {
        guard claim(of: owner)?.isProbing(on: link) == true else {
            let delay = probeDelay()
            change(owner) {
                $0.noteConflict(at: now)
                $0.probe(on: link, at: now, after: delay)
            }
            forgetOldRecords()
            return
        }
        switch owner {
        case .host: renameHost(at: now)
        case .service(let id): rename(id, at: now)
        }
    }

    /// Compares a probe of another host with this host's own for the same name; the lesser waits (RFC 6762,
    /// section 8.2.1).
    mutating func compareProbe(_ probe: DNSMessage, on link: Int, at now: Duration) {
        for (name, owner) in owners where claim(of: owner)?.isProbing(on: link) == true {
            let theirs = probe.authorities.filter { $0.name == name }
            guard !theirs.isEmpty, probe.questions.contains(where: { $0.name == name }) else { continue }
            let mine = uniqueRecords(of: owner, on: link)
            if Self.rank(mine).lexicographicallyPrecedes(Self.rank(theirs), by: { $0.lexicographicallyPrecedes($1) }) {
                change(owner) { $0.yield(on: link, at: now) }
            }
        }
    }

    /// Records in the order in which probes compare them: by class, type and data.
    private static func rank(_ records: [DNSRecord]) -> [[UInt8]] {
        records.map { record in
            [record.recordClass, record.type.rawValue].flatMap { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] }
                + record.data.canonicalBytes
        }.sorted { $0.lexicographicallyPrecedes($1) }
    }
}
