import MusterCore
import MusterGeometry
import Testing

@Suite struct ConfidentTrackTests {
    private static let modes: [RegionMode] = [.standard, .insideIsSafe, .insideIsDanger]

    @Test func `there are golden sequences`() {
        #expect(ConfidentVectors.all.count == 23)
        #expect(ConfidentVectors.all.allSatisfy { $0.rows.count >= 20 })
    }

    @Test(arguments: ConfidentVectors.all)
    func `the track and the verdicts are the reference's, fix by fix`(vectors: ConfidentVectors) {
        var track = ConfidentTrack()
        var standings = Self.modes.map { _ in Standing.unknown }
        var worst = (place: 0.0, deviation: 0.0, probability: 0.0)
        for row in vectors.rows {
            #expect(track.advance(row.fix) == row.isTaken)
            let (east, north) = vectors.metres(track.estimate)
            let off = ((east - row.east) * (east - row.east) + (north - row.north) * (north - row.north)).squareRoot()
            worst.place = max(worst.place, off)
            worst.deviation = max(worst.deviation, abs(track.deviationMetres - row.deviation))
            #expect(track.isChecking == (row.surprises > 0))
            guard row.isTaken else { continue }
            for (index, mode) in Self.modes.enumerated() {
                let verdict = ConfidentPolicy.verdict(
                    from: standings[index],
                    signedDistanceMetres: vectors.radius - (east * east + north * north).squareRoot(),
                    deviationMetres: track.deviationMetres, isSettled: track.isSettled, mode: mode,
                    motion: track.motion, signedDistanceMetres: { place, _ in signedDistance(vectors, place) })
                standings[index] = verdict.standing
                worst.probability = max(worst.probability, abs(verdict.probability - row.probability))
            }
            #expect(standings == row.standings)
        }
        print("\(vectors.name): at most \(worst.place) m, deviation \(worst.deviation) m, p \(worst.probability) off")
        #expect(worst.place < 0.01)
        #expect(worst.deviation < 0.01)
        #expect(worst.probability < 1e-3)
    }

    private func signedDistance(_ vectors: ConfidentVectors, _ place: Coordinate) -> Double {
        let (east, north) = vectors.metres(place)
        return vectors.radius - (east * east + north * north).squareRoot()
    }

    @Test func `a track takes 184 bytes`() {
        #expect(MemoryLayout<ConfidentTrack>.stride <= 184)
    }

    private func fix(
        _ latitude: Double, _ longitude: Double, at seconds: Double, accuracy: Double? = 8, speed: Double? = nil
    ) -> ConfidentFix {
        ConfidentFix(
            coordinate: Coordinate(validLatitude: latitude, longitude: longitude), sampleTime: World.time(seconds),
            accuracyMetres: accuracy, speedMetresPerSecond: speed)
    }

    @Test func `a late or repeated fix changes nothing`() {
        var track = ConfidentTrack()
        track.advance(fix(46, 14, at: 10))
        let before = track
        let changes = [fix(46, 14, at: 10), fix(46.1, 14, at: 9.999)].map { track.advance($0) }
        #expect(changes == [false, false] && track == before)
    }

    @Test func `a track without a fix knows nothing`() {
        let track = ConfidentTrack()
        #expect(track.isEmpty && !track.isSettled && !track.isChecking)
        #expect(track.deviationMetres == .infinity && track.leastDeviationMetres == .infinity)
    }

    @Test func `while fixes are checked it is known where they seem to be and since when`() throws {
        var track = ConfidentTrack()
        for second in stride(from: 0.0, through: 60, by: 5) { track.advance(fix(46, 14, at: second, speed: 0)) }
        #expect(track.candidateEstimate == nil && track.candidateSince == nil)
        let (first, second) = (fix(46.01, 14, at: 65, speed: 0), fix(46.01, 14.0001, at: 70, speed: 0))
        track.advance(first)
        track.advance(second)
        #expect(track.isChecking && track.candidateSince == World.time(65))
        #expect(try #require(track.candidateEstimate).distance(to: second.coordinate).value < 0.1)
        #expect(track.estimate.distance(to: fix(46, 14, at: 0).coordinate).value < 0.1)
    }

    @Test func `a track over the antimeridian or a pole is followed`() {
        var walker = ConfidentTrack()
        for second in stride(from: 0.0, through: 600, by: 5) {
            let longitude = 179.997 + second * 1e-5
            walker.advance(fix(10, longitude > 180 ? longitude - 360 : longitude, at: second, speed: 1.1))
        }
        #expect(walker.estimate.distance(to: Coordinate(validLatitude: 10, longitude: -179.997)).value < 10)
        var explorer = ConfidentTrack()
        for second in stride(from: -600.0, through: 600, by: 5) {
            explorer.advance(fix(90 - abs(second) * 1e-5, second < 0 ? 0 : 180, at: second + 600, speed: 1.1))
        }
        #expect(explorer.estimate.distance(to: Coordinate(validLatitude: 89.994, longitude: 180)).value < 30)
    }

    @Test func `numbers that make no sense do no harm`() {
        let numbers: [Double?] = [nil, 0, -1, .nan, .infinity, -.infinity, 1e-300, 1e300, 7]
        var track = ConfidentTrack()
        var seconds = 0.0
        for accuracy in numbers {
            for speed in numbers {
                for (latitude, longitude) in [(46.0, 14.0), (-90, -180), (90, 180), (0, 180)] {
                    seconds += seconds < 300 ? 1 : 1e7
                    track.advance(fix(latitude, longitude, at: seconds, accuracy: accuracy, speed: speed))
                    #expect(track.deviationMetres.isFinite && track.deviationMetres > 0)
                    #expect(abs(track.estimate.latitude) <= 90 && abs(track.estimate.longitude) <= 180)
                }
            }
        }
    }

    /// A degree of latitude at 46° is 111,151 m.
    private static let metre = 1 / 111_151.0

    @Test(arguments: [10.0, 60, 300], [(300.0, 100.0), (200, 100), (600, 200), (400, 200), (120, 60)])
    func `poor fixes that all lie elsewhere are followed within minutes`(
        every: Double, poor: (metres: Double, accuracy: Double)
    ) {
        var track = ConfidentTrack()
        for second in stride(from: 0.0, through: 600, by: 5) { track.advance(fix(46, 14, at: second)) }
        let latitude = 46 + poor.metres * Self.metre
        var followed: Double?
        for second in stride(from: 600 + every, through: 7200, by: every) where followed == nil {
            track.advance(fix(latitude, 14, at: second, accuracy: poor.accuracy))
            if track.estimate.distance(to: Coordinate(validLatitude: latitude, longitude: 14)).value < 1 {
                followed = second - 600
            }
        }
        #expect((120...max(450, 6 * every)).contains(followed ?? .infinity))
    }

    @Test func `no poor fix is believed alone, nor are poor ones all around`() {
        var track = ConfidentTrack()
        for second in stride(from: 0.0, through: 600, by: 5) { track.advance(fix(46, 14, at: second)) }
        track.advance(fix(46 + 290 * Self.metre, 14, at: 7800, accuracy: 100))
        #expect(track.estimate.distance(to: Coordinate(validLatitude: 46, longitude: 14)).value < 40)
        for step in 1...120 {
            let north = [290.0, -290][step % 2] * Self.metre
            track.advance(fix(46 + north, 14, at: 7800 + Double(step) * 60, accuracy: 100))
        }
        #expect(track.estimate.distance(to: Coordinate(validLatitude: 46, longitude: 14)).value < 60)
    }

    @Test func `a good fix ends a belief made by poor ones`() {
        var track = ConfidentTrack()
        for second in stride(from: 0.0, through: 600, by: 5) { track.advance(fix(46, 14, at: second)) }
        for second in stride(from: 630.0, through: 1200, by: 30) {
            track.advance(fix(46 + 280 * Self.metre, 14, at: second, accuracy: 100))
        }
        let place = Coordinate(validLatitude: 46, longitude: 14)
        #expect(track.estimate.distance(to: place).value > 250)
        for second in stride(from: 1205.0, through: 1260, by: 5) { track.advance(fix(46, 14, at: second)) }
        #expect(track.estimate.distance(to: place).value < 5)
    }

    @Test func `a stored track of an earlier version is read, without what it did not know`() {
        var track = ConfidentTrack()
        for second in stride(from: 0.0, through: 60, by: 5) { track.advance(fix(46, 14, at: second)) }
        track.advance(fix(46 + 280 * Self.metre, 14, at: 90, accuracy: 100))
        #expect(track.words.count == 27 && ConfidentTrack(words: track.words) == track)
        let former = ConfidentTrack(words: Array(track.words.prefix(25)))
        #expect(former != nil && former != track && former?.estimate == track.estimate)
        #expect(ConfidentTrack(words: Array(track.words.prefix(26))) == track, "it follows no path")
        #expect(ConfidentTrack(words: Array(track.words.prefix(24))) == nil)
    }
}
