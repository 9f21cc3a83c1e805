import Foundation
import MusterCore
import MusterGeometry
import MusterSimulator
import MusterTestSupport
import Testing

/// A storm of reports, lies, edits, deletions, incidents and restarts, seed by seed. `MUSTER_SOAK_SEEDS` says how many
/// seeds, `MUSTER_SEED` runs one alone.
@Suite struct StormTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let sliceCount: UInt64 = 5

    /// The seeds, in slices that run beside each other.
    static let slices: [[UInt64]] = {
        let seeds = SoakSeeds.list(20)
        return (0..<sliceCount).map { slice in seeds.filter { $0 % sliceCount == slice } }.filter { !$0.isEmpty }
    }()

    @Test(arguments: slices)
    func `everyone reported as accounted for is so by the evidence, in every storm`(seeds: [UInt64]) {
        var coverage = StormCoverage()
        for seed in seeds {
            let storm = Storm(seed: seed)
            // Where an edit is decided in slices, or a drill may close by itself, the log may differ
            // behind a restart: then the restarts are held against the evidence alone.
            let isComparable = seed % 4 >= 2
            var server = StormServer(storm, reviewSlice: seed % 4 == 1 ? 2 : Engine.reviewSlice)
            var oracle = StormOracle(storm)
            var restarted = server
            var difference: String?
            var chance = SeededRandom(seed: seed, stream: 1, purpose: 12)
            for moment in storm.moments where oracle.faults.isEmpty && difference == nil {
                let told = server.store.log.count
                let before = server.directory
                if !isComparable, chance.chance(0.02) { server.restart() }
                server.take(moment.step, now: moment.at)
                oracle.follow(moment.step, of: server, before: before, now: moment.at)
                guard isComparable else { continue }
                if chance.chance(0.02) { restarted.keepRecords() }
                if chance.chance(0.03) { restarted.restart() }
                restarted.take(moment.step, now: moment.at)
                difference = Self.difference(server.store.log[told...], restarted.store.log.dropFirst(told))
            }
            #expect(oracle.faults.isEmpty, "MUSTER_SEED=\(seed): \(oracle.faults.joined(separator: "\n"))")
            #expect(difference == nil, "MUSTER_SEED=\(seed): a restart changed \(difference ?? "")")
            if isComparable {
                let isSame = server.store.lines == restarted.store.lines
                #expect(isSame, "MUSTER_SEED=\(seed): a restart changed the record of an incident")
            }
            coverage += oracle.coverage
        }
        guard seeds.count >= 4 else { return }
        #expect(coverage.byRegion > 100 && coverage.byWord > 100 && coverage.byMark > 10, "\(coverage)")
        #expect(coverage.allAccounted > 0 && coverage.notAllAccounted > 0, "\(coverage)")
        #expect(coverage.closed > 0 && coverage.reopened > 0, "\(coverage)")
        #expect(coverage.timersRunOut > 3, "\(coverage)")
        if Self.environment["MUSTER_SOAK_SEEDS"] != nil { print("seeds \(seeds.first ?? 0)…: \(coverage)") }
    }

    /// What one step told that the same step told not, or otherwise, or in another order, behind a restart.
    private static func difference(_ told: ArraySlice<Change>, _ restarted: ArraySlice<Change>) -> String? {
        if told.elementsEqual(restarted) { return nil }
        return "\(told.map { "\($0)" })\nto \(restarted.map { "\($0)" })"
    }
}
