import Hummingbird
import MusterCore
import MusterWire

/// The query of a request, read one part at a time; everything wrong is told at once.
struct Query {
    private let parts: [(name: String, value: String)]
    private(set) var faults: [Problem.Fault] = []

    init(_ request: Request) {
        let query = request.uri.query ?? ""
        parts = query.split(separator: "&").prefix(64).map { part in
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (
                PercentEncoding.decode(pair[0]) ?? "",
                pair.count > 1 ? PercentEncoding.decode(pair[1]) ?? "\u{FFFD}" : ""
            )
        }
    }

    /// A text; nil when it is absent.
    func text(_ name: String) -> String? { parts.first { $0.name == name }?.value }

    /// Every value of a part that may stand several times.
    func texts(_ name: String) -> [String] { parts.filter { $0.name == name }.map(\.value) }

    /// A whole number within a range.
    mutating func integer(_ name: String, in range: ClosedRange<Int64>) -> Int64? {
        guard let text = text(name) else { return nil }
        guard let number = Int64(text), range.contains(number) else {
            return fault(name, "must be a whole number, \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// How many items a page holds: 100 unless told otherwise, at most 1,000.
    mutating func limit() -> Int { Int(integer("limit", in: 1...1000) ?? 100) }

    /// A number of the log: whole, and no larger than JavaScript can hold exactly.
    mutating func sequence(_ name: String) -> MusterCore.LogSequence? {
        integer(name, in: 0...Self.largestSequence).map { LogSequence($0) }
    }

    /// 2^53 − 1.
    static let largestSequence: Int64 = 9_007_199_254_740_991

    /// A time.
    mutating func instant(_ name: String) -> Instant? {
        guard let text = text(name) else { return nil }
        do {
            return try Instant(rfc3339: text)
        } catch {
            return fault(name, "\(error)")
        }
    }

    /// True or false.
    mutating func boolean(_ name: String) -> Bool? {
        switch text(name) {
        case nil: nil
        case "true", "1", "": true
        case "false", "0": false
        default: fault(name, "must be true or false")
        }
    }

    /// Notes that something is wrong with a part.
    @discardableResult
    mutating func fault<Value>(_ name: String, _ detail: String) -> Value? {
        faults.append(.init("?\(name)", detail))
        return nil
    }

    /// Ends the reading.
    ///
    /// - Throws: `Problem.invalid` with every fault.
    func finish() throws(Problem) {
        guard faults.isEmpty else { throw .invalid(faults) }
    }
}
