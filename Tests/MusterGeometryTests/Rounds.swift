import Foundation

/// Returns how often a seeded loop of this suite repeats: as often as given in `make soak`, and a quarter of that in
/// `make test`. The seed is the same, so that `make test` runs the first of the same cases.
func rounds(_ all: Int) -> Int { isSoak ? all : all / 4 }

/// Whether `make soak` runs the tests.
let isSoak = ProcessInfo.processInfo.environment["MUSTER_SOAK_SEEDS"] != nil
