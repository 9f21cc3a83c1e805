package import MusterCore

/// A path into an event, in the part of JSONPath that EventBridge supports: `$.detail.Position[0]`, `$.resources[*]`.
package struct EventPath: Hashable, Sendable {
    private let steps: [Step]

    private enum Step: Hashable {
        case member(ExactText)
        case element(Int)
        case everyElement
    }

    /// The longest path that is accepted.
    package static let lengthLimit = 256

    /// Reads a path; nil for any other text. A path is `$`, then keys after dots (letters, digits, `-`, `_`, `/`), each
    /// perhaps with indices in brackets.
    package init?(_ text: String) {
        guard text.utf8.first == UInt8(ascii: "$"), text.utf8.count <= Self.lengthLimit else { return nil }
        var rest = text.dropFirst()
        var steps: [Step] = []
        while let first = rest.first {
            rest.removeFirst()
            if first == "." {
                let key = rest.prefix { $0.isLetter || $0.isNumber || "-_/".contains($0) }
                guard !key.isEmpty else { return nil }
                steps.append(.member(ExactText(String(key))))
                rest = rest.dropFirst(key.count)
            } else if first == "[", let end = rest.firstIndex(of: "]") {
                let index = rest[..<end]
                if index == "*" {
                    steps.append(.everyElement)
                } else if let number = Int(index), number >= 0, index.allSatisfy(\.isNumber) {
                    steps.append(.element(number))
                } else {
                    return nil
                }
                rest = rest[rest.index(after: end)...]
            } else {
                return nil
            }
        }
        self.steps = steps
    }

    /// Returns the value at the end of the path; nil when there is none. `[*]` yields an array of the values found.
    package func value(in event: EventValue) -> EventValue? { Self.value(in: event, steps[...]) }

    private static func value(in value: EventValue, _ steps: ArraySlice<Step>) -> EventValue? {
        switch (steps.first, value) {
        case (nil, _): return value
        case (.member(let key), _): return value[key].flatMap { Self.value(in: $0, steps.dropFirst()) }
        case (.element(let index), .array(let elements)) where elements.indices.contains(index):
            return Self.value(in: elements[index], steps.dropFirst())
        case (.everyElement, .array(let elements)):
            return .array(elements.compactMap { Self.value(in: $0, steps.dropFirst()) })
        default: return nil
        }
    }
}
