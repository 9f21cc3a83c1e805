/// The people for whom an incident must account. The lines of the incident's record, applied in their order, make the
/// roll, so it is as durable as they are. Only a user's action takes anyone off it (`takenOff`, `joinedTo`).
public struct Roll: Hashable, Sendable {
    /// Everyone who is or was on the roll.
    public private(set) var members: [UserNumber: Member] = [:]
    /// The time at which each person was first accounted for since the incident was last opened. It lacks people whom
    /// a server of an earlier version saw accounted for. The times are apart from `members`, so that the engine copies
    /// no members as people arrive.
    public private(set) var firstAccounted: [UserNumber: Instant] = [:]

    /// The largest number of visitors on the roll of one incident, including those who were taken off again.
    public static let visitorLimit = 1_000
    /// How many of the newest words about a person the roll keeps. The record has all.
    public static let wordLimit = 8

    /// A person who is or was on a roll.
    public struct Member: Hashable, Sendable {
        /// The person's name, when the directory has no user with the number.
        public var name: String?
        /// Why the person is no longer in the team, or lacks a device: the last such line.
        public var departure: IncidentEntry?
        /// The line that took the person off the roll or joined them to another user; nil while they are on it.
        public var takenOff: IncidentEntry?
        /// Whether the directory has no user with the number, so that the engine derives no safety.
        public var isWithoutUser = false
        /// The safety that a leader marked, for a person without a user.
        public var marked: Safety?
        /// When a leader last marked it; `marked.since` is since when the state applies.
        public var markedAt: Instant?
        /// The leader's note with the mark.
        public var note: String?
        /// When a visitor was put on the roll.
        public internal(set) var arrivedAt: Instant?
        /// When the person acknowledged the call of the incident, since the incident was last opened. It says nothing
        /// about how the person is.
        public var callSeenAt: Instant?
        /// The line by which another user last marked a person who is a user as safe, off site or in need; nil once
        /// the mark was cleared or ended with the incident. A fix of the person's phone does not remove it.
        public internal(set) var mark: IncidentEntry?
        /// The newest lines with words that somebody said about the person, at most `Roll.wordLimit`, in order.
        public internal(set) var words: [IncidentEntry] = []

        /// Creates a person who was just put on a roll.
        public init() {}
    }

    /// Creates a roll with nobody on it.
    public init() {}

    /// Creates the roll that the lines of a record make.
    ///
    /// - Parameter lines: the lines in their order. The caller may leave out the lines that only report a change of a
    ///   user's safety, and all milestones except the last reopening.
    public init(_ lines: [IncidentEntry]) {
        for line in lines { apply(line) }
    }

    /// Applies the next line of the record.
    public mutating func apply(_ line: IncidentEntry) {
        if line.event == .reopened { callAgain(at: line.at) }
        guard !line.event.isMilestone else { return }
        let before = members[line.person]
        var member = before ?? Member()
        member.name = line.name ?? member.name
        switch line.event {
        case .present, .joined, .returned:
            member.departure = nil
            member.takenOff = nil
        case .changed, .atClosing: break
        case .declared: member.applyDeclared(line)
        case .callSeen: member.callSeenAt = line.at
        case .left, .takenOff: member.takenOff = line
        case .joinedTo:
            member.takenOff = line
            member.isWithoutUser = true
        case .moved, .deviceRemoved: member.departure = line
        case .removed:
            member.departure = line
            member.isWithoutUser = true
        case .visitor:
            member.isWithoutUser = true
            member.arrivedAt = member.arrivedAt ?? line.at
        case .allAccounted, .notAllAccounted, .closed, .reopened, .parRequested, .parReported, .parComplete,
            .parOverdue, .parEnded, .parTimerSet, .handedOver:
            return
        }
        if member.isWithoutUser {
            switch line.event {
            case .visitor, .changed:
                member.setMarked(line)
                member.note = line.note
            case .removed, .joinedTo: member.setMarked(line)
            default: break
            }
        }
        if line.isFirstAccounted, firstAccounted[line.person] == nil { firstAccounted[line.person] = line.at }
        if member != before { members[line.person] = member }
    }

    /// Clears who has seen the call, who is accounted for and who was marked safe, because a reopened incident calls
    /// everyone again. A visitor's mark stays.
    private mutating func callAgain(at now: Instant) {
        for (person, member) in members {
            var called = member
            called.callSeenAt = nil
            firstAccounted[person] = member.isWithoutUser && member.marked?.isAccounted == true ? now : nil
            if case .declared(let note)? = member.mark?.detail, note.kind == .safe { called.mark = nil }
            if called != member { members[person] = called }
        }
    }

    /// Adjusts the times after the server's clock was set back: no visitor came in the future.
    mutating func adjustTimes(to now: Instant) {
        for (person, member) in members where member.arrivedAt.map({ $0 > now }) ?? false {
            members[person]?.arrivedAt = now
        }
    }

    /// Whether a person is on the roll: was put on it and not taken off.
    public func holds(_ person: UserNumber) -> Bool { members[person].map { $0.takenOff == nil } ?? false }

    /// Whether a person is on the roll whose safety the engine derives: not a visitor or a removed user.
    func follows(_ person: UserNumber) -> Bool {
        members[person].map { $0.takenOff == nil && !$0.isWithoutUser } ?? false
    }

    /// Everyone who is on the roll, in the order of their numbers.
    public var present: [UserNumber] { members.filter { $0.value.takenOff == nil }.keys.sorted() }

    /// When the first of the visitors who are on the roll came; nil without visitors.
    var firstVisitorAt: Instant? { members.values.lazy.filter { $0.takenOff == nil }.compactMap(\.arrivedAt).min() }

    /// How many visitors are or were on the roll.
    public var visitorCount: Int { members.keys.count { $0.rawValue < 0 } }

    /// The number for the next visitor, below those of all earlier ones; nil at the limit. The visitors of a drill keep
    /// their numbers on the roll of the real incident that took its place, so numbers do not tell how many there are.
    var nextVisitor: UserNumber? {
        let last = min(0, members.keys.lazy.map { $0.rawValue }.min() ?? 0)
        return visitorCount < Self.visitorLimit ? UserNumber(last - 1) : nil
    }
}

extension Roll.Member {
    fileprivate mutating func setMarked(_ line: IncidentEntry) {
        marked = line.safety
        markedAt = line.at
    }

    /// Applies a line by which somebody said something about the person.
    fileprivate mutating func applyDeclared(_ line: IncidentEntry) {
        guard case .declared(let note)? = line.detail else { return }
        if line.note != nil { words = Array((words + [line]).suffix(Roll.wordLimit)) }
        guard note.isCurrent, line.author != line.person else { return }
        switch note.kind {
        case .safe, .offSite, .needsHelp, .sos: mark = line
        case .clear: mark = nil
        case .acknowledge: break
        }
    }
}

extension IncidentEntry {
    /// Whether the line shows that the person is accounted for, first since the call of the incident: it put them on
    /// the roll so, or the engine found that none before it did.
    var isFirstAccounted: Bool {
        switch event {
        case .present, .joined, .returned, .visitor: safety.isAccounted
        case .changed: detail == .firstAccounted
        default: false
        }
    }
}
