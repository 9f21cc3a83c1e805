import MusterCore
import MusterGeometry
import Testing

@Suite struct ConfidentTrackTests {
    private static let modes: [RegionMode] = [.standard, .insideIsSafe, .insideIsDanger]

    @Test func `there are golden sequences`() {
        #expect(ConfidentVectors.all.count == 16)
        #expect(ConfidentVectors.all.allSatisfy { $0.rows.count >= 20 })
    }

    @Test(arguments: ConfidentVectors.all)
    func `the track and the verdicts are the reference's, fix by fix`(vectors: ConfidentVectors) {
        var track = ConfidentTrack()
        var standings = Self.modes.map { _ in Standing.unknown }
        var worst = (place: 0.0, deviation: 0.0, probability: 0.0)
        for row in vectors.rows {
            #expect(track.take(row.fix) == row.isTaken)
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
                    deviationMetres: track.deviationMetres, isSettled: track.isSettled, mode: mode)
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

    @Test func `a track takes 88 bytes`() {
        #expect(MemoryLayout<ConfidentTrack>.stride <= 88)
    }
}
