import MusterCore
import MusterGeometry
import Testing

@Suite struct ConfidentPassageTests {
    /// Metres to a degree at the equator, east and north.
    private static let (east, north) = (111_319.49, 110_574.28)

    /// A fix so many metres from where the antimeridian meets the equator.
    private func fix(_ x: Double, _ y: Double, at seconds: Double, accuracy: Double? = 8) -> ConfidentFix {
        ConfidentFix(
            coordinate: place(x, y), sampleTime: World.time(seconds), accuracyMetres: accuracy)
    }

    private func place(_ x: Double, _ y: Double) -> Coordinate {
        Coordinate(
            validLatitude: y / Self.north, longitude: (180 + x / Self.east).remainder(dividingBy: 360))
    }

    private func passage(
        _ first: ConfidentFix, _ second: ConfidentFix, radius: Double = 50, at y: Double = 0,
        mode: RegionMode = .standard
    ) -> InferredPassage? {
        let circle = Shape.circle(Circle(centre: place(0, y), radius: Metres(radius)))
        return InferredPassage(from: first, to: second, mode: mode) {
            circle.signedDistanceToBoundary(from: $0).value
        }
    }

    @Test func `driving through a region between two fixes is a passage`() throws {
        let found = try #require(passage(fix(-120, 0, at: 0), fix(80, 0, at: 20)))
        #expect(abs(found.time.seconds(since: World.time(12))) < 0.5, "when it was nearest to the middle")
        #expect(found.probability > 0.99)
    }

    @Test func `grazing a region, or perhaps going round it, is not a passage`() {
        #expect(passage(fix(-120, 45, at: 0), fix(80, 45, at: 20)) == nil)
        #expect(passage(fix(-120, 51, at: 0), fix(80, 51, at: 20)) == nil)
        #expect(passage(fix(-1500, 0, at: 0), fix(1500, 0, at: 200)) == nil, "a way of 3 km bends")
        #expect(passage(fix(-1500, 0, at: 0), fix(1500, 0, at: 200), radius: 400) != nil)
    }

    @Test func `a fix in the region, or on its boundary, makes it no passage`() {
        #expect(passage(fix(-120, 0, at: 0), fix(0, 0, at: 12)) == nil)
        #expect(passage(fix(-120, 0, at: 0), fix(49.9, 0, at: 17)) == nil)
        #expect(passage(fix(20, 0, at: 0), fix(80, 0, at: 6)) == nil)
    }

    @Test func `inaccurate, old, late or too fast fixes infer no passage`() {
        func isInferred(_ one: Double?, _ other: Double?, seconds: Double = 20) -> Bool {
            passage(fix(-120, 0, at: 0, accuracy: one), fix(80, 0, at: seconds, accuracy: other)) != nil
        }
        #expect(isInferred(25, 8))
        for accuracy in [nil, 0, -1, .nan, 51, 17_000] as [Double?] {
            #expect(!isInferred(accuracy, 8) && !isInferred(8, accuracy))
        }
        #expect(isInferred(8, 8, seconds: 300) && !isInferred(8, 8, seconds: 300.1))
        #expect(isInferred(8, 8, seconds: 2.9) && !isInferred(8, 8, seconds: 2.8))
        #expect(!isInferred(8, 8, seconds: 0) && !isInferred(8, 8, seconds: -20))
    }

    @Test func `a region for safety needs more, one of danger less`() {
        // 14 m deep, with a deviation of 10.6 m: Φ is 0.91.
        let (first, second) = (fix(-100, 36, at: 0, accuracy: 10), fix(100, 36, at: 20, accuracy: 10))
        #expect(passage(first, second, mode: .insideIsSafe) == nil)
        #expect(passage(first, second, mode: .insideIsDanger) != nil)
    }

    @Test func `a region out of reach is asked for twice, any other 32 times at most`() {
        func questions(_ distance: (Coordinate) -> Double) -> Int {
            var count = 0
            _ = InferredPassage(from: fix(-120, 0, at: 0), to: fix(80, 0, at: 20)) { place in
                count += 1
                return distance(place)
            }
            return count
        }
        #expect(questions { _ in -101 } == 2)
        #expect(questions { _ in -1e-9 } == 32)
        #expect(questions { _ in .infinity } == 2)
    }
}
