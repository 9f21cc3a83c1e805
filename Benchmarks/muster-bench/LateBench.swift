import ArgumentParser
import Foundation
import MusterCore
import MusterGeometry
import MusterStore
import MusterTerminal

extension Bench {
    /// The question that a late position raises, asked of the store alone: is the position stored already?
    struct Late: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Whether a device's history has a late position: asked of the store, by the number of blocks.",
            discussion: """
                The history is an hour of one device in so many blocks: a position each, as a server writes them that \
                merges after every position. Late positions lie between the stored ones.
                """)
        @Option(help: "The numbers of blocks in the hour, separated by commas.") var blocks = "10,1000,100000"
        @Option(help: "Questions of each kind, in thousands.") var thousands = 20

        private var counts: [Int] { blocks.split(separator: ",").map { Int($0) ?? 0 } }

        func validate() throws {
            guard !counts.isEmpty, counts.allSatisfy({ (2...1_000_000).contains($0) }) else {
                throw ValidationError("--blocks: numbers from 2 to 1000000")
            }
            guard (1...10_000).contains(thousands) else { throw ValidationError("--thousands: 1 to 10000") }
        }

        func run() throws {
            announce("blocks        in time/s    at random/s      stored/s   made in s")
            for count in counts {
                let history = try LateHistory(blocks: count)
                defer { history.close() }
                try history.report(questions: thousands * 1000)
            }
        }
    }
}

/// A store with an hour of one device.
private struct LateHistory {
    private let store: SQLiteStore
    private let folder: String
    private let blocks: Int
    private let device = DeviceNumber(1)
    private let start = Instant.now.advanced(bySeconds: -2 * 3600)
    private let madeSeconds: Double

    private static let hourMilliseconds: Int64 = 3_600_000

    init(blocks: Int) throws {
        self.blocks = blocks
        folder = Self.parent + "/muster-bench-\(UUID().uuidString)"
        var options = SQLiteStore.Options()
        // The stage holds all positions as one generation. Merging one position at a time makes a block of each.
        options.stageLimit = 2 * blocks
        store = try SQLiteStore(in: folder, options: options)
        let (store, start, device) = (store, start, device)
        let made = try ContinuousClock().measure {
            for first in stride(from: 0, to: blocks, by: 1000) {
                try store.write(at: start) { transaction in
                    for number in first..<min(blocks, first + 1000) {
                        let position = Self.position(at: Self.time(of: number, among: blocks, from: start))
                        _ = try transaction.append(.position(position, of: device, isCurrent: true))
                    }
                }
            }
            while try store.settle(limit: 1) {}
        }
        madeSeconds = made / .seconds(1)
    }

    /// The folder of the store: one in memory where the system has one with room, because each block takes a commit
    /// that waits for the disk, and the bench does not measure these.
    private static var parent: String {
        let memory = "/dev/shm"
        let attributes = try? FileManager.default.attributesOfFileSystem(forPath: memory)
        let free = (attributes?[.systemFreeSize] as? NSNumber)?.int64Value ?? 0
        return free > 1 << 30 ? memory : FileManager.default.temporaryDirectory.path
    }

    func close() {
        try? store.close()
        try? FileManager.default.removeItem(atPath: folder)
    }

    func report(questions: Int) throws {
        var random = BenchRandom(seed: 4)
        let span = Self.hourMilliseconds - Self.hourMilliseconds / Int64(blocks)
        let ordered = (0..<questions).map { Self.position(at: missing(span * Int64($0) / Int64(questions))) }
        let shuffled = (0..<questions).map { _ in
            Self.position(at: missing(Int64(random.next() % UInt64(span))))
        }
        let stored = (0..<questions).map { _ in
            let number = Int(random.next() % UInt64(blocks))
            return Self.position(at: Self.time(of: number, among: blocks, from: start))
        }
        let rates = [
            ("missing, in the order of time", try rate(ordered, areStored: false)),
            ("missing, at random", try rate(shuffled, areStored: false)),
            ("stored, at random", try rate(stored, areStored: true)),
        ]
        for (kind, rate) in rates { Figures.record("\(blocks) blocks", "\(kind), questions/s", rate) }
        announce(
            String(blocks).padding(toLength: 8, withPad: " ", startingAt: 0)
                + rates.map { String(format: "%15d", Int($0.1)) }.joined() + String(format: "%12.1f", madeSeconds))
    }

    /// Questions a second, in transactions of 1,000.
    ///
    /// - Throws: `CommandFailure` for a wrong answer.
    private func rate(_ positions: [Position], areStored: Bool) throws -> Double {
        let duration = try ContinuousClock().measure {
            for first in stride(from: 0, to: positions.count, by: 1000) {
                try store.write(at: start) { transaction in
                    for position in positions[first..<min(positions.count, first + 1000)] {
                        guard try transaction.holds(position, of: device) == areStored else {
                            throw CommandFailure("the store answers wrongly about \(position.sampleTime.milliseconds)")
                        }
                    }
                }
            }
        }
        return Double(positions.count) / (duration / .seconds(1))
    }

    /// The time of a stored position: they are evenly spread over the hour.
    private static func time(of number: Int, among blocks: Int, from start: Instant) -> Instant {
        Instant(milliseconds: start.milliseconds + hourMilliseconds * Int64(number) / Int64(blocks))
    }

    /// A time at which nothing is stored: so long after the start, or a millisecond later.
    private func missing(_ milliseconds: Int64) -> Instant {
        let number = Int(milliseconds * Int64(blocks) / Self.hourMilliseconds)
        let isStored = [number, number + 1].contains { stored in
            Self.hourMilliseconds * Int64(stored) / Int64(blocks) == milliseconds
        }
        return Instant(milliseconds: start.milliseconds + milliseconds + (isStored ? 1 : 0))
    }

    private static func position(at time: Instant) -> Position {
        Position(
            coordinate: Coordinate(validLatitude: 46.5, longitude: 14.5), sampleTime: time, receivedTime: time,
            accuracy: 5, speed: 1.5, heading: 90, battery: 80)
    }
}
