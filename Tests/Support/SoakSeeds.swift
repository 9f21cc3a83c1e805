import Foundation

/// The seeds that a seeded test runs: a few in `make test`, many in `make soak`.
public enum SoakSeeds {
    /// Returns the seeds from 1 to a count. `MUSTER_SOAK_SEEDS` sets the count, and `MUSTER_SEED` names the only seed.
    ///
    /// - Parameter few: the count where neither variable is set.
    public static func list(_ few: UInt64) -> [UInt64] {
        let environment = ProcessInfo.processInfo.environment
        if let seed = environment["MUSTER_SEED"].flatMap({ UInt64($0) }) { return [seed] }
        return Array(1...max(environment["MUSTER_SOAK_SEEDS"].flatMap { UInt64($0) } ?? few, 1))
    }

    /// Returns the first few of some seeds in `make test`, and all of them in `make soak`.
    public static func first(_ few: Int, of seeds: [UInt64]) -> [UInt64] {
        Array(seeds.prefix(rounds(few, inSoak: seeds.count)))
    }

    /// Returns how often a loop of one seed repeats: `few` times in `make test`, `many` times in `make soak`.
    public static func rounds(_ few: Int, inSoak many: Int) -> Int {
        ProcessInfo.processInfo.environment["MUSTER_SOAK_SEEDS"] == nil ? few : many
    }
}
