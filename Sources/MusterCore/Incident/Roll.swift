/// Who is asked for in an incident. It is what the lines of the incident's record make of it, one after the other, so
/// it is as durable as they are. Nobody goes off it but by a person's word (`takenOff`, `joinedTo`).
public struct Roll: Hashable, Sendable {
    /// Everyone who is or was on it.
    public private(set) var members: [UserNumber: Member] = [:]

    /// How many visitors may be put on the roll of one incident, those that were taken off again included.
    public static let visitorLimit = 1_000

    /// Someone who is or was on a roll.
    public struct Member: Hashable, Sendable {
        /// What they are called, where no user of the directory has their number.
        public var name: String?
        /// Why they are no longer in the team, or lack a device: the last such line.
        public var departure: IncidentEntry?
        /// That a leader took them off the roll, or joined them to another user; nil while they are on it.
        public var takenOff: IncidentEntry?
        /// Whether the directory has no such user, so that nothing is derived of them.
        public var isWithoutUser = false
        /// How a leader said they are, where nothing is derived of them.
        public var marked: Safety?
        /// When a leader said so last; `marked` keeps since when it is so.
        public var markedAt: Instant?
        /// The note with that.
        public var note: String?

        /// Someone who was just put on a roll.
        public init() {}
    }

    /// A roll with nobody on it.
    public init() {}

    /// The roll that the lines of a record make.
    ///
    /// - Parameter lines: in their order; those that only say how a user's safety changed may be left out.
    public init(_ lines: [IncidentEntry]) {
        for line in lines { apply(line) }
    }

    /// Follows the next line of the record.
    public mutating func apply(_ line: IncidentEntry) {
        guard !line.event.isMilestone else { return }
        var member = members[line.person] ?? Member()
        member.name = line.name ?? member.name
        switch line.event {
        case .present, .joined, .returned:
            member.departure = nil
            member.takenOff = nil
        case .changed: break
        case .left, .takenOff: member.takenOff = line
        case .joinedTo:
            member.takenOff = line
            member.isWithoutUser = true
        case .moved, .deviceRemoved: member.departure = line
        case .removed:
            member.departure = line
            member.isWithoutUser = true
        case .visitor: member.isWithoutUser = true
        case .allAccounted, .notAllAccounted, .closed, .reopened: return
        }
        if member.isWithoutUser {
            member.marked = line.safety
            member.markedAt = line.at
            if line.event == .visitor || line.event == .changed { member.note = line.note }
        }
        members[line.person] = member
    }

    /// Whether someone stands on it: was put on it and not taken off.
    public func holds(_ person: UserNumber) -> Bool { members[person].map { $0.takenOff == nil } ?? false }

    /// Whether someone stands on it whose safety is derived: not one who was removed, or never was a user.
    func follows(_ person: UserNumber) -> Bool {
        members[person].map { $0.takenOff == nil && !$0.isWithoutUser } ?? false
    }

    /// Everyone who stands on it, in the order of their numbers.
    public var present: [UserNumber] { members.filter { $0.value.takenOff == nil }.keys.sorted() }

    /// The number of the next visitor: below those of all before; nil where there are as many as there may be.
    var nextVisitor: UserNumber? {
        let last = min(0, members.keys.lazy.map(\.rawValue).min() ?? 0)
        return -last < Self.visitorLimit ? UserNumber(last - 1) : nil
    }
}
