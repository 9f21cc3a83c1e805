import MusterGeometry
import Testing

/// A region index that is rebuilt while it changes.
@Suite struct RegionIndexRebuildTests {
    @Test func `edits made while a mesh is built are kept`() {
        var random = SeededRandom(seed: 70)
        var world = ChangingWorld()
        var plans: [RegionIndexRebuild] = []
        var built: [BuiltRegions] = []
        var adopted = 0
        for round in 0..<rounds(2000) {
            world.change(&random)
            let kind = random.number(0...1)
            if kind < 0.1, let plan = world.index.rebuild { plans.append(plan) }
            if kind > 0.9, !plans.isEmpty { built.append(plans.removeFirst().build()) }
            if kind > 0.4 && kind < 0.45, !built.isEmpty {
                world.index.adopt(built.removeFirst())
                adopted += 1
            }
            if round % 20 == 0 { world.check(places: 15, &random) }
        }
        #expect(adopted > 10)
    }

    @Test func `a rebuild older than the adopted one is dropped`() throws {
        let place = Coordinate(validLatitude: 1, longitude: 1)
        var index = RegionIndex()
        for id in 0..<100 { index.put(.circle(Circle(centre: place, radius: 100)), as: Int32(id)) }
        let early = try #require(index.rebuild).build()
        let late = try #require(index.rebuild).build()
        index.put(.circle(Circle(centre: place, radius: 100)), as: 100)
        index.adopt(late)
        #expect(index.count == 101)
        index.remove(3)
        index.adopt(early)
        #expect(index.count == 100)
        var found: [Int32] = []
        index.regions(containing: place, into: &found)
        #expect(found == (0...100).filter { $0 != 3 })
    }

    @Test func `a small delta is not worth a rebuild, and none is left after one`() throws {
        var random = SeededRandom(seed: 71)
        var index = RegionIndex()
        #expect(index.rebuild == nil)
        for id in 0..<2000 { index.put(RegionIndexTests.anyShape(&random), as: Int32(id)) }
        index.adopt(try #require(index.rebuild).build())
        #expect(index.rebuild == nil)
        for id in 0..<50 { index.remove(Int32(id)) }
        #expect(index.rebuild == nil)
        for id in 50..<500 { index.remove(Int32(id)) }
        let plan = try #require(index.rebuild)
        index.adopt(plan.build())
        #expect(index.count == 1500)
        #expect(index.rebuild == nil)
    }

    @Test func `negative and extreme region numbers are kept`() {
        let place = Coordinate(validLatitude: 1, longitude: 1)
        let ids: [Int32] = [.min, -5, 0, 7, .max]
        let index = RegionIndex(ids.reversed().map { ($0, .circle(Circle(centre: place, radius: 100))) })
        var found: [Int32] = []
        index.regions(containing: place, into: &found)
        #expect(found == ids)
    }

    @Test func `of a repeated region number the last shape is kept`() {
        let (here, there) = (
            Coordinate(validLatitude: 1, longitude: 1), Coordinate(validLatitude: 2, longitude: 2)
        )
        let unclosed = Shape.polygon(Polygon(exterior: [here, there]))
        let all: [(id: Int32, shape: Shape)] = [
            (1, .circle(Circle(centre: here, radius: 100))), (1, unclosed),
            (1, .circle(Circle(centre: there, radius: 100))),
        ]
        let index = RegionIndex(all)
        #expect(index.count == 1)
        var found: [Int32] = []
        index.regions(containing: here, into: &found)
        #expect(found.isEmpty)
        index.regions(containing: there, into: &found)
        #expect(found == [1])
    }
}

/// An index and the shapes that it should hold.
struct ChangingWorld {
    var index = RegionIndex()
    private var shapes: [Int32: PreparedShape] = [:]
    private var plain: [Int32: Shape] = [:]

    /// Puts or removes a region.
    mutating func change(_ random: inout SeededRandom) {
        let id = Int32(random.number(0...150))
        if random.number(0...1) < 0.3 {
            index.remove(id)
            shapes[id] = nil
            plain[id] = nil
        } else {
            let shape = RegionIndexTests.anyShape(&random)
            index.put(shape, as: id)
            shapes[id] = PreparedShape(shape)
            plain[id] = shape
        }
        #expect(index.count == shapes.count)
    }

    /// Compares the answers for some places, one by one and all at once.
    func check(places count: Int, _ random: inout SeededRandom) {
        guard !plain.isEmpty else { return }
        let near = plain.keys.sorted().compactMap { plain[$0] }
        var places = (0..<count).map { _ in RegionIndexMeshTests.place(near: near, &random) }
        places.append(Coordinate(validLatitude: 90, longitude: 12))
        var expectedOfAll: [Int32] = [7]
        var expectedEnds: [Int] = [3]
        for place in places {
            var found: [Int32] = [7]
            index.regions(containing: place, into: &found)
            let expected = shapes.filter { $0.value.contains(place) }.keys.sorted()
            if found != [7] + expected { Issue.record("\(place): \(found.dropFirst()) is not \(expected)") }
            expectedOfAll += expected
            expectedEnds.append(expectedOfAll.count)
        }
        var all: [Int32] = [7]
        var ends = [3]
        index.regions(containing: places, into: &all, ends: &ends)
        #expect(all == expectedOfAll)
        #expect(ends == expectedEnds)
    }
}
