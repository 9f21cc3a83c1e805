import MusterCore
import MusterGeometry

/// The reports of devices in a storm, and their faults.
struct StormPhones: Sendable {
    private let site: StormSite
    private var world: World
    /// By how many seconds each device's clock is ahead.
    private(set) var clockErrors: [DeviceNumber: Double] = [:]
    /// By device: since when it is dead.
    private var deaths: [DeviceNumber: Double] = [:]
    /// By device: when its fixes are wrong, and how.
    private var lies: [DeviceNumber: [Lie]] = [:]
    private let evacuationSeconds: Double

    private struct Lie: Sendable {
        var from: Double
        var to: Double
        var place: Coordinate
        var accuracyMetres: Double
    }

    init(_ site: StormSite, seed: UInt64, _ chance: inout SeededRandom) {
        self.site = site
        let responses = Person.Response.allCases
        let people = Storm.users.map { user in
            Person(
                name: "u\(user.rawValue)", manner: chance.chance(0.5) ? .lingers : .walks,
                response: chance.chance(0.6) ? .prompt : chance.pick(responses) ?? .prompt)
        }
        let zones = (0..<2).map { _ -> DeadZone in
            let from = chance.uniform(200, 1800)
            let start = Storm.start
            return DeadZone(
                from: start.advanced(bySeconds: from),
                until: start.advanced(bySeconds: from + chance.uniform(60, 500)),
                person: Int(chance.uniform(0, 6)))
        }
        let reporting = Reporting(
            intervalSeconds: chance.uniform(5, 15), lostShare: 0.05, duplicateShare: 0.05, deadZones: zones,
            shufflesBursts: chance.chance(0.3))
        let noise = Noise(chance.pick(Noise.Tier.allCases) ?? .honest, environment: chance.pick([.open, .suburb]))
        world = World(
            seed: seed, start: Storm.start, people: people, places: site.places, noise: noise, reporting: reporting,
            pace: 2)
        evacuationSeconds = chance.uniform(200, 500)
        for user in Storm.users {
            let device = DeviceNumber(user.rawValue)
            if chance.chance(0.12) {
                let sign: Double = chance.chance(0.5) ? 1 : -1
                clockErrors[device] = (sign * chance.uniform(600, 14_400)).rounded()
            }
            if chance.chance(0.15) { deaths[device] = chance.uniform(300, 2200) }
            lies[device] = (0..<Int(chance.uniform(0, 4))).map { _ in lie(&chance) }
        }
    }

    /// Returns a lie: a fix, or a few minutes of fixes, inside an assembly point, far away, or kilometres wide.
    private func lie(_ chance: inout SeededRandom) -> Lie {
        let from = chance.uniform(100, 2300)
        let lasts = chance.chance(0.5) ? 12 : chance.uniform(20, 110)
        switch chance.next() % 3 {
        case 0:
            return Lie(
                from: from, to: from + lasts, place: chance.pick(site.musterPlaces) ?? site.plane.origin,
                accuracyMetres: 5)
        case 1:
            let away = site.plane.coordinate(chance.vector(length: chance.uniform(300, 3000)))
            return Lie(from: from, to: from + lasts, place: away, accuracyMetres: chance.uniform(4, 30))
        default:
            return Lie(
                from: from, to: from + lasts, place: chance.pick(site.musterPlaces) ?? site.plane.origin,
                accuracyMetres: chance.logUniform(800, 8000))
        }
    }

    mutating func moments(_ chance: inout SeededRandom) -> [StormMoment] {
        world.evacuate(at: Storm.start.advanced(bySeconds: evacuationSeconds))
        let deliveries = world.advance(to: Storm.start.advanced(bySeconds: Storm.durationSeconds))
        var moments: [StormMoment] = []
        var index = 0
        while index < deliveries.count {
            // The fixes that a phone sends together are one request.
            var end = index + 1
            while end < deliveries.count, deliveries[end].person == deliveries[index].person,
                deliveries[end].deliveredAt.seconds(since: deliveries[end - 1].deliveredAt) < 0.05, end - index < 100
            { end += 1 }
            let batch = deliveries[index..<end]
            index = end
            guard let last = batch.last else { continue }
            let device = DeviceNumber(Int32(last.person + 1))
            let fixes = batch.compactMap { delivery in
                position(delivery.position, of: device, receivedAt: last.deliveredAt, &chance)
            }
            guard !fixes.isEmpty else { continue }
            moments.append(
                StormMoment(at: last.deliveredAt, step: .report(fixes.map { .position($0, of: device) })))
            if chance.chance(0.02) { moments.append(moments[moments.count - 1].again(afterSeconds: 3)) }
        }
        return moments + tabletMoments(&chance) + sightings(&chance)
    }

    /// Returns the fix as the phone reports it: changed by a lie, and dated by its clock; nil once the phone is dead.
    private func position(
        _ told: Position, of device: DeviceNumber, receivedAt: Instant, _ chance: inout SeededRandom
    ) -> Position? {
        var position = told
        let seconds = told.sampleTime.seconds(since: Storm.start)
        if let death = deaths[device], seconds > death { return nil }
        if let lie = lies[device]?.first(where: { $0.from <= seconds && seconds < $0.to }) {
            let error = chance.vector(length: chance.uniform(0, 6))
            position.coordinate = site.plane.coordinate(site.plane.offset(lie.place) + error)
            position.accuracy = Metres(lie.accuracyMetres)
        }
        position.receivedTime = receivedAt
        position.sampleTime = told.sampleTime.advanced(bySeconds: clockErrors[device] ?? 0)
        return position
    }

    /// Returns the tablet's steps: it lies in one place and reports now and then until its battery is empty.
    private func tabletMoments(_ chance: inout SeededRandom) -> [StormMoment] {
        guard let place = chance.pick(site.places)?.coordinate else { return [] }
        let end = chance.uniform(200, Storm.durationSeconds)
        return stride(from: chance.uniform(0, 20), to: end, by: 25).map { second in
            let now = Storm.start.advanced(bySeconds: second)
            let position = Position(coordinate: place, sampleTime: now, receivedTime: now, accuracy: 12)
            return StormMoment(at: now, step: .report([.position(position, of: Storm.tablet)]))
        }
    }

    private func sightings(_ chance: inout SeededRandom) -> [StormMoment] {
        let beacon = Beacon(uuid: BeaconUUID(high: 1, low: 2), major: 1, minor: 1)
        return (0..<20).map { _ in
            let second = chance.uniform(0, Storm.durationSeconds)
            let now = Storm.start.advanced(bySeconds: second)
            let device = DeviceNumber(Int32(1 + chance.next() % 6))
            let isDead = deaths[device].map { second > $0 } ?? false
            let sighting = Sighting(of: beacon, sampleTime: now, receivedTime: now)
            return StormMoment(at: now, step: .report(isDead ? [] : [.sighting(sighting, of: device)]))
        }
    }
}

extension StormMoment {
    /// Returns the same request again, received later.
    fileprivate func again(afterSeconds seconds: Double) -> StormMoment {
        guard case .report(let observations) = step else { return self }
        let moment = at.advanced(bySeconds: seconds)
        let again = observations.map { observation -> Observation in
            guard case .position(var position, let device) = observation else { return observation }
            position.receivedTime = moment
            return .position(position, of: device)
        }
        return StormMoment(at: moment, step: .report(again))
    }
}
