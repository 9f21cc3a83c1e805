import MusterCore
import MusterGeometry
import MusterSimulator
import Testing

@Suite struct DemoTownTests {
    private static let start = Instant(milliseconds: 1_795_000_000_000)

    private func town(people: Int = 40, pace: Double = 1) -> DemoTown {
        DemoTown(seed: 7, start: DemoTownTests.start, people: people, noise: Noise(.none), pace: pace)
    }

    @Test(arguments: [1, 40, 41, 1000]) func `everyone has a name of their own that a server takes`(people: Int) {
        let names = town(people: people).world.people.map(\.name)
        #expect(names.count == people)
        #expect(Set(names).count == people)
        let allowed = Set("abcdefghijklmnopqrstuvwxyz0123456789._-")
        #expect(names.allSatisfy { !$0.isEmpty && $0.count <= 64 && $0.allSatisfy(allowed.contains) })
    }

    @Test func `rings are closed, the outer ones counter-clockwise and the holes clockwise`() {
        for case .polygon(let polygon) in DemoTown.sites.map(\.shape) {
            #expect(area(polygon.exterior) > 0)
            #expect(polygon.holes.allSatisfy { area($0) < 0 })
            #expect(([polygon.exterior] + polygon.holes).allSatisfy { $0.first == $0.last && $0.count >= 4 })
        }
    }

    @Test func `before the evacuation people come to no muster region but by chance, and some are at the harbour`() {
        var town = town()
        _ = town.world.advance(to: DemoTownTests.start.advanced(bySeconds: 3600))
        #expect(safe(in: town).count <= 4)
        #expect(town.world.people.indices.contains { !visits(town, "harbour-danger", $0).isEmpty })
    }

    @Test func `after the evacuation all but the stubborn one come to a muster region and stay`() {
        var town = town()
        _ = town.world.advance(to: DemoTownTests.start.advanced(bySeconds: 600))
        town.world.evacuate(at: town.world.now)
        _ = town.world.advance(to: DemoTownTests.start.advanced(bySeconds: 600 + 45 * 60))
        let expected = town.world.people.indices.filter { town.world.people[$0].response != .stubborn }
        #expect(safe(in: town) == expected)
        _ = town.world.advance(to: DemoTownTests.start.advanced(bySeconds: 600 + 105 * 60))
        #expect(safe(in: town) == expected)
    }

    @Test func `at pace 8 most people are safe within two minutes, and a late one is not`() {
        var town = town(pace: 8)
        _ = town.world.advance(to: DemoTownTests.start.advanced(bySeconds: 60))
        let before = safe(in: town).count
        town.world.evacuate(at: town.world.now)
        _ = town.world.advance(to: DemoTownTests.start.advanced(bySeconds: 60 + 20))
        let soon = safe(in: town)
        #expect(!soon.contains { town.world.people[$0].response == .late })
        _ = town.world.advance(to: DemoTownTests.start.advanced(bySeconds: 60 + 120))
        let after = safe(in: town).count
        print("safe before \(before), after 20 s \(soon.count), after 120 s \(after)")
        #expect(before < 5)
        #expect(after >= 30)
    }

    @Test func `a person who lost the network is heard again, with every fix of that time`() throws {
        var town = town()
        _ = town.world.advance(to: DemoTownTests.start.advanced(bySeconds: 600))
        town.world.evacuate(at: town.world.now)
        let person = try #require(town.world.people.firstIndex { $0.response == .unreachable })
        let dark = town.world.advance(to: DemoTownTests.start.advanced(bySeconds: 1195)).filter { $0.person == person }
        #expect(dark.allSatisfy { $0.position.sampleTime < DemoTownTests.start.advanced(bySeconds: 600) })
        let burst = town.world.advance(to: DemoTownTests.start.advanced(bySeconds: 1210)).filter { $0.person == person }
        #expect(burst.count > 150)
        #expect(burst.allSatisfy { $0.position.sampleTime >= DemoTownTests.start.advanced(bySeconds: 600) })
    }

    private func visits(_ town: DemoTown, _ id: String, _ person: Int) -> [Visit] {
        DemoTown.sites.filter { $0.id == id }.flatMap { town.world.trueVisits(to: $0.shape, by: person) }
    }

    /// Who is inside a muster region at the end.
    private func safe(in town: DemoTown) -> [Int] {
        let end = town.world.now.seconds(since: DemoTownTests.start)
        return town.world.people.indices.filter { person in
            DemoTown.sites.contains { site in
                site.isMuster && visits(town, site.id, person).contains { $0.toSeconds >= end - 0.001 }
            }
        }
    }

    private func area(_ ring: [Coordinate]) -> Double {
        zip(ring, ring.dropFirst()).reduce(0) { sum, edge in
            sum + edge.0.longitude * edge.1.latitude - edge.1.longitude * edge.0.latitude
        }
    }
}
