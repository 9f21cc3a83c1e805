extension GraphQLValidator {
    /// Checks a selection set.
    ///
    /// - Parameters:
    ///   - parent: the composite type that it selects from; `none` when it is unknown.
    ///   - field: the field that the set belongs to; `none` for the set of a definition.
    mutating func checkSelections(_ slice: Slice, of parent: TypeID, in field: UInt32) {
        var index = slice.first
        while index < slice.end, !reporter.isFull {
            let selection = document.selections[Int(index)]
            let children = Slice(first: index + 1, end: selection.end)
            switch selection.kind {
            case .field: checkField(selection, children, of: parent)
            case .spread: checkSpread(selection, of: parent, in: field)
            case .inline: checkInline(selection, children, of: parent, in: field)
            }
            index = selection.end
        }
    }

    private mutating func checkField(_ selection: GraphQLDocument.Selection, _ children: Slice, of parent: TypeID) {
        var field = Self.none
        var type = TypeUse.unknown
        var arguments = Slice()
        if parent != Self.none {
            field = system.field(symbols[Int(selection.name)], of: parent)
            if field == Self.none {
                reportUnknownField(selection, of: parent)
            } else {
                let definition = system.fields[Int(field)]
                type = definition.type
                arguments = definition.arguments
                if definition.requiredArguments > 0 {
                    checkRequired(selection, definition)
                }
            }
        }
        if !selection.directives.isEmpty { checkDirectives(selection.directives, on: .field, in: field) }
        if !selection.arguments.isEmpty {
            checkUnique(selection.arguments)
            for index in selection.arguments.range {
                checkArgument(document.arguments[index], in: arguments, selection, field: field, of: parent)
            }
        }
        guard type.isKnown else {
            if selection.hasSet { checkSelections(children, of: Self.none, in: field) }
            return
        }
        let isLeaf = system.kinds[Int(type.type)].isLeaf
        if isLeaf == selection.hasSet { reportLeaf(selection, type) }
        if selection.hasSet { checkSelections(children, of: isLeaf ? Self.none : type.type, in: field) }
    }

    private mutating func reportLeaf(_ selection: GraphQLDocument.Selection, _ type: TypeUse) {
        let name = document.text(selection.name)
        if selection.hasSet {
            reporter.report(
                "Field '\(name)' must not have a selection since type '\(system.text(type))' has no subfields.",
                at: selection.setOffset)
        } else {
            reporter.report(
                "Field '\(name)' of type '\(system.text(type))' must have a selection of subfields."
                    + " Did you mean '\(name) { ... }'?", at: selection.offset)
        }
    }

    private mutating func reportUnknownField(_ selection: GraphQLDocument.Selection, of parent: TypeID) {
        let type = system.types[Int(parent)]
        let name = document.names[selection.name]
        let question: String
        let types = typesWithField(symbols[Int(selection.name)], below: type)
        if types.isEmpty {
            let names = type.fields.range.map { system.fieldTexts[$0].name }
            question = GraphQLSuggestions.question(GraphQLSuggestions.similar(to: name, in: names))
        } else {
            question = GraphQLSuggestions.question(types, "to use an inline fragment on")
        }
        reporter.report(
            "Cannot query field '\(document.text(selection.name))' on type '\(type.name)'.\(question)",
            at: selection.offset)
    }

    /// The types below an abstract type that have a field: those that more objects share first, then by name.
    private func typesWithField(_ name: Name, below type: GraphQLTypeSystem.TypeDefinition) -> [String] {
        guard type.kind.isAbstract, name != GraphQLNames.none else { return [] }
        var counts: [TypeID: Int] = [:]
        for object in type.possibleTypes where system.members.find(object, name) != nil {
            counts[object] = 1
            for interface in system.types[Int(object)].interfaces where system.members.find(interface, name) != nil {
                counts[interface, default: 0] += 1
            }
        }
        return counts.sorted { one, other in
            if one.value != other.value { return one.value > other.value }
            if system.isSubtype(other.key, of: one.key) { return true }
            if system.isSubtype(one.key, of: other.key) { return false }
            return system.types[Int(one.key)].name < system.types[Int(other.key)].name
        }.map { system.types[Int($0.key)].name }
    }

    private mutating func checkRequired(
        _ selection: GraphQLDocument.Selection, _ definition: GraphQLTypeSystem.Field
    ) {
        for index in definition.arguments.range {
            let input = system.inputs[index]
            guard input.isRequired, !isGiven(input.symbol, in: selection.arguments) else { continue }
            reporter.report(
                "Field '\(document.text(selection.name))' argument '\(system.inputTexts[index].name)' of type"
                    + " '\(system.text(input.type))' is required, but it was not provided.", at: selection.offset)
        }
    }

    /// Whether an argument of the schema is among those of the document.
    func isGiven(_ symbol: Name, in arguments: Slice) -> Bool {
        arguments.range.contains { symbols[Int(document.arguments[$0].name)] == symbol }
    }

    private mutating func checkArgument(
        _ argument: GraphQLDocument.Argument, in known: Slice, _ selection: GraphQLDocument.Selection, field: UInt32,
        of parent: TypeID
    ) {
        let index = system.argument(symbols[Int(argument.name)], in: known)
        guard index != Self.none else {
            if field != Self.none {
                let suggestions = GraphQLSuggestions.similar(
                    to: document.names[argument.name], in: known.range.map { system.inputTexts[$0].name })
                reporter.report(
                    "Unknown argument '\(document.text(argument.name))' on field"
                        + " '\(system.types[Int(parent)].name).\(document.text(selection.name))'."
                        + GraphQLSuggestions.question(suggestions), at: argument.offset)
            }
            checkValue(argument.value, .unknown, hasDefault: false, isChecked: true)
            return
        }
        let input = system.inputs[Int(index)]
        checkValue(argument.value, input.type, hasDefault: input.hasDefault, isChecked: true)
    }

    /// Reports arguments that are given more than once.
    mutating func checkUnique(_ arguments: Slice) {
        guard arguments.count > 1 else { return }
        let first = nextStamp()
        // A name with this stamp has been reported.
        let reported = nextStamp()
        for index in arguments.range {
            let name = document.arguments[index].name
            if stamps[Int(name)] == first {
                stamps[Int(name)] = reported
                let same = arguments.range.filter { document.arguments[$0].name == name }
                reporter.report(
                    "There can be only one argument named '\(document.text(name))'.",
                    at: same.map { document.arguments[$0].offset })
            } else if stamps[Int(name)] != reported {
                stamps[Int(name)] = first
            }
        }
    }

    private mutating func checkSpread(_ selection: GraphQLDocument.Selection, of parent: TypeID, in field: UInt32) {
        spreads.append(selection.name)
        let index = fragmentsByName[Int(selection.name)]
        if index == Self.none {
            reporter.report("Unknown fragment '\(document.text(selection.name))'.", at: selection.nameOffset)
        } else if parent != Self.none, let type = type(document.fragments[Int(index)].condition.name),
            system.kinds[Int(type)].isComposite, !system.overlap(parent, type)
        {
            reporter.report(
                "Fragment '\(document.text(selection.name))' cannot be spread here as objects of type"
                    + " '\(system.types[Int(parent)].name)' can never be of type '\(system.types[Int(type)].name)'.",
                at: selection.offset)
        }
        checkDirectives(selection.directives, on: .fragmentSpread, in: field)
    }

    private mutating func checkInline(
        _ selection: GraphQLDocument.Selection, _ children: Slice, of parent: TypeID, in field: UInt32
    ) {
        var inner = parent
        if selection.name != GraphQLNames.none {
            inner = Self.none
            if let type = knownType(.init(name: selection.name, offset: selection.nameOffset)) {
                if system.kinds[Int(type)].isComposite {
                    inner = type
                } else {
                    reporter.report(
                        "Fragment cannot condition on non composite type '\(document.text(selection.name))'.",
                        at: selection.nameOffset)
                }
            }
            if inner != Self.none, parent != Self.none, !system.overlap(parent, inner) {
                reporter.report(
                    "Fragment cannot be spread here as objects of type '\(system.types[Int(parent)].name)' can never"
                        + " be of type '\(system.types[Int(inner)].name)'.", at: selection.offset)
            }
        }
        checkDirectives(selection.directives, on: .inlineFragment, in: field)
        checkSelections(children, of: inner, in: field)
    }
}
