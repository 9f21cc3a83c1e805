package import Hummingbird
package import MusterWire
package import NIOCore

/// Reads the members of a small JSON object one by one, and reports all faults at once.
///
/// Read every known member, then call `finish`. A member that was not read is a fault, because its name is most likely
/// misspelt.
package struct Fields {
    private let members: [JSONValue.Member]
    private var asked: Set<String> = []
    package private(set) var faults: [Problem.Fault] = []

    /// Parses a request's body.
    ///
    /// - Throws: `Problem`, when the body is not a JSON object.
    package init(
        _ request: Request, _ limits: BodyLimits = .small, depthLimit: Int = 8, valueLimit: Int? = nil
    ) async throws {
        try request.requireJSON()
        let body = try await request.collectBody(limits)
        try self.init(body, depthLimit: depthLimit, valueLimit: valueLimit)
    }

    /// Parses a body.
    ///
    /// - Parameter valueLimit: the largest number of values; nil for 1,000, or one for 16 bytes where that is more.
    package init(_ body: ByteBuffer, depthLimit: Int = 8, valueLimit: Int? = nil) throws {
        let value = try body.withUnsafeReadableBytes { bytes in
            try JSONValue(
                parsing: bytes, depthLimit: depthLimit, valueLimit: valueLimit ?? max(1000, bytes.count / 16))
        }
        guard let members = value.members else {
            throw Problem.invalid("", "must be an object, is \(value.kind.article)")
        }
        self.members = members
    }

    /// Whether the body has this member, even if it is null.
    package mutating func has(_ key: String) -> Bool { member(key) != nil }

    /// A text; nil when it is absent, null or of another type.
    package mutating func text(_ key: String, isRequired: Bool = false, limitBytes: Int = 4096) -> String? {
        guard let value = value(key, isRequired: isRequired) else { return nil }
        guard let text = value.string else { return wrongType(key, "a string", value) }
        guard text.utf8.count <= limitBytes else {
            return fault(key, "is longer than \(limitBytes) bytes")
        }
        return text
    }

    /// A valid entity name (`EntityName`); nil when it is absent, null or invalid.
    package mutating func name(_ key: String, isRequired: Bool = false) -> String? {
        guard let text = text(key, isRequired: isRequired) else { return nil }
        guard EntityName.isValid(text) else { return fault(key, "must be \(Self.nameRule)") }
        return text
    }

    /// One of the raw values of `Word`; nil when it is absent, null or another text.
    package mutating func word<Word: RawRepresentable & CaseIterable>(
        _ key: String, isRequired: Bool = false
    ) -> Word? where Word.RawValue == String {
        guard let text = text(key, isRequired: isRequired) else { return nil }
        guard let word = Word(rawValue: text) else {
            return fault(key, "must be one of \(Word.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return word
    }

    /// A number within a range; nil when it is absent, null or invalid.
    package mutating func number(_ key: String, in range: ClosedRange<Double>, isRequired: Bool = false) -> Double? {
        guard let value = value(key, isRequired: isRequired) else { return nil }
        guard let number = value.number else { return wrongType(key, "a number", value) }
        guard range.contains(number) else {
            return fault(
                key, "must be \(JSONWriter.text(range.lowerBound)) to \(JSONWriter.text(range.upperBound))")
        }
        return number
    }

    /// A boolean; nil when it is absent, null or of another type.
    package mutating func boolean(_ key: String) -> Bool? {
        guard let value = value(key, isRequired: false) else { return nil }
        guard let boolean = value.boolean else { return wrongType(key, "true or false", value) }
        return boolean
    }

    /// The members, in order, of an object whose members are all texts; nil when it is absent, null or invalid.
    package mutating func texts(_ key: String, limit: Int) -> [(key: String, text: String)]? {
        guard let value = value(key, isRequired: false) else { return nil }
        guard let members = value.members else { return wrongType(key, "an object", value) }
        guard members.count <= limit else { return fault(key, "has more than \(limit) members") }
        let texts = members.compactMap { member in member.value.string.map { (key: member.key, text: $0) } }
        guard texts.count == members.count else { return fault(key, "must hold texts only") }
        return texts
    }

    /// A list of texts, which the caller must validate; nil when it is absent, null or of another type.
    package mutating func names(_ key: String, limit: Int) -> [String]? {
        guard let value = value(key, isRequired: false) else { return nil }
        guard let elements = value.elements else { return wrongType(key, "an array", value) }
        guard elements.count <= limit else { return fault(key, "has more than \(limit) items") }
        let names = elements.compactMap(\.string)
        guard names.count == elements.count else { return fault(key, "must hold names only") }
        return names
    }

    /// Any value except null; nil when it is absent.
    package mutating func json(_ key: String, isRequired: Bool = false) -> JSONValue? {
        value(key, isRequired: isRequired)
    }

    /// Records a fault of a member, and returns nil.
    @discardableResult
    package mutating func fault<Value>(_ key: String, _ detail: String) -> Value? {
        faults.append(.init(JSONPointer.appending(key, to: ""), detail))
        return nil
    }

    /// Records a fault of a member.
    package mutating func addFault(_ key: String, _ detail: String) {
        faults.append(.init(JSONPointer.appending(key, to: ""), detail))
    }

    /// Ends the parsing.
    ///
    /// - Throws: `Problem.invalid` with every fault.
    package consuming func finish() throws(Problem) {
        for member in members where !asked.contains(member.key) { addFault(member.key, "means nothing here") }
        guard faults.isEmpty else { throw .invalid(faults) }
    }

    package static let nameRule = "1 to 64 letters (a to z, also large), digits and any of . _ - @"

    private mutating func member(_ key: String) -> JSONValue? {
        asked.insert(key)
        return members.first { $0.key == key }?.value
    }

    private mutating func value(_ key: String, isRequired: Bool) -> JSONValue? {
        switch member(key) {
        case nil, .null?: isRequired ? fault(key, "is required") : nil
        case let value: value
        }
    }

    private mutating func wrongType<Value>(_ key: String, _ expected: String, _ found: JSONValue) -> Value? {
        fault(key, "must be \(expected), is \(found.kind.article)")
    }
}
