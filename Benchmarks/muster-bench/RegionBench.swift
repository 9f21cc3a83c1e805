import MusterGeometry

/// The measurements of `muster-bench regions`, on one thread. Each figure is the best of several runs over the same
/// places.
struct RegionBench {
    let world: RegionWorld
    let placeCount: Int
    let runs: Int

    /// Millions of places a second, for each kind of query.
    struct Rates {
        var random = 0.0
        var batch = 0.0
        var walk = 0.0
        var within10 = 0.0
        var within50 = 0.0
    }

    /// The results of one collection.
    struct Outcome {
        var buildSeconds: Double
        var bytes: Int
        var hitsPerPlace: Double
        var rates: Rates
    }

    /// The cost of a change of one region.
    struct UpdateOutcome {
        var putMicroseconds: Double
        var removeMicroseconds: Double
        var firstQuestionMicroseconds: Double
    }

    func run() -> Outcome {
        var index = RegionIndex()
        let build = Self.seconds { index = RegionIndex(world.numbered) }
        let random = world.randomPlaces(placeCount)
        let walk = world.walk(placeCount)
        let batches = stride(from: 0, to: random.count, by: 64).map {
            Array(random[$0..<min($0 + 64, random.count)])
        }
        var hits = 0
        let rates = Rates(
            random: rate { hits = Self.oneByOne(index, random) },
            batch: rate { _ = Self.inBatches(index, batches) },
            walk: rate { _ = Self.oneByOne(index, walk) },
            within10: rate { _ = Self.nearby(index, walk, 10) },
            within50: rate { _ = Self.nearby(index, walk, 50) })
        return Outcome(
            buildSeconds: build, bytes: index.meshByteCount, hitsPerPlace: Double(hits) / Double(placeCount),
            rates: rates)
    }

    /// Puts one region after another in place of what was there, each time in an index that was just built.
    func update() -> UpdateOutcome {
        let built = RegionIndex(world.numbered)
        let places = world.randomPlaces(runs)
        var found: [Int32] = []
        var outcome = UpdateOutcome(
            putMicroseconds: .infinity, removeMicroseconds: .infinity, firstQuestionMicroseconds: .infinity)
        for run in 0..<runs {
            var index = built
            // The first change of a copy pays for the copy; it is not what is measured.
            index.remove(Int32(run + runs))
            let shape = world.shapes[(run * 7 + 1) % world.shapes.count]
            let put = Self.seconds { index.put(shape, as: Int32(run)) }
            let ask = Self.seconds { index.regions(containing: places[run], into: &found) }
            let remove = Self.seconds { index.remove(Int32(run)) }
            outcome.putMicroseconds = min(outcome.putMicroseconds, put * 1e6)
            outcome.firstQuestionMicroseconds = min(outcome.firstQuestionMicroseconds, ask * 1e6)
            outcome.removeMicroseconds = min(outcome.removeMicroseconds, remove * 1e6)
        }
        return outcome
    }

    private func rate(_ body: () -> Void) -> Double {
        var best = Double.infinity
        for _ in 0..<runs { best = min(best, Self.seconds(body)) }
        return Double(placeCount) / best / 1e6
    }

    private static func seconds(_ body: () -> Void) -> Double {
        let duration = ContinuousClock().measure(body)
        return Double(duration.components.seconds) + Double(duration.components.attoseconds) * 1e-18
    }

    private static func oneByOne(_ index: RegionIndex, _ places: [Coordinate]) -> Int {
        var found = Answers<Int32>()
        var hits = 0
        for place in places {
            found.clear()
            index.regions(containing: place, into: &found)
            hits += found.count
        }
        return hits
    }

    /// Sixty-four at a time, as a request of positions brings them.
    private static func inBatches(_ index: RegionIndex, _ batches: [[Coordinate]]) -> Int {
        var found: [Int32] = []
        var ends: [Int] = []
        var hits = 0
        for batch in batches {
            found.removeAll(keepingCapacity: true)
            ends.removeAll(keepingCapacity: true)
            index.regions(containing: batch, into: &found, ends: &ends)
            hits += found.count
        }
        return hits
    }

    private static func nearby(_ index: RegionIndex, _ places: [Coordinate], _ metres: Metres) -> Int {
        var found = Answers<NearbyRegion>()
        var hits = 0
        for place in places {
            found.clear()
            index.nearby(place, within: metres, into: &found)
            hits += found.count
        }
        return hits
    }
}
