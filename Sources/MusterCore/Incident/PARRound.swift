/// A personnel accountability report: one request that every crew says how many of its people are present. The lines of
/// the incident's record, applied in their order, make it.
///
/// It asks for the crews as they are at the moment of the request. A crew that is removed afterwards stays in it.
/// Visitors who come later are asked for, too, unless the round asked for none and is complete by then.
public struct PARRound: Hashable, Sendable {
    /// The number, from 1 within its incident.
    public let number: Int32
    /// When it was requested, by the server's clock.
    public let requestedAt: Instant
    /// The user who requested it; nil for the timer.
    public let requestedBy: UserNumber?
    /// The remark of the user who requested it; nil without one.
    public let note: String?
    /// When a crew that has not reported is overdue.
    public internal(set) var dueAt: Instant
    /// Whether visitors are counted by themselves. In a round that an earlier version requested they count with the
    /// people in no crew.
    public let countsVisitors: Bool
    /// The crews, in the order of their names; then the people in no crew, and last the visitors, if there are any.
    public internal(set) var crews: [Crew]
    /// When the last crew reported; nil while one has not. Visitors who come afterwards may be waited for all the same:
    /// `isComplete` tells.
    public private(set) var completeAt: Instant?
    /// When the server first reported that crews are overdue; nil when it did not.
    public private(set) var overdueAt: Instant?
    /// When the server last reported that visitors are overdue; nil when it did not.
    private var visitorsOverdueAt: Instant?
    /// When the next request or the incident's end replaced it; nil while it is open.
    public private(set) var endedAt: Instant?

    /// The largest number of rounds of one incident.
    public static let limit: Int32 = 2_000
    /// The largest number of reports about one crew in one round.
    public static let reportLimit: Int32 = 100
    /// The number of people that can be reported as present.
    public static let presentLimits: ClosedRange<Double> = 0...100_000

    /// What a round knows of one crew.
    public struct Crew: Hashable, Sendable {
        /// The crew, how many people it has, and how many of them were reported.
        public internal(set) var count: PARCount
        /// When visitors are overdue who all came after the request; nil where the round's own time holds.
        public internal(set) var dueAt: Instant?
        /// When the newest report came; nil before the first.
        public internal(set) var reportedAt: Instant?
        /// The user who made the newest report.
        public internal(set) var reportedBy: UserNumber?
        /// The remark in the newest report.
        public internal(set) var note: String?
        /// How many reports have come.
        public internal(set) var reports: Int32 = 0

        /// Whether fewer people were reported than it has.
        public var isShort: Bool { count.present.map { $0 < count.people } ?? false }
        /// Whether the round waits for its report. It does not wait for a crew of which nobody is on the roll any more.
        public var isPending: Bool { count.present == nil && count.people > 0 }

        init(_ count: PARCount) { self.count = count }
    }

    /// Creates the round that a line requests; nil for any other line.
    public init?(_ line: IncidentEntry) {
        guard line.event == .parRequested, case .par(let note)? = line.detail else { return nil }
        number = note.round
        requestedAt = line.at
        requestedBy = line.author
        self.note = line.note
        dueAt = note.dueAt ?? line.at
        countsVisitors = note.countsVisitors || note.crews.contains(where: { $0.isVisitors })
        crews = note.crews.map { Crew($0) }
    }

    /// Returns the rounds that the lines of a record make, in order.
    public static func rounds(of lines: some Sequence<IncidentEntry>) -> [PARRound] {
        var rounds: [PARRound] = []
        for line in lines {
            if let round = PARRound(line) {
                rounds.append(round)
            } else if let last = rounds.indices.last {
                rounds[last].apply(line)
            }
        }
        return rounds
    }

    /// Applies the next line of the record. A line about another round changes nothing.
    mutating func apply(_ line: IncidentEntry) {
        guard case .par(let note)? = line.detail, note.round == number else { return }
        switch line.event {
        case .parReported:
            for count in note.crews {
                addVisitors(count)
                guard let place = crews.firstIndex(where: { $0.count.isSame(as: count) }) else { continue }
                crews[place].count.people = count.people
                crews[place].count.present = count.present
                crews[place].reportedAt = line.at
                crews[place].reportedBy = line.author
                crews[place].note = line.note
                crews[place].reports &+= 1
            }
        case .parComplete: completeAt = line.at
        case .parOverdue:
            overdueAt = overdueAt ?? line.at
            if note.crews.contains(where: { $0.isVisitors }) { visitorsOverdueAt = line.at }
        // The sizes stay as they were asked for, or reported: people may have left their crews since. The visitors who
        // came since count, so that the record names everyone of whom nobody reported.
        case .parEnded:
            for count in note.crews where count.isVisitors {
                addVisitors(count)
                guard let place = visitorsPlace else { continue }
                crews[place].count.people = max(crews[place].count.people, count.people)
            }
            endedAt = line.at
        default: break
        }
    }

    /// Adds the visitors as they are counted now, unless the round asks for visitors already: those who are put on the
    /// roll after the request are asked for, too. Any other count changes nothing.
    mutating func addVisitors(_ count: PARCount) {
        guard count.isVisitors, visitorsPlace == nil else { return }
        crews.append(Crew(count))
    }

    /// The place of the visitors among the crews; nil while the round asks for none.
    var visitorsPlace: Int? { crews.firstIndex(where: { $0.count.isVisitors }) }

    /// Whether every crew has reported, and no visitors are waited for who came since.
    public var isComplete: Bool { completeAt != nil && !isReopened }

    /// Whether the round was complete, and waits for visitors who came since.
    var isReopened: Bool {
        completeAt != nil && endedAt == nil && crews.contains { $0.count.isVisitors && $0.isPending }
    }

    /// When a crew that has not reported is overdue: visitors who came after the request have the whole time, too.
    public func dueAt(of crew: Crew) -> Instant { max(dueAt, crew.dueAt ?? dueAt) }

    /// Whether the server reported a crew as overdue, and still waits for its report.
    public func isOverdue(_ crew: Crew) -> Bool {
        guard endedAt == nil, crew.isPending else { return false }
        guard let dueAt = crew.dueAt else { return overdueAt != nil }
        return visitorsOverdueAt.map { $0 >= dueAt } ?? false
    }
}

/// How many people of one crew, or how many visitors, a PAR round asks for, and how many of them were reported.
public struct PARCount: Hashable, Sendable {
    /// The crew; nil for the people in no crew, and for the visitors.
    public var crew: CrewNumber?
    /// Whether it counts the visitors on the roll, who are in no crew and are not counted with the people in none.
    public var isVisitors: Bool
    /// How many people of the crew are on the roll.
    public var people: Int32
    /// How many of them were reported as present; nil before the first report.
    public var present: Int32?
    /// The crew's name; nil for the people in no crew, and for the visitors.
    public var name: String?

    public init(crew: CrewNumber?, name: String?, people: Int32, present: Int32? = nil, isVisitors: Bool = false) {
        self.crew = crew
        self.isVisitors = isVisitors
        self.people = people
        self.present = present
        self.name = name
    }

    func isSame(as other: PARCount) -> Bool { crew == other.crew && isVisitors == other.isVisitors }
}

/// When an incident's PAR is requested by itself, and how long crews have to report.
public struct PARTimer: Hashable, Sendable {
    /// The seconds from one request to the next; nil while only users request it.
    public var everySeconds: Double?
    /// The seconds from a request until a crew that has not reported is overdue. Never more than `everySeconds`.
    public var graceSeconds: Double

    /// The shortest and the longest time between two requests, seconds.
    public static let everyLimits: ClosedRange<Double> = 60...86_400
    /// The shortest and the longest time for reports, seconds.
    public static let graceLimits: ClosedRange<Double> = 10...86_400
    /// The time for reports when a caller names none, in seconds.
    public static let usualGraceSeconds: Double = 300
    /// The shortest time that crews have to report once the server is running again, in seconds.
    public static let answerSeconds: Double = 60

    /// Creates a timer; by default one that requests nothing.
    public init(everySeconds: Double? = nil, graceSeconds: Double = Self.usualGraceSeconds) {
        self.everySeconds = everySeconds
        self.graceSeconds = graceSeconds
    }

    /// The seconds that crews have to report.
    var reportSeconds: Double { min(graceSeconds, everySeconds ?? graceSeconds) }
}
