extension GraphQLValidator {
    /// Checks directives: they are known, may stand here, stand here once, and have the arguments that they need.
    ///
    /// - Parameter field: the field around them; `none` outside of fields.
    mutating func checkDirectives(_ slice: Slice, on location: GraphQLDirectiveLocation, in field: UInt32) {
        guard !slice.isEmpty else { return }
        var earlier: [Name: UInt32] = [:]
        for index in slice.range where !reporter.isFull {
            let directive = document.directives[index]
            checkUnique(directive.arguments)
            guard let found = system.directivesByName[symbols[Int(directive.name)]] else {
                reporter.report("Unknown directive '@\(document.text(directive.name))'.", at: directive.offset)
                // The reference implementation reads the arguments as if they were those of the field.
                let known = field == Self.none ? Slice() : system.fields[Int(field)].arguments
                checkArguments(directive, known, isKnown: false)
                continue
            }
            let definition = system.directives[Int(found)]
            if !definition.locations.contains(location) {
                reporter.report(
                    "Directive '@\(definition.name)' may not be used on \(location.rawValue).", at: directive.offset)
            }
            if !definition.isRepeatable {
                if let first = earlier[directive.name] {
                    reporter.report(
                        "The directive '@\(definition.name)' can only be used once at this location.",
                        at: [first, directive.offset])
                } else {
                    earlier[directive.name] = directive.offset
                }
            }
            checkArguments(directive, definition.arguments, isKnown: true)
            checkRequired(directive, definition)
        }
    }

    private mutating func checkArguments(_ directive: GraphQLDocument.Directive, _ known: Slice, isKnown: Bool) {
        for index in directive.arguments.range {
            let argument = document.arguments[index]
            let found = system.argument(symbols[Int(argument.name)], in: known)
            guard found != Self.none else {
                if isKnown {
                    let suggestions = GraphQLSuggestions.similar(
                        to: document.names[argument.name], in: known.range.map { system.inputTexts[$0].name })
                    reporter.report(
                        "Unknown argument '\(document.text(argument.name))' on directive"
                            + " '@\(document.text(directive.name))'." + GraphQLSuggestions.question(suggestions),
                        at: argument.offset)
                }
                checkValue(argument.value, .unknown, hasDefault: false, isChecked: true)
                continue
            }
            let input = system.inputs[Int(found)]
            checkValue(argument.value, input.type, hasDefault: input.hasDefault, isChecked: true)
        }
    }

    private mutating func checkRequired(
        _ directive: GraphQLDocument.Directive, _ definition: GraphQLTypeSystem.DirectiveDefinition
    ) {
        for index in definition.arguments.range {
            let input = system.inputs[index]
            guard input.isRequired, !isGiven(input.symbol, in: directive.arguments) else { continue }
            reporter.report(
                "Directive '@\(definition.name)' argument '\(system.inputTexts[index].name)' of type"
                    + " '\(system.text(input.type))' is required, but it was not provided.", at: directive.offset)
        }
    }
}
