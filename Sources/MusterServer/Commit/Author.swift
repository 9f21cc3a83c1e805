package import MusterCore
package import MusterStore

/// The user, and the device if any, that the audit log names as the author of a change made by hand.
package struct Author: Hashable, Sendable {
    /// The user who sent the request.
    package let user: UserNumber
    /// The device whose token authenticated the request; nil where another credential did.
    package let device: DeviceNumber?
    /// The user of the operating system who used the command line on the server's machine; nil for any other request.
    package let operatorName: String?

    /// Makes the author from an authenticated principal.
    package init(_ principal: Principal) {
        user = principal.user
        device = principal.device
        operatorName = principal.operatorName
    }

    /// Makes an author from a user on whose behalf the server acts.
    package init(user: UserNumber) {
        self.user = user
        device = nil
        operatorName = nil
    }
}

extension Change {
    /// Returns the audit log's entry for a change that the engine decided at a person's request: a declaration, an
    /// incident that someone started, closed, reopened or handed over, a PAR that someone requested or reported, a
    /// user's edit of an attendance or proximity rule, or a leader's change to a roll. Returns nil for all others.
    package func audit(at sequence: MusterCore.LogSequence) -> AuditEntry? {
        switch self {
        case .declaration(var declaration, let isCurrent):
            // The audit log is kept for a year: a note or place in it must not outlive its deletion elsewhere.
            declaration.note = nil
            declaration.coordinate = nil
            return AuditEntry(
                sequence: sequence, at: declaration.receivedTime, author: declaration.author,
                device: declaration.device, change: .declaration(declaration, isCurrent: isCurrent))
        case .checkInTimer(var timer, let user):
            // A person's own check-ins are as frequent as the timer asks for, and change nothing that holds.
            guard let author = timer.turnBy, timer.turn != .checkedIn || author != user else { return nil }
            timer.note = nil
            return AuditEntry(
                sequence: sequence, at: timer.turnAt, author: author, change: .checkInTimer(timer, of: user))
        case .attendance(var report):
            guard let author = report.by else { return nil }
            // The audit omits people's positions, because it is kept longer than the log.
            report.count = AttendanceCount()
            report.note = nil
            return AuditEntry(sequence: sequence, at: report.at, author: author, change: .attendance(report))
        case .proximity(var report):
            guard let author = report.by else { return nil }
            report.note = nil
            return AuditEntry(sequence: sequence, at: report.at, author: author, change: .proximity(report))
        case .incident(let incident):
            switch incident.turn {
            case .started:
                return AuditEntry(
                    sequence: sequence, at: incident.startedAt, author: incident.startedBy, change: self)
            case .closed:
                guard let closing = incident.closing, case .byHand(let user, _) = closing.how else { return nil }
                return AuditEntry(sequence: sequence, at: closing.at, author: user, change: self)
            case .reopened:
                return incident.reopening.map {
                    AuditEntry(sequence: sequence, at: $0.at, author: $0.by, change: self)
                }
            case .parRequested, .parReported, .parTimerSet, .handedOver:
                guard let news = incident.news, let author = news.by else { return nil }
                return AuditEntry(sequence: sequence, at: news.at, author: author, change: self)
            case .allAccounted, .notAllAccounted, .parComplete, .parOverdue: return nil
            }
        case .roll(var entry, let team):
            // An acknowledgement of a call is no decision about others: the incident's own record has it.
            guard let author = entry.author, entry.event != .callSeen else { return nil }
            // Keeps the note that says why a person is no longer looked for. Any other note may reveal someone's
            // health.
            if entry.event != .takenOff && entry.event != .joinedTo { entry.note = nil }
            return AuditEntry(sequence: sequence, at: entry.at, author: author, change: .roll(entry, of: team))
        default: return nil
        }
    }
}
