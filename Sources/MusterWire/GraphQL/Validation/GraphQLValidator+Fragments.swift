extension GraphQLValidator {
    /// Reports fragments that spread themselves, directly or through others.
    ///
    /// - Returns: whether there are such fragments.
    mutating func checkFragmentCircles() -> Bool {
        /// A fragment that is being searched: its spreads, as indices of selections, and the next one to follow.
        struct Step {
            var name: Int
            var spreads: [Int]
            var next = 0
        }
        var found = false
        var visited = [Bool](repeating: false, count: document.names.count)
        /// For each name the place of its fragment in the current path, or -1.
        var places = [Int](repeating: -1, count: document.names.count)
        for fragment in document.fragments where !visited[Int(fragment.name.name)] && !reporter.isFull {
            let name = Int(fragment.name.name)
            visited[name] = true
            var path = [Step(name: name, spreads: spreadsInOrder(fragment.selections))]
            places[name] = 0
            while let step = path.last {
                guard step.next < step.spreads.count else {
                    places[step.name] = -1
                    path.removeLast()
                    continue
                }
                path[path.count - 1].next += 1
                let target = Int(document.selections[step.spreads[step.next]].name)
                if places[target] >= 0 {
                    found = true
                    reportCircle(path[places[target]...].map { $0.spreads[$0.next - 1] })
                } else if !visited[target], fragmentsByName[target] != Self.none {
                    visited[target] = true
                    let fragment = document.fragments[Int(fragmentsByName[target])]
                    places[target] = path.count
                    path.append(Step(name: target, spreads: spreadsInOrder(fragment.selections)))
                }
            }
        }
        return found
    }

    private mutating func reportCircle(_ spreads: [Int]) {
        let nodes = spreads.map { document.selections[$0] }
        guard let last = nodes.last else { return }
        let via = nodes.dropLast().prefix(20).map { "'\(document.text($0.name))'" }.joined(separator: ", ")
        reporter.report(
            "Cannot spread fragment '\(document.text(last.name))' within itself\(via.isEmpty ? "" : " via \(via)").",
            at: nodes.map(\.offset))
    }

    /// The spreads in a selection set and the sets within it, in the order of the reference implementation: those of
    /// a set before those of its inner sets, the last inner set first.
    private func spreadsInOrder(_ slice: Slice) -> [Int] {
        var spreads: [Int] = []
        var sets = [slice]
        while let set = sets.popLast() {
            var index = set.first
            while index < set.end {
                let selection = document.selections[Int(index)]
                if selection.kind == .spread {
                    spreads.append(Int(index))
                } else if selection.hasSet {
                    sets.append(Slice(first: index + 1, end: selection.end))
                }
                index = selection.end
            }
        }
        return spreads
    }

    /// Checks that a subscription selects one field, which is none of introspection.
    mutating func checkSubscription(_ operation: GraphQLDocument.Operation) {
        let root = system.subscription
        guard root != Self.none else { return }
        let fields = rootFields(operation.selections, of: root)
        let isNamed = operation.name.name != GraphQLNames.none
        let subject = isNamed ? "Subscription '\(document.text(operation.name.name))'" : "Anonymous Subscription"
        if fields.count > 1 {
            reporter.report(
                "\(subject) must select only one top level field.",
                at: fields.dropFirst().flatMap { $0 }.map { document.selections[$0].offset })
        }
        for group in fields {
            guard let first = group.first, document.names.isReserved(document.selections[first].name) else { continue }
            reporter.report(
                "\(subject) must not select an introspection top level field.",
                at: group.map { document.selections[$0].offset })
        }
    }

    /// The fields that a selection set selects from an object, with fragments expanded, grouped by response name. A
    /// field whose `@skip` or `@include` has a variable counts as selected.
    private func rootFields(_ slice: Slice, of type: TypeID) -> [[Int]] {
        var groups: [[Int]] = []
        var groupOfName: [Name: Int] = [:]
        var spreads: Set<Name> = []
        var rest = [slice]
        while let slice = rest.popLast() {
            guard !slice.isEmpty else { continue }
            let selection = document.selections[Int(slice.first)]
            rest.append(Slice(first: selection.end, end: slice.end))
            guard isIncluded(selection) else { continue }
            switch selection.kind {
            case .field:
                if let group = groupOfName[selection.responseName] {
                    groups[group].append(Int(slice.first))
                } else {
                    groupOfName[selection.responseName] = groups.count
                    groups.append([Int(slice.first)])
                }
            case .inline:
                if applies(selection.name, to: type) {
                    rest.append(Slice(first: slice.first + 1, end: selection.end))
                }
            case .spread:
                let index = fragmentsByName[Int(selection.name)]
                guard spreads.insert(selection.name).inserted, index != Self.none else { continue }
                let fragment = document.fragments[Int(index)]
                if applies(fragment.condition.name, to: type) { rest.append(fragment.selections) }
            }
        }
        return groups
    }

    private func applies(_ condition: Name, to type: TypeID) -> Bool {
        guard condition != GraphQLNames.none else { return true }
        guard let expected = self.type(condition) else { return false }
        return system.kinds[Int(expected)].isComposite && system.isPossible(type, for: expected)
    }

    private func isIncluded(_ selection: GraphQLDocument.Selection) -> Bool {
        for index in selection.directives.range {
            let directive = document.directives[index]
            let name = document.names[directive.name]
            guard name == "skip" || name == "include" else { continue }
            for argument in directive.arguments.range where document.names[document.arguments[argument].name] == "if" {
                let kind = document.values[Int(document.arguments[argument].value)].kind
                if kind == (name == "skip" ? .true : .false) { return false }
            }
        }
        return true
    }
}
