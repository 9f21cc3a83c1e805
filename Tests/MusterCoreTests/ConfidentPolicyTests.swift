import MusterCore
import MusterGeometry
import Testing

@Suite struct ConfidentPolicyTests {
    private static let centre = Coordinate(validLatitude: 46.05, longitude: 14.5)

    /// A device and a round region, with every change of its standing.
    private struct Scene {
        var radius = 100.0
        var track = ConfidentTrack()
        var standing = Standing.unknown
        var events: [String] = []
        var seconds = 0.0

        /// Takes a fix every so many seconds, for so long, so many metres east of the region's middle.
        mutating func stay(
            _ duration: Double, every step: Double = 5, east: Double = 0, accuracy: Double? = 8, speed: Double? = nil
        ) {
            let end = seconds + duration
            while seconds + step <= end {
                seconds += step
                track.advance(
                    ConfidentFix(
                        coordinate: Coordinate(
                            validLatitude: ConfidentPolicyTests.centre.latitude,
                            longitude: ConfidentPolicyTests.centre.longitude + east / 77_400),
                        sampleTime: World.time(seconds), accuracyMetres: accuracy, speedMetresPerSecond: speed))
                let distance = ConfidentPolicyTests.centre.distance(to: track.estimate).value
                let next = ConfidentPolicy.verdict(
                    from: standing, signedDistanceMetres: radius - distance, deviationMetres: track.deviationMetres,
                    isSettled: track.isSettled, motion: track.motion,
                    signedDistanceMetres: { place, _ in
                        radius - ConfidentPolicyTests.centre.distance(to: place).value
                    }
                ).standing
                if standing != .unknown && next != standing { events.append(next == .inside ? "enter" : "exit") }
                standing = next
            }
        }
    }

    /// Ten minutes inside, something, ten minutes inside; what came of it.
    private func events(_ disturb: (inout Scene) -> Void, speed: Double? = nil) -> [String] {
        var scene = Scene()
        scene.stay(600, speed: speed)
        #expect(scene.standing == .inside)
        disturb(&scene)
        scene.stay(600, speed: speed)
        #expect(scene.standing == .inside)
        return scene.events
    }

    @Test(arguments: [1, 3])
    func `one to three fixes 17 km off with that accuracy move nothing`(count: Int) {
        #expect(events { $0.stay(5 * Double(count), east: 17_000, accuracy: 17_000) } == [])
        #expect(events { $0.stay(5 * Double(count), east: 12_000, accuracy: 17_000) } == [])
    }

    @Test func `a fix without accuracy 2 km off moves nothing`() {
        #expect(events { $0.stay(5, east: 2000, accuracy: 0) } == [])
        #expect(events { $0.stay(5, east: 2000, accuracy: nil) } == [])
    }

    @Test(arguments: [1.7, 3, 5, 9])
    func `one accurate fix 200 m away moves nothing`(accuracy: Double) {
        #expect(events { $0.stay(5, east: 200, accuracy: accuracy) } == [])
        #expect(events { $0.stay(30, east: -200, accuracy: accuracy) } == [])
    }

    @Test func `false fixes 300 m away for two minutes move nothing when the phone reports speed 0`() {
        #expect(events({ $0.stay(120, east: 300, speed: 0) }, speed: 0) == [])
    }

    @Test func `false fixes after a gap of a minute are believed, and the true ones after them`() {
        let told = events(
            { scene in
                scene.seconds += 60
                scene.stay(120, east: 300, speed: 0)
            }, speed: 0)
        #expect(told == ["exit"] || told == ["exit", "enter"])
    }

    @Test(arguments: [60, 120, 200], [nil, 0] as [Double?])
    func `a person who arrives during a gap is inside after 30 s of steady fixes`(gap: Double, speed: Double?) {
        var scene = Scene()
        scene.stay(600, east: 400, speed: speed)
        scene.seconds += gap
        scene.stay(30, accuracy: 4, speed: speed)
        #expect(scene.events == ["enter"])
    }

    @Test func `a phone that reports speed 0 while it walks in is inside soon after it stops`() {
        var scene = Scene()
        scene.stay(300, east: 300, accuracy: 4, speed: 0)
        for step in 1...18 { scene.stay(5, east: 300 - Double(step) * 300 / 18, accuracy: 4, speed: 0) }
        scene.stay(30, accuracy: 4, speed: 0)
        #expect(scene.events == ["enter"])
    }

    @Test func `the same false fixes without a speed are an exit and then an enter`() {
        #expect(events { $0.stay(120, east: 300) } == ["exit", "enter"])
    }

    @Test func `only coarse fixes from 8 km away are an exit on the second of them`() {
        var scene = Scene()
        scene.stay(600)
        scene.stay(60, every: 60, east: 8000, accuracy: 1500)
        #expect(scene.events == [] && scene.track.isChecking)
        scene.stay(60, every: 60, east: 8000, accuracy: 1500)
        #expect(scene.events == ["exit"] && !scene.track.isChecking)
    }

    @Test func `the first standing needs two fixes and is not an event`() {
        var scene = Scene()
        scene.stay(5)
        #expect(scene.standing == .unknown && !scene.track.isSettled)
        scene.stay(5)
        #expect(scene.standing == .inside && scene.events == [])
    }

    @Test(arguments: RegionMode.allCases)
    func `a verdict changes only past its threshold`(mode: RegionMode) {
        func verdict(_ standing: Standing, _ distance: Double, isSettled: Bool = true) -> Standing {
            ConfidentPolicy.verdict(
                from: standing, signedDistanceMetres: distance, deviationMetres: 10, isSettled: isSettled, mode: mode
            ).standing
        }
        // Φ⁻¹ of the probabilities, from a table.
        let enter = [RegionMode.standard: 10.364, .insideIsSafe: 16.449, .insideIsDanger: 5.244][mode] ?? .nan
        let exit = [RegionMode.standard: -21.449, .insideIsSafe: -10.364, .insideIsDanger: -24.449][mode] ?? .nan
        #expect(verdict(.outside, enter - 0.01) == .outside && verdict(.outside, enter + 0.01) == .inside)
        #expect(verdict(.inside, exit + 0.01) == .inside && verdict(.inside, exit - 0.01) == .outside)
        #expect(verdict(.unknown, enter + 0.01) == .inside && verdict(.unknown, enter - 0.01) == .unknown)
        #expect(verdict(.unknown, enter + 90, isSettled: false) == .unknown)
        #expect(verdict(.unknown, -90, isSettled: false) == .unknown)
        #expect(verdict(.unknown, -90) == .outside)
        #expect(verdict(.outside, .infinity) == .inside, "a region without a boundary")
    }

    @Test func `15 m are too small for an accuracy of 30 m, and not for one of 10`() {
        func isTooPoor(_ accuracy: Double) -> Bool {
            var scene = Scene(radius: 15)
            scene.stay(3600, accuracy: accuracy)
            return ConfidentPolicy.isAccuracyTooPoor(
                inradiusMetres: 15, deviationMetres: scene.track.leastDeviationMetres)
        }
        #expect(isTooPoor(30) && isTooPoor(50))
        #expect(!isTooPoor(10))
        #expect(ConfidentPolicy.isAccuracyTooPoor(inradiusMetres: 1000, deviationMetres: .infinity))
    }

    @Test func `a 95 % radius is 1.62 times the 68 % one`() {
        #expect(AccuracyMeaning.radius68.radius68(ofMetres: 16.2) == 16.2)
        #expect(abs(AccuracyMeaning.radius95.radius68(ofMetres: 16.2) - 10) < 1e-12)
    }
}
