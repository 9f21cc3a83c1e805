import ArgumentParser
import Foundation
import MusterCore
import MusterGeometry
import MusterTerminal
import MusterWire

extension Bench {
    /// Matching events with rules, alone.
    struct Rules: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Events matched with many rules at once, and one by one: one thread, nothing stored.")
        @Option(help: "Rules.") var rules = 1_000
        @Option(help: "Events of each row, in thousands.") var thousands = 1_000
        @Option(help: "Runs of each row; the best one counts.") var runs = 3

        func validate() throws {
            guard (1...100_000).contains(rules) else { throw ValidationError("--rules: 1 to 100000") }
            guard (1...100_000).contains(thousands) else { throw ValidationError("--thousands: 1 to 100000") }
            guard (1...100).contains(runs) else { throw ValidationError("--runs: 1 to 100") }
        }

        func run() throws {
            announce(RuleBench.heading)
            for kind in RuleBench.Kind.allCases {
                let bench = try RuleBench(kind: kind, rules: rules)
                announce(bench.row(events: thousands * 1_000, runs: runs))
            }
        }
    }
}

/// Rules of one kind, and the events that they are matched with.
struct RuleBench {
    /// The kind of the rules.
    enum Kind: String, CaseIterable {
        /// As people write them: most name a fence or a person, some use other operators.
        case usual = "as people write them"
        /// All alike up to a prefix of one field.
        case prefixes = "told apart by prefixes"
        /// The patterns only test whether a field exists, so no value of an event selects them. No event matches.
        case adversarial = "made to be slow"
    }

    static let heading = "rules                        at once/s  one by one/s     matches   put µs"

    private let kind: Kind
    private let patterns: [EventPattern]
    private let events: [EventValue]

    init(kind: Kind, rules: Int) throws {
        self.kind = kind
        patterns = try (0..<rules).map { try EventPattern(parsing: Self.pattern(kind, $0)) }
        var random = SeededRandom(seed: 3)
        events = (0..<4_096).map { _ in Self.crossing(rules: rules, &random) }
    }

    func row(events count: Int, runs: Int) -> String {
        var index = PatternIndex()
        let clock = ContinuousClock()
        let putting = clock.measure {
            for (number, pattern) in patterns.enumerated() { index.put(pattern, as: Int32(number)) }
        }
        let patient = kind == .adversarial ? max(1, count / 100) : count
        let atOnce = best(of: runs, patient) { event, found in index.matches(event, into: &found) }
        let oneByOne = best(of: runs, max(1, count / 1_000)) { event, found in
            found.removeAll(keepingCapacity: true)
            for (number, pattern) in patterns.enumerated() where pattern.matches(event) { found.append(Int32(number)) }
        }
        var found: [Int32] = []
        let matches = events.reduce(0) { sum, event in
            index.matches(event, into: &found)
            return sum + found.count
        }
        Figures.record(kind.rawValue, "at once events/s", atOnce)
        Figures.record(kind.rawValue, "one by one events/s", oneByOne)
        return kind.rawValue.padding(toLength: 24, withPad: " ", startingAt: 0)
            + String(
                format: "%14d%14d%12.2f%9.1f", Int(atOnce), Int(oneByOne), Double(matches) / Double(events.count),
                putting / .microseconds(1) / Double(patterns.count))
    }

    /// Events a second.
    private func best(of runs: Int, _ count: Int, _ body: (EventValue, inout [Int32]) -> Void) -> Double {
        var found: [Int32] = []
        let durations = (0..<runs).map { _ in
            ContinuousClock().measure {
                for number in 0..<count { body(events[number % events.count], &found) }
            }
        }
        return Double(count) / ((durations.min() ?? .zero) / .seconds(1))
    }

    private static func pattern(_ kind: Kind, _ number: Int) -> String {
        let head = #""source":["aws.geo"],"detail-type":["Location Geofence Event"]"#
        switch kind {
        case .prefixes: return #"{\#(head),"detail":{"DeviceId":[{"prefix":"person-\#(number)-"}]}}"#
        case .adversarial:
            return #"{\#(head),"detail":{"GeofenceId":[{"anything-but":"x\#(number)"}],"#
                + #""DeviceId":[{"wildcard":"*o*-*z\#(number)*"}]}}"#
        case .usual:
            let detail =
                switch number % 10 {
                case 0..<5: #""EventType":["ENTER"],"GeofenceId":["fence-\#(number)"]"#
                case 5: #""DeviceId":["person-\#(number)-phone","person-\#(number)-watch"]"#
                case 6: #""GeofenceId":[{"prefix":"fence-\#(number)"}],"EventType":["EXIT"]"#
                case 7: #""DeviceId":[{"wildcard":"person-\#(number)-*"}],"GeofenceId":[{"anything-but":"fence-1"}]"#
                case 8: #""$or":[{"GeofenceId":["fence-\#(number)"]},{"DeviceId":["person-\#(number)-phone"]}]"#
                default: #""GeofenceId":[{"equals-ignore-case":"FENCE-\#(number)"}]"#
                }
            return "{\(head),\"detail\":{\(detail)}}"
        }
    }

    private static func crossing(rules: Int, _ random: inout SeededRandom) -> EventValue {
        let (fence, person) = (Int(random.next() % UInt64(rules)), Int(random.next() % UInt64(rules)))
        let place = [random.uniform(-180, 180), random.uniform(-90, 90)]
        let event = Event(
            id: "6a7e8feb-b491-8cf7-a9f1-bf3703467718", source: "aws.geo", detailType: "Location Geofence Event",
            account: "000000000000", time: Instant(seconds: 1_800_000_000), region: "us-east-1",
            resources: [
                "arn:aws:geo:us-east-1:000000000000:geofence-collection/site",
                "arn:aws:geo:us-east-1:000000000000:tracker/crew",
            ],
            detail: .object([
                .init("EventType", .string(random.chance(0.5) ? "ENTER" : "EXIT")),
                .init("GeofenceId", .string("fence-\(fence)")), .init("DeviceId", .string("person-\(person)-phone")),
                .init("SampleTime", .string("2027-01-15T08:00:00.000Z")),
                .init("Position", .array(place.map { .number($0) })),
                .init("Accuracy", .object([.init("Horizontal", .number(5))])),
            ]))
        return event.envelope
    }
}
