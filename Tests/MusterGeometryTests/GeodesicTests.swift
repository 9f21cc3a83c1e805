import MusterGeometry
import Testing

@Suite struct GeodesicTests {
    @Test(.enabled(if: TestData.isPresent, "test data absent: set MUSTER_TEST_DATA"))
    func `the reference geodesics are computed within a micrometre`() throws {
        var worst = 0.0
        var lines = 0
        for line in try TestData.text("geodesic/GeodTest-100.dat").split(separator: "\n") {
            let number = line.split(separator: " ").compactMap { Double($0) }
            try #require(number.count == 10)
            let start = try Coordinate(latitude: number[0], longitude: number[1])
            let end = try Coordinate(latitude: number[3], longitude: number[4])
            let inverse = Geodesic(from: start, to: end)
            worst = max(worst, abs(inverse.distance.value - number[6]))
            #expect(abs(inverse.distance.value - number[6]) < 1e-6, "\(line)")
            // An azimuth matters by how far the line swings at its end: m12 metres per radian.
            let swing = abs(number[8]) * Double.pi / 180
            #expect(angle(inverse.initialAzimuth.value, number[2]) * swing < 1e-6, "\(line)")
            #expect(angle(inverse.finalAzimuth.value, number[5]) * swing < 1e-6, "\(line)")

            let direct = Geodesic(from: start, azimuth: Degrees(number[2]), distance: Metres(number[6]))
            #expect(direct.end.distance(to: end).value < 1e-6, "\(line)")
            let back = Geodesic(from: end, azimuth: Degrees(number[5]), distance: Metres(-number[6]))
            #expect(back.end.distance(to: start).value < 1e-6, "\(line)")
            lines += 1
        }
        #expect(lines == 100)
        print("worst distance error \(worst) m")
    }

    private func angle(_ one: Double, _ other: Double) -> Double {
        abs((one - other).remainder(dividingBy: 360))
    }
}
