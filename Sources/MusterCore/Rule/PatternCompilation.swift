/// Compiles one pattern, and tracks the part that it has reached, for the pointers of errors.
struct PatternCompilation {
    /// The paths at which the pattern allows that the event has no scalar.
    private(set) var absences: [[ExactText]] = []
    /// The event's keys on the way to the part that is being compiled.
    private var path: [ExactText] = []
    /// The pattern's keys and list indexes on that way.
    private var tokens: [String] = []

    /// Compiles the clause for an object.
    mutating func clause(_ value: EventValue) throws(EventPatternError) -> EventPattern.Clause {
        guard case .object(let members) = value else { throw fault(.notAnObject) }
        guard !members.isEmpty else { throw fault(.empty) }
        guard tokens.count < EventPattern.depthLimit else { throw fault(.tooDeep(limit: EventPattern.depthLimit)) }
        var clause = EventPattern.Clause()
        for member in members {
            tokens.append(member.key.text)
            if member.key.text == "$or" {
                clause.alternatives.append(try alternatives(member.value))
            } else {
                path.append(member.key)
                clause.fields.append(.init(key: member.key, condition: try condition(member.value)))
                path.removeLast()
            }
            tokens.removeLast()
        }
        return clause
    }

    private mutating func alternatives(_ value: EventValue) throws(EventPatternError) -> [EventPattern.Clause] {
        guard case .array(let elements) = value, elements.count >= 2 else {
            throw fault(.operand("must be a list of at least two objects"))
        }
        return try each(elements) { (compilation, element) throws(EventPatternError) in
            try compilation.clause(element)
        }
    }

    private mutating func condition(_ value: EventValue) throws(EventPatternError) -> EventPattern.Condition {
        switch value {
        case .object: return .object(try clause(value))
        case .scalar: throw fault(.notAListOrObject)
        case .array(let elements):
            guard !elements.isEmpty else { throw fault(.empty) }
            var exact: [EventScalar] = []
            var values = EventPattern.Values()
            _ = try each(elements) { (compilation, element) throws(EventPatternError) in
                try compilation.add(element, to: &values, exact: &exact)
            }
            values.exact = ExactValues(exact)
            return .values(values)
        }
    }

    private mutating func add(
        _ element: EventValue, to values: inout EventPattern.Values, exact: inout [EventScalar]
    ) throws(EventPatternError) {
        switch element {
        case .scalar(let scalar): exact.append(scalar)
        case .array: throw fault(.notAValue)
        case .object(let members):
            guard members.count == 1 else { throw fault(.notOneOperator) }
            tokens.append(members[0].key.text)
            defer { tokens.removeLast() }
            if members[0].key.text == "exists" {
                guard case .scalar(.boolean(let exists)) = members[0].value else {
                    throw fault(.operand("must be true or false"))
                }
                if exists { values.tests.append(.exists) } else { values.absence = numberOfAbsence() }
            } else if let scalar = try numberThatIsAsked(members[0]) {
                exact.append(scalar)
            } else {
                values.tests.append(try test(members[0].key.text, members[0].value))
            }
        }
    }

    private mutating func numberOfAbsence() -> Int {
        if let known = absences.firstIndex(of: path) { return known }
        absences.append(path)
        return absences.count - 1
    }

    /// Returns the 5 of `{"numeric": ["=", 5]}`: an index finds an exact value faster than a range. Nil for any other
    /// operator.
    private mutating func numberThatIsAsked(_ member: EventValue.Member) throws(EventPatternError) -> EventScalar? {
        guard member.key.text == "numeric", case .array(let terms) = member.value, terms.count == 2,
            terms[0].text == "=", case .scalar(let scalar) = terms[1], case .number = scalar
        else { return nil }
        return scalar
    }

    // MARK: Operators

    private mutating func test(_ name: String, _ operand: EventValue) throws(EventPatternError) -> ValueTest {
        switch name {
        case "prefix", "suffix": return try affix(name, operand)
        case "equals-ignore-case": return .equalsIgnoringCase(ExactText(try text(operand)).folded)
        case "wildcard": return .wildcard(try wildcard(try text(operand)))
        case "numeric": return .numeric(try range(operand))
        case "cidr":
            guard let block = AddressBlock(try text(operand)) else { throw fault(.notABlock) }
            return .block(block)
        case "anything-but": return try anythingBut(operand)
        default:
            tokens.removeLast()
            defer { tokens.append(name) }
            throw fault(.unknownOperator(name))
        }
    }

    /// `{"prefix": "a"}` or `{"prefix": {"equals-ignore-case": "a"}}`, and the same for suffixes.
    private mutating func affix(_ name: String, _ operand: EventValue) throws(EventPatternError) -> ValueTest {
        guard case .object(let members) = operand else {
            let bytes = Array(try text(operand).utf8)
            return name == "prefix" ? .prefix(bytes) : .suffix(bytes)
        }
        guard members.count == 1, members[0].key.text == "equals-ignore-case" else {
            throw fault(.operand("must be a string or {\"equals-ignore-case\": \"…\"}"))
        }
        tokens.append("equals-ignore-case")
        defer { tokens.removeLast() }
        let bytes = Array(ExactText(try text(members[0].value)).folded.text.utf8)
        return name == "prefix" ? .prefixIgnoringCase(bytes) : .suffixIgnoringCase(bytes)
    }

    private mutating func anythingBut(_ operand: EventValue) throws(EventPatternError) -> ValueTest {
        switch operand {
        case .scalar(let scalar): return .anythingBut(ExactValues([try excluded(scalar)]), [])
        case .array(let elements):
            guard !elements.isEmpty else { throw fault(.empty) }
            let scalars = try each(elements) { (compilation, element) throws(EventPatternError) in
                guard case .scalar(let scalar) = element else { throw compilation.fault(Self.notExcludable) }
                return try compilation.excluded(scalar)
            }
            let texts = scalars.count { if case .text = $0 { true } else { false } }
            guard texts == 0 || texts == scalars.count else {
                throw fault(.operand("must hold either strings or numbers, not both"))
            }
            return .anythingBut(ExactValues(scalars), [])
        case .object(let members):
            guard members.count == 1 else { throw fault(.notOneOperator) }
            return try anythingBut(members[0])
        }
    }

    private mutating func anythingBut(_ member: EventValue.Member) throws(EventPatternError) -> ValueTest {
        let name = member.key.text
        guard ["prefix", "suffix", "equals-ignore-case", "wildcard"].contains(name) else {
            throw fault(.unknownOperator(name))
        }
        tokens.append(name)
        defer { tokens.removeLast() }
        guard case .array(let elements) = member.value else {
            return .anythingBut(ExactValues(), [try excluded(name, member.value)])
        }
        guard !elements.isEmpty else { throw fault(.empty) }
        return .anythingBut(
            ExactValues(),
            try each(elements) { (compilation, element) throws(EventPatternError) in
                try compilation.excluded(name, element)
            })
    }

    private mutating func excluded(_ name: String, _ operand: EventValue) throws(EventPatternError) -> ValueTest {
        // Every text begins and ends with the empty text, so this would exclude everything.
        if name == "prefix" || name == "suffix", operand.text?.isEmpty == true { throw fault(.empty) }
        return try test(name, operand)
    }

    private static let notExcludable = EventPatternError.Reason.operand(
        "must be a string, a number, a list of these, or an object with prefix, suffix, equals-ignore-case or wildcard")

    private func excluded(_ scalar: EventScalar) throws(EventPatternError) -> EventScalar {
        switch scalar {
        case .text, .number: return scalar
        case .boolean, .null: throw fault(Self.notExcludable)
        }
    }

    private func wildcard(_ text: String) throws(EventPatternError) -> Wildcard {
        do {
            return try Wildcard(text)
        } catch {
            throw fault(error)
        }
    }

    private func range(_ operand: EventValue) throws(EventPatternError) -> NumericRange {
        let form = EventPatternError.Reason.operand(
            "must be one comparison such as [\"<\", 10], or a range such as [\">=\", 0, \"<\", 5]")
        guard case .array(let terms) = operand, terms.count == 2 || terms.count == 4 else { throw fault(form) }
        var range = NumericRange()
        for index in stride(from: 0, to: terms.count, by: 2) {
            guard case .scalar(.number(let number)) = terms[index + 1] else { throw fault(form) }
            let isRange = terms.count == 4
            switch terms[index].text {
            case ">"? where range.lower == nil && index == 0: range.lower = .init(number: number, isInclusive: false)
            case ">="? where range.lower == nil && index == 0: range.lower = .init(number: number, isInclusive: true)
            case "<"? where isRange == (index == 2): range.upper = .init(number: number, isInclusive: false)
            case "<="? where isRange == (index == 2): range.upper = .init(number: number, isInclusive: true)
            default: throw fault(form)
            }
        }
        if let lower = range.lower, let upper = range.upper, lower.number >= upper.number {
            throw fault(.operand("must have its lower end below its upper end"))
        }
        return range
    }

    private func text(_ operand: EventValue) throws(EventPatternError) -> String {
        guard let text = operand.text else { throw fault(.operand("must be a string")) }
        return text
    }

    // MARK: Places

    private mutating func each<Result>(
        _ elements: [EventValue],
        _ body: (inout Self, EventValue) throws(EventPatternError) -> Result
    ) throws(EventPatternError) -> [Result] {
        var results: [Result] = []
        for (index, element) in elements.enumerated() {
            tokens.append(String(index))
            results.append(try body(&self, element))
            tokens.removeLast()
        }
        return results
    }

    private func fault(_ reason: EventPatternError.Reason) -> EventPatternError {
        let pointer = tokens.reduce(into: "") { pointer, token in
            pointer.append("/")
            for scalar in token.unicodeScalars {
                switch scalar {
                case "~": pointer.append("~0")
                case "/": pointer.append("~1")
                default: pointer.unicodeScalars.append(scalar)
                }
            }
        }
        return EventPatternError(pointer: pointer, reason: reason)
    }
}
