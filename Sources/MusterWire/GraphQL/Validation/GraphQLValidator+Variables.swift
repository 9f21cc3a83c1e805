/// The rules about variables and fragments that concern a whole operation.
extension GraphQLValidator {
    /// Checks the variables that an operation declares.
    mutating func checkVariables(_ slice: Slice) {
        for index in slice.range {
            let variable = document.variables[index]
            let reference = variable.type
            var use = TypeUse.unknown
            if let type = knownType(.init(name: reference.name, offset: reference.nameOffset)) {
                if system.kinds[Int(type)].isInput {
                    use = TypeUse(type: type, wrapping: reference.wrapping)
                } else {
                    reporter.report(
                        "Variable '$\(document.text(variable.name))' cannot be non-input type"
                            + " '\(reference.wrapping.text(document.text(reference.name)))'.", at: reference.offset)
                }
            }
            if let value = variable.defaultValue {
                checkValue(value, use, hasDefault: false, isChecked: true)
            }
            checkDirectives(variable.directives, on: .variableDefinition, in: Self.none)
        }
        checkUniqueVariables(slice)
    }

    private mutating func checkUniqueVariables(_ slice: Slice) {
        guard slice.count > 1 else { return }
        let first = nextStamp()
        let reported = nextStamp()
        for index in slice.range {
            let name = document.variables[index].name
            if stamps[Int(name)] == first {
                stamps[Int(name)] = reported
                let same = slice.range.filter { document.variables[$0].name == name }
                reporter.report(
                    "There can be only one variable named '$\(document.text(name))'.",
                    at: same.map { document.variables[$0].nameOffset })
            } else if stamps[Int(name)] != reported {
                stamps[Int(name)] = first
            }
        }
    }

    /// Checks that variables are declared, used, and allowed where they stand, and that fragments are used.
    mutating func checkReferences() {
        guard !uses.isEmpty || !document.variables.isEmpty || !document.fragments.isEmpty else { return }
        var isUsed = [Bool](repeating: false, count: document.fragments.count)
        var usedNames = [Bool](repeating: false, count: document.names.count)
        var declared = [UInt32](repeating: Self.none, count: document.names.count)
        for (index, operation) in document.operations.enumerated() {
            for variable in operation.variables.range {
                declared[Int(document.variables[variable].name)] = UInt32(variable)
            }
            var reached = [contents[index]]
            let mark = nextStamp()
            let used = nextStamp()
            var next = 0
            while next < reached.count {
                let contents = reached[next]
                next += 1
                for spread in contents.spreads.range {
                    let name = Int(spreads[spread])
                    guard stamps[name] != mark else { continue }
                    stamps[name] = mark
                    usedNames[name] = true
                    let fragment = fragmentsByName[name]
                    guard fragment != Self.none else { continue }
                    isUsed[Int(fragment)] = true
                    reached.append(self.contents[document.operations.count + Int(fragment)])
                }
            }
            for contents in reached { checkUses(contents.uses, declared, operation) }
            markUsed(reached, used)
            for variable in operation.variables.range {
                let name = document.variables[variable].name
                if stamps[Int(name)] != used { reportUnused(document.variables[variable], operation) }
                declared[Int(name)] = Self.none
            }
        }
        for fragment in document.fragments where !reporter.isFull && !usedNames[Int(fragment.name.name)] {
            reporter.report("Fragment '\(document.text(fragment.name.name))' is never used.", at: fragment.offset)
        }
    }

    private mutating func markUsed(_ reached: [Contents], _ stamp: UInt32) {
        for contents in reached {
            for use in contents.uses.range { stamps[Int(uses[use].name)] = stamp }
        }
    }

    private mutating func reportUnused(
        _ variable: GraphQLDocument.Variable, _ operation: GraphQLDocument.Operation
    ) {
        let isNamed = operation.name.name != GraphQLNames.none
        let place = isNamed ? " in operation '\(document.text(operation.name.name))'" : ""
        reporter.report(
            "Variable '$\(document.text(variable.name))' is never used\(place).", at: variable.offset)
    }

    private mutating func checkUses(_ slice: Slice, _ declared: [UInt32], _ operation: GraphQLDocument.Operation) {
        for index in slice.range where !reporter.isFull {
            let use = uses[index]
            let variable = declared[Int(use.name)]
            if variable == Self.none {
                let isNamed = operation.name.name != GraphQLNames.none
                let place = isNamed ? " by operation '\(document.text(operation.name.name))'" : ""
                reporter.report(
                    "Variable '$\(document.text(use.name))' is not defined\(place).",
                    at: [use.offset, operation.offset])
            } else if use.type.isKnown {
                checkUse(use, document.variables[Int(variable)])
            }
        }
    }

    private mutating func checkUse(_ use: VariableUse, _ variable: GraphQLDocument.Variable) {
        guard let type = type(variable.type.name) else { return }
        let given = TypeUse(type: type, wrapping: variable.type.wrapping)
        var expected = use.type
        if expected.isNonNull, !given.isNonNull {
            let hasDefault = variable.defaultValue.map { document.values[Int($0)].kind != .null } ?? false
            if hasDefault || use.hasDefault { expected = expected.inner }
        }
        guard !system.isSubtype(given, of: expected) else { return }
        reporter.report(
            "Variable '$\(document.text(variable.name))' of type '\(system.text(given))' used in position expecting"
                + " type '\(system.text(use.type))'.", at: [variable.offset, use.offset])
    }
}
