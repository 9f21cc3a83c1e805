import MusterCore

/// A parsed template: a text in which `<name>` stands for a part of the event.
///
/// A template that begins as JSON does (`{`, `[` or `"`) produces JSON: a variable by itself becomes its JSON value,
/// and a variable within a string becomes escaped text. Any other template produces plain text.
struct InputTemplate: Sendable {
    private var pieces: [Piece] = []
    private let isJSON: Bool

    private enum Piece {
        case text([UInt8])
        case variable(Variable, isInString: Bool)
    }

    private enum Variable: Hashable {
        case path(EventPath)
        case ruleName, ruleARN, receivedTime
        case event, eventWithoutDetail
    }

    static let lengthLimit = 8_192
    static let variableLimit = 100

    /// Reads a template.
    ///
    /// - Throws: `InputError` for a fault in the template or in its paths.
    init(_ text: String, paths: [String: String]) throws(InputError) {
        guard text.utf8.count <= Self.lengthLimit else { throw .tooLong(limit: Self.lengthLimit) }
        let variables = try Self.variables(paths)
        let bytes = Array(text.utf8)
        let isJSON = bytes.first { !" \n\r\t".utf8.contains($0) }.map { "{[\"".utf8.contains($0) } ?? false
        self.isJSON = isJSON
        var literal: [UInt8] = []
        var isInString = false
        var place = 0
        while place < bytes.count {
            if let name = Self.name(at: place, in: bytes) {
                guard let variable = variables[name] else { throw .unknownVariable(name) }
                if !literal.isEmpty { pieces.append(.text(literal)) }
                literal = []
                pieces.append(.variable(variable, isInString: isInString))
                place += name.utf8.count + 2
                continue
            }
            literal.append(bytes[place])
            if isJSON, isInString, bytes[place] == UInt8(ascii: "\\"), place + 1 < bytes.count {
                place += 1
                literal.append(bytes[place])
            } else if isJSON, bytes[place] == UInt8(ascii: "\"") {
                isInString.toggle()
            }
            place += 1
        }
        if !literal.isEmpty { pieces.append(.text(literal)) }
        try checkFilledIn()
    }

    /// Checks that the template produces JSON. If it does with one value for its variables, it does with any.
    private func checkFilledIn() throws(InputError) {
        guard isJSON else { return }
        let sample = pieces.flatMap { piece -> [UInt8] in
            switch piece {
            case .text(let bytes): bytes
            case .variable(_, let isInString): isInString ? [] : Array("null".utf8)
            }
        }
        guard (try? JSONValue(parsing: sample)) != nil else { throw .templateIsNoJSON }
    }

    func body(of event: Event, envelope: EventValue, rule: RuleReference) -> TargetInput.Body {
        var bytes: [UInt8] = []
        for piece in pieces {
            switch piece {
            case .text(let text): bytes += text
            case .variable(let variable, let isInString):
                let value = value(of: variable, event, envelope, rule)
                if isJSON, !isInString { bytes += (value ?? .null).json } else { bytes += text(of: value) }
            }
        }
        return TargetInput.Body(bytes: bytes, isJSON: isJSON)
    }

    /// Returns a value for use within text: a string without quotes, nil as empty text, any other value as JSON.
    private func text(of value: EventValue?) -> [UInt8] {
        guard let value else { return [] }
        let text = value.text ?? String(decoding: value.json, as: UTF8.self)
        return isJSON ? Array(EventValue.string(text).json.dropFirst().dropLast()) : Array(text.utf8)
    }

    private func value(
        of variable: Variable, _ event: Event, _ envelope: EventValue, _ rule: RuleReference
    ) -> EventValue? {
        switch variable {
        case .path(let path): return path.value(in: envelope)
        case .ruleName: return .string(rule.name)
        case .ruleARN: return .string(rule.arn)
        case .receivedTime: return .string(rule.receivedTime.rfc3339)
        case .event: return envelope
        case .eventWithoutDetail:
            guard case .object(let members) = envelope else { return envelope }
            return .object(members.filter { $0.key.text != "detail" })
        }
    }

    /// Returns the variables: those of the paths, and those that every template has.
    private static func variables(_ paths: [String: String]) throws(InputError) -> [String: Variable] {
        guard paths.count <= variableLimit else { throw .tooManyVariables(limit: variableLimit) }
        var variables: [String: Variable] = [
            "aws.events.rule-name": .ruleName, "aws.events.rule-arn": .ruleARN,
            "aws.events.event.ingestion-time": .receivedTime, "aws.events.event": .eventWithoutDetail,
            "aws.events.event.json": .event,
        ]
        for (name, text) in paths.sorted(by: { $0.key < $1.key }) {
            guard !name.lowercased().hasPrefix("aws.") else { throw .reservedVariable(name) }
            guard !name.isEmpty, name.utf8.allSatisfy(isOfName) else { throw .noVariable(name) }
            guard let path = EventPath(text) else { throw .noPath(text) }
            variables[name] = .path(path)
        }
        return variables
    }

    /// Returns the name of the variable that begins here; nil for a `<` that begins none.
    private static func name(at place: Int, in bytes: [UInt8]) -> String? {
        guard bytes[place] == UInt8(ascii: "<") else { return nil }
        let name = bytes[(place + 1)...].prefix(while: isOfName)
        guard !name.isEmpty, bytes.indices.contains(name.endIndex), bytes[name.endIndex] == UInt8(ascii: ">") else {
            return nil
        }
        return String(decoding: name, as: UTF8.self)
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
            true
        default: false
        }
    }
}
