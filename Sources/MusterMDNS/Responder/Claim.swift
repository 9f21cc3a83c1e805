/// A service that this host advertises.
package struct ServiceID: Hashable, Sendable {
    var number: Int
}

/// A name that this host alone may have on a link, on its way from a wish to a fact (RFC 6762, sections 8 and 9).
struct Claim: Sendable {
    /// Where it stands on one link.
    enum Phase: Hashable, Sendable {
        /// So many probes were sent.
        case probing(sent: Int)
        /// Nobody objected; so many announcements were sent.
        case announcing(sent: Int)
        /// It is announced, and answered for.
        case established
    }

    /// What happens next on one link.
    struct Step: Hashable, Sendable {
        var phase: Phase
        /// When; nil when nothing does.
        var next: Duration?
    }

    static let probeCount = 3
    static let probePause = Duration.milliseconds(250)
    static let announcementCount = 2
    static let announcementPause = Duration.seconds(1)
    /// So many conflicts within `conflictWindow` make each further probe wait `conflictPause` (RFC 6762, section 8.1).
    static let conflictLimit = 15
    static let conflictWindow = Duration.seconds(10)
    static let conflictPause = Duration.seconds(5)

    var name: DNSName
    /// By the index of the link.
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

    /// Lets the winner of a simultaneous probe go first: it answers the probes that begin in a second (RFC 6762,
    /// section 8.2).
    mutating func yield(on link: Int, at now: Duration) {
        steps[link] = Step(phase: .probing(sent: 0), next: now + .seconds(1))
    }

    mutating func noteConflict(at now: Duration) {
        conflicts.removeAll { now - $0 > Self.conflictWindow }
        if conflicts.count < Self.conflictLimit { conflicts.append(now) } else { isSlow = true }
    }

    /// Notes that nobody objected.
    mutating func settle() { (conflicts, isSlow) = ([], false) }

    /// Announces it on a link anew, if it has got so far.
    mutating func announceAgain(on link: Int, at now: Duration) {
        guard isOwned(on: link) else { return }
        steps[link] = Step(phase: .announcing(sent: 0), next: now)
    }

    /// Whether this host answers for it on a link.
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
    /// How many names were tried: "Printer", "Printer (2)".
    var attempt = 1
    /// The name that is tried or had.
    var name: String
    /// The name that its owner was told.
    var toldName: String?
    var port: UInt16
    /// The strings of its TXT record.
    var text: [UInt8]
    var claim: Claim
}
