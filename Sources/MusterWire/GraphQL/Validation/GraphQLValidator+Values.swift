extension GraphQLValidator {
    /// Checks a value, and notes the variables in it.
    ///
    /// - Parameters:
    ///   - type: the expected type.
    ///   - hasDefault: whether the argument or input field has a default.
    ///   - isChecked: whether the value must have the type; false within a value that is already reported.
    mutating func checkValue(_ index: UInt32, _ type: TypeUse, hasDefault: Bool, isChecked: Bool) {
        if reporter.isFull { return }
        let value = document.values[Int(index)]
        switch value.kind {
        case .variable:
            uses.append(.init(name: value.name, offset: value.offset, type: type, hasDefault: hasDefault))
        case .null:
            if isChecked, type.isNonNull {
                reporter.report(
                    "Expected value of type '\(system.text(type))', found null.", at: value.offset)
            }
        case .list: checkList(index, value, type, isChecked: isChecked)
        case .object: checkObject(index, value, type, isChecked: isChecked)
        case .member: break
        default: if isChecked { checkLiteral(index, value, type) }
        }
    }

    private mutating func checkList(
        _ index: UInt32, _ value: GraphQLDocument.Value, _ type: TypeUse, isChecked: Bool
    ) {
        let nullable = type.nullable
        let isList = nullable.isList
        if !isList, isChecked { checkLiteral(index, value, nullable) }
        let item = isList ? nullable.inner : nullable
        var child = index + 1
        while child < value.end {
            checkValue(child, item, hasDefault: false, isChecked: isChecked && isList)
            child = document.values[Int(child)].end
        }
    }

    private mutating func checkObject(
        _ index: UInt32, _ value: GraphQLDocument.Value, _ type: TypeUse, isChecked: Bool
    ) {
        let isInput = system.kind(of: type) == .input
        if isChecked {
            if isInput {
                checkRequiredMembers(index, value, of: type.type)
            } else {
                checkLiteral(index, value, type)
            }
        }
        checkUniqueMembers(index, value)
        var child = index + 1
        while child < value.end {
            let member = document.values[Int(child)]
            var (memberType, hasDefault) = (TypeUse.unknown, false)
            if isInput {
                if let field = system.members.find(type.type, symbols[Int(member.name)]) {
                    let input = system.inputs[Int(field)]
                    (memberType, hasDefault) = (input.type, input.hasDefault)
                } else if isChecked {
                    reportUnknownMember(member, of: type.type)
                }
            }
            checkValue(child + 1, memberType, hasDefault: hasDefault, isChecked: isChecked && isInput)
            child = member.end
        }
    }

    private mutating func reportUnknownMember(_ member: GraphQLDocument.Value, of type: TypeID) {
        let type = system.types[Int(type)]
        let suggestions = GraphQLSuggestions.similar(
            to: document.names[member.name], in: type.inputs.range.map { system.inputTexts[$0].name })
        reporter.report(
            "Field '\(document.text(member.name))' is not defined by type '\(type.name)'."
                + GraphQLSuggestions.question(suggestions), at: member.offset)
    }

    private mutating func checkRequiredMembers(_ index: UInt32, _ value: GraphQLDocument.Value, of type: TypeID) {
        for field in system.types[Int(type)].inputs.range where system.inputs[field].isRequired {
            var child = index + 1
            var isGiven = false
            while child < value.end, !isGiven {
                let member = document.values[Int(child)]
                isGiven = symbols[Int(member.name)] == system.inputs[field].symbol
                child = member.end
            }
            guard !isGiven else { continue }
            reporter.report(
                "Field '\(system.types[Int(type)].name).\(system.inputTexts[field].name)' of required type"
                    + " '\(system.text(system.inputs[field].type))' was not provided.", at: value.offset)
        }
    }

    private mutating func checkUniqueMembers(_ index: UInt32, _ value: GraphQLDocument.Value) {
        let mark = nextStamp()
        var child = index + 1
        while child < value.end {
            let member = document.values[Int(child)]
            if stamps[Int(member.name)] != mark {
                stamps[Int(member.name)] = mark
            } else if let first = document.children(of: Int(index)).first(where: {
                document.values[$0].name == member.name
            }) {
                reporter.report(
                    "There can be only one input field named '\(document.text(member.name))'.",
                    at: [document.values[first].offset, member.offset])
            }
            child = member.end
        }
    }

    /// Reports a literal that is no value of a type.
    private mutating func checkLiteral(_ index: UInt32, _ value: GraphQLDocument.Value, _ type: TypeUse) {
        guard type.isKnown else { return }
        if let builtIn = system.builtIns[Int(type.type)] {
            if let fault = builtIn.fault(document, Int(index)) { reporter.report(fault, at: value.offset) }
            return
        }
        if value.kind == .enumeration, system.kinds[Int(type.type)] == .enumeration,
            system.members.find(type.type, symbols[Int(value.name)]) != nil
        {
            return
        }
        let definition = system.types[Int(type.type)]
        switch definition.kind {
        case .scalar:
            guard let scalar = definition.scalar else { return }
            let coercion = GraphQLLiteralCoercion(system: system, document: document, variables: [:])
            do throws(GraphQLScalarFault) {
                guard let untyped = coercion.untyped(Int(index)) else {
                    throw GraphQLScalarFault("The number is too large.")
                }
                _ = try scalar.coerceInput(untyped)
            } catch {
                let found = document.excerpt(Int(index))
                reporter.report(
                    "Expected value of type '\(system.text(type))', found \(found); \(error.message)",
                    at: value.offset)
            }
        case .enumeration: reportEnum(index, value, definition)
        default:
            reporter.report(
                "Expected value of type '\(system.text(type))', found \(document.excerpt(Int(index))).",
                at: value.offset)
        }
    }

    private mutating func reportEnum(
        _ index: UInt32, _ value: GraphQLDocument.Value, _ definition: GraphQLTypeSystem.TypeDefinition
    ) {
        let text = document.excerpt(Int(index))
        let isEnum = value.kind == .enumeration
        let names = definition.enumValues.range.map { system.enumValues[$0].name }
        let question = GraphQLSuggestions.question(
            GraphQLSuggestions.similar(to: text, in: names), "the enum value")
        let message =
            isEnum
            ? "Value '\(text)' does not exist in '\(definition.name)' enum."
            : "Enum '\(definition.name)' cannot represent non-enum value: \(text)."
        reporter.report(message + question, at: value.offset)
    }
}
