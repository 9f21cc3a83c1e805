import MusterCore
import MusterGeometry
import MusterStore
import MusterTestSupport
import Synchronization
import Testing

@testable import MusterServer

/// What an edit of a region would change, said before it is stored, is what the edit then does.
@Suite struct RehearsalTests {
    private static let count: Int32 = 14
    private static let collection = CollectionNumber(1)

    /// How people stand in a region, and who is safe without a doubt.
    private struct Standing: Equatable {
        var inside: Set<UserNumber>
        var safe: Set<UserNumber>
        var presences: [[Presence]]
        var sequence: MusterCore.LogSequence
    }

    /// People around 45, 14, each with a phone and fixes at one place, in a collection with a few regions.
    private static func town(_ policy: CrossingPolicy, _ random: inout SeededRandom) async throws -> Town {
        let town = try await Town()
        try await town.coordinator.edit { directory, draft in
            var collection = try #require(directory.collections["town"])
            collection.policy = policy
            draft.edits.append(.putCollection(collection))
            for index in 0..<count {
                let user = User(
                    number: try draft.transaction.nextUserNumber(), name: "u\(index)", role: .member,
                    team: directory.teams["crew"]?.number)
                draft.edits += [
                    .putUser(user),
                    .putDevice(
                        Device(number: try draft.transaction.nextDeviceNumber(), name: "phone", user: user.number)),
                ]
            }
        }
        var places: [(device: DeviceNumber, latitude: Double, longitude: Double)] = []
        for device in town.coordinator.directory.devices.all {
            places.append((device.number, 45 + random.metres(), 14 + random.metres()))
        }
        for step in 0..<12 {
            town.clock.advance(bySeconds: 5)
            let fixes = places.map { device, latitude, longitude in
                Observation.position(
                    Position(
                        coordinate: Coordinate(validLatitude: latitude, longitude: longitude),
                        sampleTime: town.clock.now, receivedTime: town.clock.now,
                        accuracy: Metres(step % 4 == 0 ? 15 : 5)), of: device)
            }
            _ = try await town.coordinator.ingest(fixes, by: nil)
        }
        return town
    }

    private static func standing(_ town: Town, in region: RegionNumber) async throws -> Standing {
        try await town.coordinator.inspect { engine, directory, sequence in
            var standing = Standing(inside: [], safe: [], presences: [], sequence: sequence)
            for device in directory.devices.all {
                let presences = engine.shownStandings(of: device.number)
                standing.presences.append(engine.standings(of: device.number))
                if presences.contains(where: { $0.region == region && $0.standing == .inside }) {
                    standing.inside.insert(device.user)
                }
            }
            for user in directory.users.all {
                let safety = engine.safety(of: user.number)
                if safety.state == .safe, safety.doubt == nil { standing.safe.insert(user.number) }
            }
            return standing
        }
    }

    /// An edit of a region: a new one, a moved one, one that becomes or ceases to be a muster region, or a removal.
    private static func edit(
        _ random: inout SeededRandom, in directory: Directory
    ) -> @Sendable (Directory, inout Draft) throws -> RegionNumber {
        let known = Array(directory.regions.all)
        let place = Coordinate(validLatitude: 45 + random.metres(), longitude: 14 + random.metres())
        let radius = Metres(Double(random.below(120)) + 20)
        let (kind, isMuster) = (random.below(4), random.below(2) == 0)
        let chosen = known.isEmpty ? nil : known[random.below(known.count)]
        return { _, draft in
            let shape = Shape.circle(Circle(centre: place, radius: radius))
            guard let chosen, kind > 0 else {
                let number = try draft.transaction.nextRegionNumber()
                draft.edits = [
                    .putRegion(
                        Region(
                            number: number, collection: collection, id: "r\(number.rawValue)", name: "r", shape: shape,
                            isMuster: isMuster))
                ]
                return number
            }
            if kind == 1 {
                draft.edits = [.removeRegion(chosen.number, from: collection)]
                return chosen.number
            }
            var region = chosen
            region.isMuster = isMuster
            if kind == 2 { region.shape = shape }
            draft.edits = [.putRegion(region)]
            return chosen.number
        }
    }

    @Test(arguments: CrossingPolicy.allCases, Array(0..<8))
    func `a rehearsed edit says what the edit then does, and leaves no trace`(
        _ policy: CrossingPolicy, _ seed: Int
    ) async throws {
        var random = SeededRandom(seed: UInt64(seed))
        let town = try await Self.town(policy, &random)
        var changed = 0
        for _ in 0..<12 {
            let edit = Self.edit(&random, in: town.coordinator.directory)
            let directory = town.coordinator.directory
            let numbers = RegionNumberBox()
            let outlook = try await town.coordinator.rehearse(by: nil) { directory, draft in
                let region = try edit(directory, &draft)
                numbers.set(region)
                return region
            }
            let region = numbers.value
            let before = try await Self.standing(town, in: region)
            #expect(town.coordinator.directory.regions.count == directory.regions.count)
            #expect(before.sequence == town.store.lastSequence && outlook.isComplete)
            #expect(try await town.coordinator.edit(by: nil, edit) == region)
            let after = try await Self.standing(town, in: region)
            #expect(outlook.inside == before.inside && outlook.wouldBeInside == after.inside, "seed \(seed)")
            #expect(outlook.wouldEndSafe == before.safe.subtracting(after.safe), "seed \(seed)")
            #expect(outlook.wouldBecomeSafe == after.safe.subtracting(before.safe), "seed \(seed)")
            if before.inside != after.inside || before.safe != after.safe { changed += 1 }
        }
        #expect(changed > 0)
        try await town.coordinator.close()
    }

    @Test func `a rehearsal of an edit that is refused is refused in the same way`() async throws {
        struct Refused: Error {}
        var random = SeededRandom(seed: 1)
        let town = try await Self.town(.confident, &random)
        await #expect(throws: Refused.self) {
            try await town.coordinator.rehearse(by: nil) { _, _ in throw Refused() }
        }
        try await town.coordinator.close()
    }

    /// The region that a rehearsal was about.
    private final class RegionNumberBox: Sendable {
        private let number = Mutex(RegionNumber(0))
        var value: RegionNumber { number.withLock { $0 } }
        func set(_ region: RegionNumber) { number.withLock { $0 = region } }
    }
}

extension SeededRandom {
    fileprivate mutating func below(_ count: Int) -> Int { Int.random(in: 0..<count, using: &self) }

    /// About ±150 m, in degrees.
    fileprivate mutating func metres() -> Double { (Double(below(3_000)) - 1_500) / 1_000_000 }
}
