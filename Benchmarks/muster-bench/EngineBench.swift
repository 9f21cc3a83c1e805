import ArgumentParser
import Foundation
import MusterCore
import MusterGeometry
import MusterTerminal

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#endif

extension Bench {
    /// Decisions alone: no network, no disk.
    struct EngineSpeed: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "engine",
            abstract: "Decisions with state and events, 10,000 fences, people walking; one thread, nothing stored.")
        @Option(help: "Observations of each row, in thousands.") var thousands = 2000
        @Option(help: "People with a phone each.") var people = 10_000

        func validate() throws {
            guard (1...1_000_000).contains(people) else { throw ValidationError("--people: 1 to 1000000") }
            guard thousands > 0 else { throw ValidationError("--thousands must be positive") }
        }

        func run() async throws {
            announce("policy       observations/s   crossings   reports   bytes a device")
            for policy in CrossingPolicy.allCases {
                var town = EngineTown(policy: policy, people: people)
                let bytes = town.residentBytesADevice()
                let outcome = town.walk(observations: thousands * 1000)
                Figures.record(policy.rawValue, "observations/s", outcome.perSecond)
                if let bytes { Figures.record(policy.rawValue, "bytes a device", Double(bytes)) }
                announce(
                    policy.rawValue.padding(toLength: 12, withPad: " ", startingAt: 0)
                        + String(format: "%15d", Int(outcome.perSecond))
                        + String(format: "%12d%10d", outcome.crossings, outcome.reports)
                        + (bytes.map { String(format: "%17d", $0) } ?? "          unknown"))
            }
        }
    }
}

/// An engine over 10,000 fences, and people who walk among them.
private struct EngineTown {
    struct Outcome {
        var perSecond = 0.0
        var crossings = 0
        var reports = 0
    }

    private var engine: Engine
    private var decision = Decision()
    private var places: [Coordinate]
    private var courses: [Double]
    private var seconds = 0.0
    private var random = SeededRandom(seed: 5)
    private let box: BoundingBox

    private static let start = Instant(seconds: 1_800_000_000)
    /// Between two fixes of a person.
    private static let intervalSeconds = 5.0

    init(policy: CrossingPolicy, people: Int) {
        let fences = RegionWorld.polygons(10_000, vertices: 32)
        box = fences.box
        var directory = Directory()
        let (collection, tracker, team) = (CollectionNumber(1), TrackerNumber(1), TeamNumber(1))
        directory.apply(.putCollection(RegionCollection(number: collection, name: "fences", policy: policy)))
        directory.apply(.putTracker(Tracker(number: tracker, name: "t", filter: .none, collections: [collection])))
        directory.apply(.putTeam(Team(number: team, name: "t", tracker: tracker)))
        for (index, shape) in fences.shapes.enumerated() {
            let number = RegionNumber(Int32(index + 1))
            directory.apply(
                .putRegion(
                    Region(
                        number: number, collection: collection, id: "\(index)", name: "", shape: shape,
                        isMuster: index % 10 == 0)))
        }
        for index in 1...people {
            let user = UserNumber(Int32(index))
            directory.apply(.putUser(User(number: user, name: "u\(index)", role: .member, team: team)))
            directory.apply(.putDevice(Device(number: DeviceNumber(Int32(index)), name: "p", user: user)))
        }
        engine = Engine(directory: directory, positions: [], presences: [], safety: [])
        places = []
        courses = []
        for _ in 0..<people {
            places.append(
                Coordinate(
                    validLatitude: random.uniform(box.south, box.north),
                    longitude: random.uniform(box.west, box.east)))
            courses.append(random.uniform(0, 360))
        }
    }

    /// The memory of the engine's state once every device has sent two positions; nil if the system does not report it.
    mutating func residentBytesADevice() -> Int? {
        let before = Self.residentBytes
        _ = walk(observations: 2 * places.count)
        guard let before, let after = Self.residentBytes else { return nil }
        return max(0, after - before) / places.count
    }

    /// Everyone walks on, in requests of 100 and transactions of 20,000, as the server has them under load.
    mutating func walk(observations count: Int) -> Outcome {
        var outcome = Outcome()
        var elapsed = 0.0
        var left = count
        var next = 0
        while left > 0 {
            let size = min(left, 20_000)
            left -= size
            let requests = stride(from: 0, to: size, by: 100).map { first in
                (0..<min(100, size - first)).map { _ -> Observation in
                    defer { next = (next + 1) % places.count }
                    if next == 0 { seconds += Self.intervalSeconds }
                    return step(next)
                }
            }
            let begin = Self.processorSeconds
            decide(requests, &outcome)
            elapsed += Self.processorSeconds - begin
        }
        outcome.perSecond = Double(count) / elapsed
        return outcome
    }

    private mutating func decide(_ requests: [[Observation]], _ outcome: inout Outcome) {
        let now = Self.start.advanced(bySeconds: seconds)
        for request in requests {
            var tally = Tally()
            var index = 0
            guard engine.decideBatch(request, from: &index, now: now, into: &decision, tally: &tally) == nil else {
                preconditionFailure("walkers only go forward")
            }
            decision.takeChanges { change in
                switch change {
                case .crossing: outcome.crossings += 1
                case .presence: outcome.reports += 1
                default: break
                }
            }
        }
        engine.adopt(&decision)
    }

    /// Seven metres on, seen with an error of some metres.
    private mutating func step(_ person: Int) -> Observation {
        courses[person] += random.normal(deviation: 10)
        let metres = 1.4 * Self.intervalSeconds / 111_000
        let latitude = places[person].latitude + metres * cos(courses[person] * .pi / 180)
        let longitude = places[person].longitude + 1.25 * metres * sin(courses[person] * .pi / 180)
        if (box.south...box.north).contains(latitude) && (box.west...box.east).contains(longitude) {
            places[person] = Coordinate(validLatitude: latitude, longitude: longitude)
        } else {
            courses[person] += 180
        }
        let seen = Coordinate(
            validLatitude: places[person].latitude + random.normal(deviation: 3) / 111_000,
            longitude: places[person].longitude + random.normal(deviation: 3) / 89_000)
        let time = Self.start.advanced(bySeconds: seconds)
        return .position(
            Position(coordinate: seen, sampleTime: time, receivedTime: time, accuracy: 5, speed: 1.4),
            of: DeviceNumber(Int32(person + 1)))
    }

    /// The processor time of this program alone; POSIX counts microseconds.
    private static var processorSeconds: Double { Double(clock()) / 1e6 }

    private static var residentBytes: Int? {
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return nil }
        return text.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 * 4096 }
    }
}
