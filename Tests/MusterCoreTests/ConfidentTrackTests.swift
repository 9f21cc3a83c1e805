import MusterCore
import MusterGeometry
import Testing

@Suite struct ConfidentTrackTests {
    private static let modes: [RegionMode] = [.standard, .insideIsSafe, .insideIsDanger]

    @Test func `there are golden sequences`() {
        #expect(ConfidentVectors.all.count == 19)
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

    @Test func `a track takes 168 bytes`() {
        #expect(MemoryLayout<ConfidentTrack>.stride <= 168)
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
        #expect(track.sampleTime == World.time(10))
    }

    @Test func `a track without a fix knows nothing`() {
        let track = ConfidentTrack()
        #expect(track.isEmpty && !track.isSettled && !track.isChecking && track.sampleTime == nil)
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

    @Test func `who walks over the antimeridian or a pole stays on the globe and is followed`() {
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
}
