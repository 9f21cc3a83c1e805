import MusterCore
import MusterGeometry
import Testing

/// Positions that were made coarse on purpose, as Meshtastic radios send them: the middle of a cell, again and again,
/// with the distance to the cell's corner as the accuracy. The errors of such positions never average out.
@Suite struct CoarsePositionTests {
    /// A person stands still or walks in one cell of the grid.
    private struct Grid {
        /// Half the cell's side, degrees.
        let half: Double
        /// The accuracy that the endpoint states: the half of the diagonal and ten metres.
        let accuracy: Metres

        init(bits: Int) {
            half = Double(UInt32(1) << UInt32(31 - bits)) / 1e7
            let corner = Coordinate(validLatitude: 45 - half, longitude: 9 + half)
            accuracy = Coordinate(validLatitude: 45, longitude: 9).distance(to: corner) + 10
        }
    }

    @Test(arguments: 10...24)
    func `a position cell larger than the assembly point never makes safe`(bits: Int) {
        let grid = Grid(bits: bits)
        var world = World(silenceSeconds: 1_200, policy: .confident)
        // The cell reaches beyond the region on every side: the person may be outside, however often this is said.
        world.putSquare(1, at: 45, 9, half: grid.half * 0.99, isMuster: true)
        for minute in 0..<300 {
            world.report(45, 9, at: Double(minute) * 30, accuracy: grid.accuracy)
            #expect(world.engine.safety(of: World.ana).state != .safe, "\(bits) bits, report \(minute)")
        }
        #expect(world.crossings.isEmpty)
    }

    @Test(arguments: 10...24)
    func `walking past an assembly point with coarse positions is never safe`(bits: Int) {
        let grid = Grid(bits: bits)
        var world = World(silenceSeconds: 1_200, policy: .confident)
        world.putSquare(1, at: 45, 9, half: grid.half * 0.5, isMuster: true)
        // A path east, north of the region, in the same row of cells. The person is outside all the time.
        let latitude = 45 + grid.half * 0.9
        for step in -40...40 {
            let longitude = 9 + Double(step) * grid.half * 0.1
            let cell = ((longitude - 9) / (2 * grid.half)).rounded() * 2 * grid.half + 9
            #expect(abs(latitude - 45) > grid.half * 0.5)
            world.report(45, cell, at: Double(step + 40) * 20, accuracy: grid.accuracy)
            #expect(world.engine.safety(of: World.ana).state != .safe, "\(bits) bits, step \(step)")
        }
    }

    @Test func `a cell within the assembly point makes safe, and one far from it unsafe`() {
        let grid = Grid(bits: 19)
        var world = World(silenceSeconds: 1_200, policy: .confident)
        world.putSquare(1, at: 45, 9, half: grid.half * 8, isMuster: true)
        for minute in 0..<20 { world.report(45, 9, at: Double(minute) * 30, accuracy: grid.accuracy) }
        #expect(world.engine.safety(of: World.ana).state == .safe)
        for minute in 20..<60 {
            world.report(45 + grid.half * 40, 9, at: Double(minute) * 30, accuracy: grid.accuracy)
        }
        #expect(world.engine.safety(of: World.ana).state == .unsafe)
    }

    @Test func `a useless position does not weaken a good one of another device`() {
        let grid = Grid(bits: 10)
        let radio = DeviceNumber(2)
        var world = World(silenceSeconds: 1_200, policy: .confident)
        world.edit(.putDevice(Device(number: radio, name: "radio", user: World.ana)))
        world.putSquare(1, at: 45, 9, isMuster: true)
        world.stay(45, 9, from: 0, to: 60)
        #expect(world.engine.safety(of: World.ana).state == .safe)
        for minute in 0..<20 {
            world.report(45 + grid.half / 2, 9, at: 61 + Double(minute) * 30, accuracy: grid.accuracy, by: radio)
            world.report(45, 9, at: 62 + Double(minute) * 30, accuracy: 5)
        }
        #expect(world.engine.safety(of: World.ana).state == .safe)
    }
}
