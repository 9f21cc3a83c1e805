// `Claim`: the progress of a responder in claiming a name: probing, announcing, or owning it.

/// A service that this host advertises.
package struct ServiceID: Hashable, Sendable {
    var number: Int
}

/// A name that this host alone may have on a link, from the first probe for it on (RFC 6762, sections 8 and 9).
struct Claim: Sendable {
    /// The state of the claim on one link.
    enum Phase: Hashable, Sendable {
        /// This host asks whether another host has the name; `sent` probes were sent.
        case probing(sent: Int)
        /// No host objected; `sent` announcements were sent.
        case announcing(sent: Int)
        /// The name is announced, and this host answers questions for it.
        case established
    }

    /// The next step of a claim on one link.
    struct Step: Hashable, Sendable {
        var phase: Phase
        /// When to take it; nil when there is none.
        var next: Duration?
    }

    static let probeCount = 3
    static let probePause = Duration.milliseconds(250)
    static let announcementCount = 2
    static let announcementPause = Duration.seconds(1)
    /// This number of conflicts within `conflictWindow` makes each further probe wait `conflictPause` (RFC 6762,
    /// section 8.1).
    static let conflictLimit = 15
    static let conflictWindow = Duration.seconds(10)
    static let conflictPause = Duration.seconds(5)

    var name: DNSName
    /// The step of each link, by the link's index.
    var steps: [Int: Step] = [:]
    private var conflicts: [Duration] = []
    /// Whether there were so many conflicts that each probe waits, until one succeeds.
    private var isSlow = false

    init(name: DNSName) { self.name = name }

    /// Begins to probe on a link.
    ///
    /// - Parameter delay: 0 to 250 ms, so that hosts which start together do not probe together.
    mutating func probe(on link: Int, at now: Duration, after delay: Duration) {
        var delay = delay
        if isSlow { delay += Self.conflictPause }
        steps[link] = Step(phase: .probing(sent: 0), next: now + delay)
    }

    /// Lets another host's probe go first after a simultaneous one. This host probes again a second later, and the
    /// other host, if it has the name by then, objects (RFC 6762, section 8.2).
    mutating func yield(on link: Int, at now: Duration) {
        steps[link] = Step(phase: .probing(sent: 0), next: now + .seconds(1))
    }

    mutating func noteConflict(at now: Duration) {
        conflicts.removeAll { now - $0 > Self.conflictWindow }
        if conflicts.count < Self.conflictLimit { conflicts.append(now) } else { isSlow = true }
    }

    /// Resets the count of conflicts, once no host objects any more.
    mutating func clearConflicts() { (conflicts, isSlow) = ([], false) }

    /// Announces the name on a link again, if it was announced there before.
    mutating func announceAgain(on link: Int, at now: Duration) {
        guard isOwned(on: link) else { return }
        steps[link] = Step(phase: .announcing(sent: 0), next: now)
    }

    /// Whether this host answers questions for the name on a link.
    func isOwned(on link: Int) -> Bool {
        switch steps[link]?.phase {
        case .announcing, .established: true
        case .probing, nil: false
        }
    }

    func isProbing(on link: Int) -> Bool {
        if case .probing = steps[link]?.phase { true } else { false }
    }
}

/// A service with the claim to its name.
struct AdvertisedService: Sendable {
    var type: DNSName
    /// The name that was asked for.
    var wish: String
    /// The number of names that were tried: "Printer", "Printer (2)".
    var attempt = 1
    /// The name that the service has, or for which this host probes.
    var name: String
    /// The name of the service that was last recorded for `takeNames`.
    var toldName: String?
    var port: UInt16
    /// The strings of its TXT record.
    var text: [UInt8]
    var claim: Claim
}
