import MusterGeometry

// `Itinerary`: the way of a simulated person, leg by leg, between the places of a town.

/// A straight piece of a person's way at constant speed; a pause when both ends are the same.
///
/// Times are in seconds since the world began.
struct Leg: Hashable, Sendable {
    var from: Offset
    var to: Offset
    var startSeconds: Double
    var endSeconds: Double

    /// Returns where the person is at a time within the leg.
    func offset(at seconds: Double) -> Offset {
        let duration = endSeconds - startSeconds
        guard duration > 0 else { return to }
        return from + (to - from) * min(max((seconds - startSeconds) / duration, 0), 1)
    }

    /// The speed, metres a second.
    var speed: Double {
        let duration = endSeconds - startSeconds
        return duration > 0 ? (to - from).length / duration : 0
    }

    /// Returns the part of the leg before a time within it.
    func cut(at seconds: Double) -> Leg {
        Leg(from: from, to: offset(at: seconds), startSeconds: startSeconds, endSeconds: seconds)
    }
}

/// The places of a world on its plane, by kind.
struct Gazetteer: Sendable {
    struct Entry: Sendable {
        var middle: Offset
        var spreadMetres: Double
    }

    private(set) var homes: [Entry] = []
    private(set) var works: [Entry] = []
    private(set) var shops: [Entry] = []
    private(set) var musters: [Entry] = []

    init(_ places: [Place], on plane: LocalPlane) {
        for place in places {
            let entry = Entry(middle: plane.offset(place.coordinate), spreadMetres: place.spread.value)
            switch place.kind {
            case .home: homes.append(entry)
            case .work: works.append(entry)
            case .shop: shops.append(entry)
            case .muster: musters.append(entry)
            }
        }
    }

    /// Returns the muster point nearest to an offset, as the crow flies.
    func nearestMuster(to offset: Offset) -> Entry? {
        musters.min { ($0.middle - offset).length < ($1.middle - offset).length }
    }
}

/// The way of one person: where they have been, and the next stretch of where they go.
///
/// The way grows leg by leg, by random numbers of its own. Past legs never change.
struct Itinerary: Sendable {
    /// The largest number of legs that are kept; beyond it the oldest half is dropped. For a person who never rests
    /// this is two weeks.
    static let mostLegs = 20_000

    private(set) var legs: [Leg] = []
    private var ahead: [Leg] = []
    private var isTravelling = false
    private var chance: SeededRandom
    private let manner: Person.Manner
    private let pace: Double
    private let home: Gazetteer.Entry
    private let work: Gazetteer.Entry
    private let shops: [Gazetteer.Entry]
    private var flight: Flight?

    /// A departure for one place at a given time, which replaces all plans.
    private struct Flight {
        var departsSeconds: Double
        var destination: Gazetteer.Entry
        var hasBegun = false
    }

    init(_ person: Person, among places: Gazetteer, pace: Double, chance: SeededRandom) {
        self.chance = chance
        self.manner = person.manner
        self.pace = pace
        let anywhere = Gazetteer.Entry(middle: .zero, spreadMetres: 0)
        home = self.chance.pick(places.homes) ?? anywhere
        work = self.chance.pick(places.works) ?? home
        shops = places.shops
        let start = spot(in: self.chance.chance(0.4) ? work : home)
        let rest = self.chance.uniform(0, pauseSeconds())
        legs = [Leg(from: start, to: start, startSeconds: 0, endSeconds: rest)]
    }

    /// The time up to which the way is known.
    var endSeconds: Double { legs[legs.count - 1].endSeconds }

    /// Where the person is at the end of the known way.
    var end: Offset { legs[legs.count - 1].to }

    /// Where the person works.
    var workplace: Gazetteer.Entry { work }

    /// Returns the leg at a time; nil before the kept legs and after the known way. Takes O(log legs).
    func leg(at seconds: Double) -> Leg? {
        var low = 0
        var high = legs.count
        while low < high {
            let middle = (low + high) / 2
            if legs[middle].endSeconds < seconds { low = middle + 1 } else { high = middle }
        }
        guard low < legs.count, legs[low].startSeconds <= seconds else { return nil }
        return legs[low]
    }

    /// Extends the known way to a time.
    mutating func extend(toSeconds seconds: Double) {
        while endSeconds < seconds {
            if ahead.isEmpty { planNext() }
            legs.append(ahead.removeFirst())
            turnToFlight()
        }
        if legs.count > Itinerary.mostLegs { legs.removeFirst(legs.count / 2) }
    }

    /// From a time on, sends the person straight to one place, where they stay.
    mutating func flee(toward destination: Gazetteer.Entry, departsSeconds: Double) {
        flight = Flight(departsSeconds: departsSeconds, destination: destination)
        turnToFlight()
    }

    /// Drops the plans after the time of departure, once the known way has reached it.
    private mutating func turnToFlight() {
        guard let flight, !flight.hasBegun, endSeconds > flight.departsSeconds else { return }
        while legs.count > 1, legs[legs.count - 1].startSeconds > flight.departsSeconds { legs.removeLast() }
        legs[legs.count - 1] = legs[legs.count - 1].cut(at: flight.departsSeconds)
        self.flight?.hasBegun = true
        isTravelling = true
        ahead = way(to: spot(in: flight.destination), speed: 1.25 * speed())
    }

    private mutating func planNext() {
        if isTravelling || flight?.hasBegun == true {
            isTravelling = false
            let pause = pauseSeconds()
            ahead = [Leg(from: end, to: end, startSeconds: endSeconds, endSeconds: endSeconds + pause)]
        } else {
            isTravelling = true
            ahead = way(to: spot(in: destination()), speed: speed())
        }
    }

    private mutating func destination() -> Gazetteer.Entry {
        let draw = chance.fraction()
        if draw < 0.35, let shop = chance.pick(shops) { return shop }
        return draw < 0.7 ? work : home
    }

    private mutating func spot(in place: Gazetteer.Entry) -> Offset {
        place.middle + chance.vector(length: place.spreadMetres * chance.fraction().squareRoot())
    }

    private mutating func speed() -> Double {
        let metresPerSecond =
            switch manner {
            case .walks, .lingers: min(max(chance.normal(mean: 1.3, deviation: 0.2), 0.6), 2)
            case .drives: chance.uniform(8, 15)
            }
        return metresPerSecond * pace
    }

    private mutating func pauseSeconds() -> Double {
        let seconds =
            switch manner {
            case .walks, .drives: 15 + min(chance.exponential(mean: 120), 1200)
            case .lingers: 1200 + min(chance.exponential(mean: 1800), 7200)
            }
        return seconds / pace
    }

    /// Returns a way along streets that run east and north: down one, across by another, and on, with a halt at a
    /// corner now and then. Never empty.
    private mutating func way(to destination: Offset, speed: Double) -> [Leg] {
        let bend = chance.fraction()
        let start = end
        let across = destination - start
        let corners: [Offset] =
            chance.chance(0.5)
            ? [
                Offset(east: start.east + across.east * bend, north: start.north),
                Offset(east: start.east + across.east * bend, north: destination.north), destination,
            ]
            : [
                Offset(east: start.east, north: start.north + across.north * bend),
                Offset(east: destination.east, north: start.north + across.north * bend), destination,
            ]
        var made: [Leg] = []
        var place = start
        var time = endSeconds
        for corner in corners {
            let arrival = time + max((corner - place).length / speed, 0.001)
            made.append(Leg(from: place, to: corner, startSeconds: time, endSeconds: arrival))
            (place, time) = (corner, arrival)
            if chance.chance(0.25) {
                let halt = chance.uniform(3, 20) / pace
                made.append(Leg(from: place, to: place, startSeconds: time, endSeconds: time + halt))
                time += halt
            }
        }
        return made
    }
}
