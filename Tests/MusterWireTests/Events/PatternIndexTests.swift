import MusterCore
import MusterWire
import Testing

/// Many patterns at once are every pattern alone.
@Suite struct PatternIndexTests {
    /// Random patterns and events over few keys and few values, so that they often match.
    private struct Source {
        var random: Seeded

        mutating func pick<Element>(_ elements: [Element]) -> Element {
            elements[Int.random(in: 0..<elements.count, using: &random)]
        }

        mutating func text() -> String { pick(["", "a", "b", "ab", "ba", "A", "aba", "é", "10.0.0.1", "::1"]) }

        mutating func scalar() -> EventValue {
            switch Int.random(in: 0..<8, using: &random) {
            case 0: .null
            case 1: .boolean(Bool.random(using: &random))
            case 2, 3: .number(pick([-1, 0, 0.5, 1, 2]))
            default: .string(text())
            }
        }

        mutating func key() -> String { pick(["p", "q", "r", "s"]) }

        mutating func event(depth: Int = 0) -> EventValue {
            switch Int.random(in: 0..<(depth > 3 ? 3 : 6), using: &random) {
            case 0...2 where depth > 0: return scalar()
            case 3 where depth > 0:
                return .array((0..<Int.random(in: 0..<3, using: &random)).map { _ in event(depth: depth + 1) })
            default:
                let keys = Set((0..<Int.random(in: 1..<5, using: &random)).map { _ in key() }).sorted()
                return .object(keys.map { .init($0, event(depth: depth + 1)) })
            }
        }

        mutating func pattern(depth: Int = 0) -> EventValue {
            let keys = Set((0..<Int.random(in: 1..<3, using: &random)).map { _ in key() }).sorted()
            var members = keys.map { key -> EventValue.Member in
                let isDeep = depth < 2 && Int.random(in: 0..<3, using: &random) == 0
                return .init(key, isDeep ? pattern(depth: depth + 1) : values())
            }
            if depth < 2, Int.random(in: 0..<4, using: &random) == 0 {
                members.append(.init("$or", .array((0..<2).map { _ in pattern(depth: depth + 1) })))
            }
            return .object(members)
        }

        mutating func values() -> EventValue {
            .array((0..<Int.random(in: 1..<4, using: &random)).map { _ in value() })
        }

        mutating func value() -> EventValue {
            func test(_ name: String, _ operand: EventValue) -> EventValue { .object([.init(name, operand)]) }
            let text = EventValue.string(text())
            switch Int.random(in: 0..<16, using: &random) {
            case 0: return test("exists", .boolean(Bool.random(using: &random)))
            case 1: return test("prefix", text)
            case 2: return test("suffix", text)
            case 3: return test("equals-ignore-case", text)
            case 4: return test("prefix", test("equals-ignore-case", text))
            case 5: return test("wildcard", .string(pick(["*", "a*", "*a", "*b*", "a*a", "ab"])))
            case 6: return test("numeric", .array([.string(">"), .integer(0)]))
            case 7: return test("numeric", .array([.string("="), .integer(1)]))
            case 8: return test("cidr", .string(pick(["10.0.0.0/8", "::/0"])))
            case 9: return test("anything-but", text)
            case 10: return test("anything-but", test("wildcard", .string("a*")))
            default: return scalar()
            }
        }
    }

    @Test(arguments: [1, 20, 400])
    func `many patterns together find what each finds alone, through edits`(count: Int) throws {
        var source = Source(random: Seeded(seed: UInt64(count)))
        var alone: [Int32: EventPattern] = [:]
        var index = PatternIndex()
        var hits = 0
        for round in 0..<60 {
            for _ in 0..<(round == 0 ? count : count / 8) {
                let number = Int32.random(in: 0..<Int32(count), using: &source.random)
                if Int.random(in: 0..<3, using: &source.random) == 0 {
                    alone[number] = nil
                    index.remove(number)
                } else {
                    let pattern = try EventPattern(source.pattern())
                    alone[number] = pattern
                    index.put(pattern, as: number)
                }
            }
            #expect(index.count == alone.count)
            for _ in 0..<20 {
                let event = source.event()
                var found: [Int32] = []
                index.matches(event, into: &found)
                let expected = alone.filter { $0.value.matches(event) }.keys.sorted()
                #expect(found == expected)
                hits += expected.count
            }
        }
        #expect(count == 1 || hits > 100)
    }
}
