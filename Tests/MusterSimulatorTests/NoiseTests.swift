import MusterCore
import MusterGeometry
import MusterSimulator
import Testing

@Suite struct NoiseTests {
    /// A fix against the truth.
    private struct Error {
        var person: Int
        var seconds: Double
        var offset: Offset
        var accuracy: Double?
        var speed: Double?
        var trueSpeed: Double
        var metres: Double { offset.length }
    }

    /// What is wrong with the fixes of forty people over some hours.
    private func errors(_ noise: Noise, hours: Double, intervalSeconds: Double = 5) throws -> [Error] {
        var world = Samples.world(
            seed: 31, people: 40, manner: .walks, noise: noise, reporting: Reporting(intervalSeconds: intervalSeconds))
        return try world.advance(to: Samples.after(hours * 3600)).map { delivery in
            let time = delivery.position.sampleTime
            let truth = try #require(world.truePosition(of: delivery.person, at: time))
            let before = try #require(world.truePosition(of: delivery.person, at: time.advanced(bySeconds: -0.001)))
            return Error(
                person: delivery.person, seconds: time.seconds(since: Samples.start),
                offset: Samples.plane.offset(delivery.position.coordinate) - Samples.plane.offset(truth),
                accuracy: delivery.position.accuracy?.value, speed: delivery.position.speed,
                trueSpeed: before.distance(to: truth).value * 1000)
        }
    }

    private func share(_ errors: [Error], _ condition: (Error) -> Bool) -> Double {
        Double(errors.count(where: condition)) / Double(errors.count)
    }

    @Test func `without noise a fix is the true position`() throws {
        let errors = try errors(Noise(.none), hours: 1)
        #expect(errors.count > 20_000)
        #expect(errors.allSatisfy { $0.metres < 1e-6 && $0.accuracy == 3 })
    }

    @Test(arguments: Noise.Environment.allCases)
    func `honest fixes lie within their environment's radius 68 times in a hundred`(environment: Noise.Environment)
        throws
    {
        let errors = try errors(Noise(.honest, environment: environment), hours: 24, intervalSeconds: 60)
        let inside = share(errors) { $0.metres <= environment.accuracyMetres }
        let kept = share(errors) { ($0.accuracy ?? 0) >= $0.metres }
        print("\(environment): \(inside) within \(environment.accuracyMetres) m, \(kept) within the claim")
        #expect(abs(inside - 0.68) < 0.02)
        #expect(abs(kept - 0.67) < 0.03)
    }

    @Test func `errors correlate after 5 seconds, less after minutes, and not after hours`() throws {
        let errors = try errors(Noise(.honest, environment: .open), hours: 6).filter { $0.metres < 30 }
        var track: [Int: [Error]] = [:]
        for error in errors { track[error.person, default: []].append(error) }
        func likeness(after steps: Int) -> Double {
            var (product, square) = (0.0, 0.0)
            for errors in track.values {
                for (error, later) in zip(errors, errors.dropFirst(steps)) {
                    product += error.offset.east * later.offset.east + error.offset.north * later.offset.north
                    square += error.metres * error.metres
                }
            }
            return product / square
        }
        let (soon, later, late) = (likeness(after: 1), likeness(after: 60), likeness(after: 1440))
        print("likeness after 5 s \(soon), after 5 min \(later), after 2 h \(late)")
        #expect(abs(soon - 0.75) < 0.05, "0.45 exp(-5/45) + 0.35 exp(-5/1800)")
        #expect(abs(later - 0.30) < 0.08, "0.35 exp(-300/1800)")
        #expect(abs(late) < 0.12)
    }

    @Test func `hostile fixes lie more than honest ones`() throws {
        func lies(_ tier: Noise.Tier) throws -> Double {
            share(try errors(Noise(tier, environment: .city), hours: 12, intervalSeconds: 20)) { error in
                error.accuracy.map { error.metres > 3 * $0 } ?? false
            }
        }
        let (honest, hostile) = (try lies(.honest), try lies(.hostile))
        print("more than three claims off: honest \(honest), hostile \(hostile)")
        #expect(honest < 0.005)
        #expect(hostile > 4 * honest)
    }

    @Test(arguments: [Noise.Tier.honest, .hostile])
    func `a few fixes are coarse, and fewer claim no accuracy`(tier: Noise.Tier) throws {
        let errors = try errors(Noise(tier, environment: .suburb), hours: 6)
        let coarse = share(errors) { ($0.accuracy ?? 0) >= 500 }
        let unknown = errors.filter { $0.accuracy == nil }
        #expect(abs(coarse - 0.005) < 0.001)
        #expect(errors.allSatisfy { ($0.accuracy ?? 0) <= 20_000 })
        #expect(abs(Double(unknown.count) / Double(errors.count) - 0.002) < 0.0007)
        #expect(abs(share(unknown) { $0.metres > 80 } - 0.5) < 0.1)
    }

    @Test func `half of the phones send a speed, about right and never negative`() throws {
        let errors = try errors(Noise(.honest), hours: 1)
        let saying = Set(errors.filter { $0.speed != nil }.map(\.person)).count
        #expect((10...30).contains(saying))
        let differences = errors.compactMap { error in error.speed.map { $0 - error.trueSpeed } }
        #expect(errors.allSatisfy { ($0.speed ?? 0) >= 0 })
        let spread = (differences.reduce(0) { $0 + $1 * $1 } / Double(differences.count)).squareRoot()
        #expect(abs(spread - 0.3) < 0.05)
    }
}
