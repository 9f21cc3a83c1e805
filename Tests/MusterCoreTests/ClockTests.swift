import MusterCore
import MusterGeometry
import Testing

/// Phones whose clocks are wrong, and phones that upload late. The two must never be taken for each other.
@Suite struct ClockTests {
    /// By how many seconds a clock is ahead: two hours either way, and one that began in 1970.
    static let errors: [Double] = [-7200, 7200, -1_700_000_000]

    /// A muster region around 45, 14.
    private static func town() -> World {
        var world = World()
        world.putSquare(1, at: 45, 14, isMuster: true)
        return world
    }

    @Test(arguments: errors)
    func `a phone with a wrong clock is heard at once and followed within two minutes`(ahead: Double) {
        var world = Self.town()
        world.report(45, 14, at: ahead, receivedAt: 0, accuracy: 5)
        #expect(world.engine.heardTime(of: World.phone) == World.time(0))
        #expect(world.told() == ["unknown unlocated"])
        world.linger(at: 45, from: 5, to: 120, ahead: ahead)
        #expect(world.engine.clockSkew(of: World.phone)?.isCorrected == true)
        #expect(abs((world.engine.clockSkew(of: World.phone)?.aheadSeconds ?? 0) - ahead) <= 10)
        #expect(world.safety == [.safe])
        world.linger(at: 45.01, from: 125, to: 240, ahead: ahead)
        #expect(world.safety == [.safe, .unknown, .unsafe])
        world.linger(at: 45, from: 245, to: 360, ahead: ahead)
        #expect(world.safety.first == .safe && world.ana.state == .safe)
        #expect(!world.told().contains("unknown silence"))
        // The phone went silent.
        world.sweep(at: 360 + 1190)
        #expect(world.ana.state == .safe)
        world.sweep(at: 360 + 1220)
        #expect(world.told().last == "unknown silence")
    }

    @Test(arguments: errors)
    func `a person who walks out as a wrong clock is set right is unsafe`(ahead: Double) {
        var world = Self.town()
        world.linger(at: 45, from: 0, to: 180, ahead: ahead)
        #expect(world.ana.state == .safe)
        world.linger(at: 45.01, from: 185, to: 400, ahead: 0)
        #expect(world.engine.clockSkew(of: World.phone) == nil)
        #expect(world.ana.state == .unsafe)
        #expect(world.engine.evaluatedTime(of: World.phone) == World.time(400))
        world.linger(at: 45, from: 405, to: 520, ahead: 0)
        #expect(world.ana.state == .safe)
    }

    /// How a phone uploads what it recorded without a network.
    enum Upload: String, CaseIterable {
        case inOneRequest, inSlices, oneByOne, atTheSamplingPace, newestFirst, betweenLiveOnes
    }

    @Test(arguments: Upload.allCases)
    func `late fixes recorded without a network are not taken for a wrong clock`(upload: Upload) {
        var world = Self.town()
        // Outside, with a clock that is right; then inside for two and a half hours, heard by nobody; then outside.
        world.stay(45.01, 14, from: -600, to: 0)
        world.sweep(at: 1800)
        let samples = Array(stride(from: 5.0, through: 9000, by: 5))
        world.play(upload, samples, at: 45, from: 10_800) { world in
            #expect(world.engine.clockSkew(of: World.phone)?.isCorrected != true)
        }
        #expect(!world.safety.contains(.safe))
        world.stay(45.01, 14, from: world.now + 5, to: world.now + 200)
        #expect(world.engine.clockSkew(of: World.phone) == nil)
        #expect(world.ana.state == .unsafe)
        #expect(!world.safety.contains(.safe))
    }

    @Test(arguments: Upload.allCases.filter { $0 != .atTheSamplingPace })
    func `late fixes of a phone never heard before are not taken for a wrong clock`(upload: Upload) {
        var world = Self.town()
        let samples = Array(stride(from: 5.0, through: 9000, by: 5))
        world.play(upload, samples, at: 45, from: 10_800) { world in
            #expect(world.engine.clockSkew(of: World.phone)?.isCorrected != true)
        }
        #expect(!world.safety.contains(.safe))
    }
}

extension World {
    /// Stays somewhere with a clock that is wrong, reporting every five seconds.
    fileprivate mutating func linger(at latitude: Double, from start: Double, to end: Double, ahead: Double) {
        for second in stride(from: start, through: end, by: 5) {
            report(latitude, 14, at: second + ahead, receivedAt: second, accuracy: 5)
        }
    }

    /// Uploads samples of a place, oldest first unless told otherwise.
    fileprivate mutating func play(
        _ upload: ClockTests.Upload, _ samples: [Double], at latitude: Double, from start: Double,
        check: (World) -> Void
    ) {
        for (index, sample) in samples.enumerated() {
            let place = Double(index)
            switch upload {
            case .inOneRequest: report(latitude, 14, at: sample, receivedAt: start, accuracy: 5)
            case .inSlices:
                report(latitude, 14, at: sample, receivedAt: start + 2 * (place / 100).rounded(.down), accuracy: 5)
            case .oneByOne: report(latitude, 14, at: sample, receivedAt: start + 0.05 * place, accuracy: 5)
            case .atTheSamplingPace: report(latitude, 14, at: sample, receivedAt: start + 5 * place, accuracy: 5)
            case .newestFirst:
                let newest = samples[samples.count - 1 - index]
                report(latitude, 14, at: newest, receivedAt: start + 0.05 * place, accuracy: 5)
            case .betweenLiveOnes:
                report(latitude, 14, at: sample, receivedAt: start + 5 * place, accuracy: 5)
                report(45.01, 14, at: start + 5 * place + 1, accuracy: 5)
            }
            check(self)
        }
    }
}
