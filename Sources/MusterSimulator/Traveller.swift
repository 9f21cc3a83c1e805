import MusterCore
import MusterGeometry

/// A person of a world: their true way, their receiver, and the fixes that are on their way to the server.
struct Traveller: Sendable {
    /// The largest number of observations held back in a dead zone; beyond it the oldest are lost.
    static let mostHeld = 10_000
    /// The largest number of sample times that are kept; beyond it the oldest half is dropped.
    static let mostSampleTimes = 100_000

    let index: Int
    let person: Person
    var itinerary: Itinerary
    var receiver: Receiver
    var chance: SeededRandom
    /// When the next fix is due.
    var nextSeconds: Double
    /// A time without a network, whatever the dead zones are.
    var silence: Range<Double>?
    /// The sample times of the fixes that were or will be delivered, ascending.
    var sampleTimes: [Instant] = []

    private var held: [Position] = []
    private var onTheWay: [Delivery] = []

    init(index: Int, person: Person, world: Surroundings) {
        func stream(_ purpose: UInt64) -> SeededRandom {
            SeededRandom(seed: world.seed, stream: index, purpose: purpose)
        }
        self.index = index
        self.person = person
        itinerary = Itinerary(person, among: world.gazetteer, pace: world.pace, chance: stream(1))
        receiver = Receiver(world.noise, chance: stream(2))
        chance = stream(3)
        nextSeconds = chance.uniform(0, world.reporting.intervalSeconds)
    }

    /// Takes the fixes up to a time, and returns the deliveries that have arrived by then.
    mutating func advance(to time: Instant, in world: Surroundings) -> [Delivery] {
        let seconds = time.seconds(since: world.start)
        while nextSeconds <= seconds {
            itinerary.extend(toSeconds: nextSeconds)
            sample(in: world)
            scheduleNext(world.reporting)
        }
        itinerary.extend(toSeconds: seconds)
        let arrived = onTheWay.filter { $0.deliveredAt <= time }
        onTheWay.removeAll { $0.deliveredAt <= time }
        if sampleTimes.count > Traveller.mostSampleTimes { sampleTimes.removeFirst(sampleTimes.count / 2) }
        return arrived
    }

    private mutating func scheduleNext(_ reporting: Reporting) {
        let jitter = chance.uniform(-reporting.jitterShare, reporting.jitterShare)
        let isStill = itinerary.leg(at: nextSeconds).map { $0.speed == 0 } ?? false
        nextSeconds += reporting.intervalSeconds * (1 + jitter)
        let gapChance = reporting.gapsPerHour * reporting.intervalSeconds / 3600
        if chance.chance(gapChance), isStill { nextSeconds += chance.uniform(300, 1800) }
    }

    /// Runs one step of the phone: it takes a fix, unless that is lost, and sends all fixes that it holds, if there is
    /// a network.
    private mutating func sample(in world: Surroundings) {
        let time = world.start.advanced(bySeconds: nextSeconds)
        let seconds = time.seconds(since: world.start)
        guard let leg = itinerary.leg(at: seconds) else { return }
        let truth = leg.offset(at: seconds)
        let reading = receiver.reading(of: truth, speed: leg.speed, atSeconds: seconds)
        let isLost = chance.chance(world.reporting.lostShare)
        if !isLost {
            held.append(position(reading, heading: heading(on: leg), at: time, world: world))
            sampleTimes.append(time)
            if held.count > Traveller.mostHeld {
                let lost = held.removeFirst().sampleTime
                sampleTimes.removeAll { $0 == lost }
            }
        }
        let place = world.plane.coordinate(truth)
        let isCutOff =
            silence?.contains(seconds) == true
            || world.reporting.deadZones.contains { $0.holds(index, at: place, time: time) }
        if !isCutOff { send(at: time, world.reporting) }
    }

    private mutating func send(at time: Instant, _ reporting: Reporting) {
        if held.count > 1, reporting.shufflesBursts { held.shuffle(using: &chance) }
        var arrival = time.advanced(bySeconds: chance.uniform(0.05, 0.8))
        for position in held {
            post(position, at: arrival)
            if chance.chance(reporting.duplicateShare) {
                post(position, at: arrival.advanced(bySeconds: chance.uniform(0.5, 8)))
            }
            arrival = arrival.advanced(bySeconds: 0.005)
        }
        held.removeAll(keepingCapacity: true)
    }

    private mutating func post(_ position: Position, at time: Instant) {
        var arriving = position
        arriving.receivedTime = time
        onTheWay.append(Delivery(person: index, position: arriving, deliveredAt: time))
    }

    private func position(_ reading: Reading, heading: Double?, at time: Instant, world: Surroundings) -> Position {
        let hours = time.seconds(since: world.start) / 3600
        return Position(
            coordinate: world.plane.coordinate(reading.offset), sampleTime: time, receivedTime: time,
            accuracy: reading.accuracyMetres.map { Metres($0) }, speed: reading.speed, heading: heading,
            battery: max(5, Double(95 - index % 40) - 4 * hours).rounded(), source: .simulator)
    }

    /// Returns the direction of a leg in degrees clockwise from north; nil for a pause.
    private func heading(on leg: Leg) -> Double? {
        leg.speed == 0 ? nil : (leg.to - leg.from).bearingDegrees
    }
}
