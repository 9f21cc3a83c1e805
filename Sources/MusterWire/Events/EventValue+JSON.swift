package import MusterCore

/// Events and event patterns from JSON and to JSON.
extension EventValue {
    /// Creates the value of a JSON tree.
    package init(_ json: JSONValue) {
        switch json {
        case .object(let members): self = .object(members.map { Member($0.key, EventValue($0.value)) })
        case .array(let elements): self = .array(elements.map { EventValue($0) })
        case .string(let string): self = .string(string)
        case .integer(let integer): self = .integer(integer)
        case .number(let number): self = .number(number)
        case .boolean(let boolean): self = .boolean(boolean)
        case .null: self = .null
        }
    }
}

extension EventPattern {
    /// Compiles a pattern's JSON text.
    ///
    /// - Throws: `.tooLong`, `.notJSON`, or the pattern's first fault.
    package init(parsing text: String) throws(EventPatternError) {
        guard text.unicodeScalars.count <= Self.lengthLimit else {
            throw EventPatternError(pointer: "", reason: .tooLong(limit: Self.lengthLimit))
        }
        let json: JSONValue
        do {
            json = try JSONValue(parsing: Array(text.utf8))
        } catch {
            throw EventPatternError(pointer: error.pointer, reason: .notJSON("is not JSON: \(error.reason)"))
        }
        try self.init(EventValue(json))
    }
}

extension JSONWriter {
    package mutating func value(_ value: EventValue) {
        switch value {
        case .object(let members):
            beginObject()
            for member in members {
                key(member.key.text)
                self.value(member.value)
            }
            endObject()
        case .array(let elements):
            beginArray()
            for element in elements { self.value(element) }
            endArray()
        case .scalar(.text(let text)): self.value(text.text)
        case .scalar(.number(.whole(let number))): self.value(number)
        case .scalar(.number(.fractional(let number))): self.value(number)
        case .scalar(.boolean(let boolean)): self.value(boolean)
        case .scalar(.null): null()
        }
    }
}
