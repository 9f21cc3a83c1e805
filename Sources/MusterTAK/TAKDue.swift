import MusterCore

/// What has changed since it was last sent to a client: whom and what, not how. It is rendered when it is sent, so a
/// slow client costs no memory beyond these numbers, and always gets the newest state of each person.
struct TAKDue: Hashable, Sendable {
    /// Those who call for help, or whose call has ended: they come first.
    private(set) var urgent: Set<UserNumber> = []
    private(set) var people: Set<UserNumber> = []
    private(set) var regions: Set<RegionNumber> = []

    var isEmpty: Bool { urgent.isEmpty && people.isEmpty && regions.isEmpty }

    mutating func add(_ person: UserNumber, isUrgent: Bool = false) {
        if isUrgent {
            people.remove(person)
            urgent.insert(person)
        } else if !urgent.contains(person) {
            people.insert(person)
        }
    }

    mutating func add(_ region: RegionNumber) { regions.insert(region) }

    /// Takes some people, the urgent ones first.
    mutating func takePeople(_ limit: Int) -> [UserNumber] {
        var taken = Array(urgent.prefix(limit))
        urgent.subtract(taken)
        let more = Array(people.prefix(limit - taken.count))
        people.subtract(more)
        taken += more
        return taken
    }

    /// Takes a region; nil when none is due.
    mutating func takeRegion() -> RegionNumber? { regions.popFirst() }
}
