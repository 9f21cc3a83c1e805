package import Hummingbird
import MusterCoding
package import MusterCore
import MusterWire

/// Reads the query of a request parameter by parameter, and reports all faults at once.
package struct Query {
    private let parts: [(name: String, value: String)]
    package private(set) var faults: [Problem.Fault] = []

    package init(_ request: Request) {
        let query = request.uri.query ?? ""
        parts = query.split(separator: "&").prefix(64).map { part in
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (
                PercentEncoding.decode(pair[0]) ?? "",
                pair.count > 1 ? PercentEncoding.decode(pair[1]) ?? "\u{FFFD}" : ""
            )
        }
    }

    /// The value of a parameter; nil when it is absent.
    package func text(_ name: String) -> String? { parts.first { $0.name == name }?.value }

    /// All values of a parameter that may occur several times.
    package func texts(_ name: String) -> [String] { parts.filter { $0.name == name }.map(\.value) }

    /// A whole number within a range; nil when it is absent or invalid.
    package mutating func integer(_ name: String, in range: ClosedRange<Int64>) -> Int64? {
        guard let text = text(name) else { return nil }
        guard let number = Int64(text), range.contains(number) else {
            return fault(name, "must be a whole number, \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// The number of items on a page: 100 by default, at most 1,000.
    package mutating func limit() -> Int { Int(integer("limit", in: 1...1000) ?? 100) }

    /// A sequence number of the log, at most `largestSequence`; nil when it is absent or invalid.
    package mutating func sequence(_ name: String) -> MusterCore.LogSequence? {
        integer(name, in: 0...Self.largestSequence).map { LogSequence($0) }
    }

    /// The largest whole number that JavaScript represents exactly: 2^53 − 1.
    package static let largestSequence: Int64 = 9_007_199_254_740_991

    /// A time in RFC 3339 format; nil when it is absent or invalid.
    package mutating func instant(_ name: String) -> Instant? {
        guard let text = text(name) else { return nil }
        do {
            return try Instant(rfc3339: text)
        } catch {
            return fault(name, "\(error)")
        }
    }

    /// A boolean; nil when it is absent or invalid. An empty value counts as true.
    package mutating func boolean(_ name: String) -> Bool? {
        switch text(name) {
        case nil: nil
        case "true", "1", "": true
        case "false", "0": false
        default: fault(name, "must be true or false")
        }
    }

    /// Records a fault of a parameter, and returns nil.
    @discardableResult
    package mutating func fault<Value>(_ name: String, _ detail: String) -> Value? {
        faults.append(.init("?\(name)", detail))
        return nil
    }

    /// Records a fault of a parameter.
    package mutating func addFault(_ name: String, _ detail: String) { faults.append(.init("?\(name)", detail)) }

    /// Ends the parsing.
    ///
    /// - Throws: `Problem.invalid` with every fault.
    package func finish() throws(Problem) {
        guard faults.isEmpty else { throw .invalid(faults) }
    }
}
