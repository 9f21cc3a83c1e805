/// The rule that fields of one response name can be merged (GraphQL October 2021, section 5.3.2): finds each conflict
/// as the reference implementation does, by comparing pairs of fields.
///
/// The number of comparisons has a limit, because it can grow faster than the document.
struct GraphQLOverlapRule {
    typealias Name = GraphQLNames.ID
    typealias TypeID = GraphQLTypeSystem.TypeID
    typealias TypeUse = GraphQLTypeSystem.TypeUse
    typealias Slice = GraphQLDocument.Slice

    /// A field in its context.
    struct Entry {
        var selection: Int
        var parent: TypeID
        /// The index in the schema; `none` when the field is unknown.
        var field: UInt32
    }

    /// The fields of a selection set by response name, and the fragments that it spreads.
    final class FieldMap {
        var names: [Name] = []
        var entries: [Name: [Entry]] = [:]
        var fragments: [Name] = []
    }

    struct Conflict {
        var reason: Reason
        var first: [Int]
        var second: [Int]
    }

    indirect enum Reason {
        case text(Name, String)
        case fields(Name, [Reason])
    }

    private struct Pair: Hashable {
        var first: UInt32
        var second: UInt32
    }

    let system: GraphQLTypeSystem
    let document: GraphQLDocument
    private let symbols: [Name]
    private let fragmentsByName: [UInt32]
    /// The field maps of selection sets, by the index of the first selection.
    private var maps: [UInt32: FieldMap] = [:]
    /// Pairs of fragments that have been compared, and whether only for fields that exclude each other.
    private var fragmentPairs: [Pair: Bool] = [:]
    /// Pairs of a selection set and a fragment that have been compared in the current search.
    private var setPairs: [Pair: Bool] = [:]
    private var left: Int
    /// How many conflicts of one selection set are of interest.
    private let errorLimit: Int
    private var depth = 0
    /// How deep the comparison may recurse.
    private static let depthLimit = 400

    init(_ validator: GraphQLValidator) {
        system = validator.system
        document = validator.document
        symbols = validator.symbols
        fragmentsByName = validator.fragmentsByName
        left = validator.limits.fieldComparisons
        errorLimit = validator.limits.errors
    }

    /// Whether the limit is reached, so that conflicts may be missing.
    var isExhausted: Bool { left < 0 }

    /// Returns the conflicts within a selection set.
    mutating func conflicts(within slice: Slice, of parent: TypeID) -> [Conflict] {
        var conflicts: [Conflict] = []
        setPairs = [:]
        let map = map(slice, parent)
        for name in map.names {
            guard let entries = map.entries[name], entries.count > 1 else { continue }
            for (index, entry) in entries.enumerated() {
                for other in entries[(index + 1)...] {
                    compare(name, entry, other, areExclusive: false, &conflicts)
                    if isExhausted || conflicts.count > errorLimit { return conflicts }
                }
            }
        }
        for (index, fragment) in map.fragments.enumerated() {
            compare(map, slice.first, fragment, areExclusive: false, &conflicts)
            for other in map.fragments[(index + 1)...] {
                compare(fragment, other, areExclusive: false, &conflicts)
                if isExhausted || conflicts.count > errorLimit { return conflicts }
            }
        }
        return conflicts
    }

    /// Compares the fields of a set with those of a fragment.
    private mutating func compare(
        _ map: FieldMap, _ key: UInt32, _ name: Name, areExclusive: Bool, _ conflicts: inout [Conflict]
    ) {
        guard spend(), let fragment = fragment(name) else { return }
        defer { depth -= 1 }
        let pair = Pair(first: key, second: name)
        if let earlier = setPairs[pair], areExclusive || !earlier { return }
        setPairs[pair] = areExclusive
        let other = self.map(fragment.selections, composite(fragment.condition.name))
        guard map !== other else { return }
        compare(map, other, areExclusive: areExclusive, &conflicts)
        for inner in other.fragments { compare(map, key, inner, areExclusive: areExclusive, &conflicts) }
    }

    /// Compares the fields of two fragments.
    private mutating func compare(
        _ one: Name, _ other: Name, areExclusive: Bool, _ conflicts: inout [Conflict]
    ) {
        guard one != other else { return }
        let pair = Pair(first: min(one, other), second: max(one, other))
        if let earlier = fragmentPairs[pair], areExclusive || !earlier { return }
        fragmentPairs[pair] = areExclusive
        guard let first = fragment(one), let second = fragment(other), spend() else { return }
        defer { depth -= 1 }
        let firstMap = map(first.selections, composite(first.condition.name))
        let secondMap = map(second.selections, composite(second.condition.name))
        compare(firstMap, secondMap, areExclusive: areExclusive, &conflicts)
        for inner in secondMap.fragments { compare(one, inner, areExclusive: areExclusive, &conflicts) }
        for inner in firstMap.fragments { compare(inner, other, areExclusive: areExclusive, &conflicts) }
    }

    /// Compares the fields of two sets that belong to fields of the same response name.
    private mutating func compareSets(
        _ one: (slice: Slice, parent: TypeID), _ other: (slice: Slice, parent: TypeID), areExclusive: Bool
    ) -> [Conflict] {
        var conflicts: [Conflict] = []
        let (first, second) = (map(one.slice, one.parent), map(other.slice, other.parent))
        compare(first, second, areExclusive: areExclusive, &conflicts)
        for fragment in second.fragments {
            compare(first, one.slice.first, fragment, areExclusive: areExclusive, &conflicts)
        }
        for fragment in first.fragments {
            compare(second, other.slice.first, fragment, areExclusive: areExclusive, &conflicts)
        }
        for fragment in first.fragments {
            for inner in second.fragments { compare(fragment, inner, areExclusive: areExclusive, &conflicts) }
        }
        return conflicts
    }

    private mutating func compare(
        _ one: FieldMap, _ other: FieldMap, areExclusive: Bool, _ conflicts: inout [Conflict]
    ) {
        for name in one.names {
            guard let entries = one.entries[name], let others = other.entries[name] else { continue }
            for entry in entries {
                for second in others {
                    compare(name, entry, second, areExclusive: areExclusive, &conflicts)
                    if isExhausted { return }
                }
            }
        }
    }

    /// Compares two fields of the same response name.
    private mutating func compare(
        _ name: Name, _ one: Entry, _ other: Entry, areExclusive: Bool, _ conflicts: inout [Conflict]
    ) {
        guard spend() else { return }
        defer { depth -= 1 }
        let (first, second) = (document.selections[one.selection], document.selections[other.selection])
        let areExclusive =
            areExclusive || (one.parent != other.parent && isObject(one.parent) && isObject(other.parent))
        func add(_ text: String) {
            conflicts.append(.init(reason: .text(name, text), first: [one.selection], second: [other.selection]))
        }
        if !areExclusive {
            guard first.name == second.name else {
                return add("'\(document.text(first.name))' and '\(document.text(second.name))' are different fields")
            }
            guard hasSameArguments(first, second) else { return add("they have differing arguments") }
        }
        let (type, otherType) = (self.type(of: one.field), self.type(of: other.field))
        if type.isKnown, otherType.isKnown, conflict(type, otherType) {
            return add("they return conflicting types '\(system.text(type))' and '\(system.text(otherType))'")
        }
        guard first.hasSet, second.hasSet else { return }
        let inner = compareSets(
            (Slice(first: UInt32(one.selection + 1), end: first.end), type.type),
            (Slice(first: UInt32(other.selection + 1), end: second.end), otherType.type), areExclusive: areExclusive)
        guard !inner.isEmpty else { return }
        conflicts.append(
            .init(
                reason: .fields(name, inner.map(\.reason)), first: [one.selection] + inner.flatMap(\.first),
                second: [other.selection] + inner.flatMap(\.second)))
    }

    /// Counts a comparison, and enters a level of recursion.
    private mutating func spend() -> Bool {
        left -= 1
        if depth >= Self.depthLimit { left = -1 }
        guard left >= 0 else { return false }
        depth += 1
        return true
    }

    private func isObject(_ type: TypeID) -> Bool {
        type != GraphQLTypeSystem.none && system.kinds[Int(type)] == .object
    }

    private func type(of field: UInt32) -> TypeUse {
        field == GraphQLTypeSystem.none ? .unknown : system.fields[Int(field)].type
    }

    /// Whether a value cannot be of both types.
    private func conflict(_ one: TypeUse, _ other: TypeUse) -> Bool {
        if one.wrapping != other.wrapping { return true }
        guard let kind = system.kind(of: one.named), let otherKind = system.kind(of: other.named) else { return false }
        return (kind.isLeaf || otherKind.isLeaf) && one.type != other.type
    }

    private func hasSameArguments(_ one: GraphQLDocument.Selection, _ other: GraphQLDocument.Selection) -> Bool {
        guard one.arguments.count == other.arguments.count else { return false }
        var values: [Name: UInt32] = [:]
        for index in other.arguments.range { values[document.arguments[index].name] = document.arguments[index].value }
        return one.arguments.range.allSatisfy { index in
            guard let value = values[document.arguments[index].name] else { return false }
            return document.isSame(document.arguments[index].value, value)
        }
    }

    // MARK: Field maps

    private func fragment(_ name: Name) -> GraphQLDocument.Fragment? {
        let index = fragmentsByName[Int(name)]
        return index == GraphQLTypeSystem.none ? nil : document.fragments[Int(index)]
    }

    private func composite(_ name: Name) -> TypeID {
        system.type(named: symbols[Int(name)])
    }

    private mutating func map(_ slice: Slice, _ parent: TypeID) -> FieldMap {
        if let map = maps[slice.first] { return map }
        let map = FieldMap()
        maps[slice.first] = map
        collect(slice, parent, into: map)
        return map
    }

    private func collect(_ slice: Slice, _ parent: TypeID, into map: FieldMap) {
        var index = slice.first
        while index < slice.end {
            let selection = document.selections[Int(index)]
            switch selection.kind {
            case .field:
                let hasFields = parent != GraphQLTypeSystem.none && system.kinds[Int(parent)].isComposite
                let found = hasFields ? system.members.find(parent, symbols[Int(selection.name)]) : nil
                let entry = Entry(selection: Int(index), parent: parent, field: found ?? GraphQLTypeSystem.none)
                if map.entries[selection.responseName] == nil { map.names.append(selection.responseName) }
                map.entries[selection.responseName, default: []].append(entry)
            case .spread:
                if !map.fragments.contains(selection.name) { map.fragments.append(selection.name) }
            case .inline:
                let inner = selection.name == GraphQLNames.none ? parent : composite(selection.name)
                collect(Slice(first: index + 1, end: selection.end), inner, into: map)
            }
            index = selection.end
        }
    }
}

extension GraphQLValidator {
    /// Reports fields of one response name that cannot be merged.
    mutating func checkOverlaps(hasCircles: Bool) {
        if !hasCircles {
            var scan = GraphQLOverlapScan(self)
            if scan.findsNothing() { return }
        }
        var rule = GraphQLOverlapRule(self)
        for operation in document.operations {
            report(&rule, within: operation.selections, of: system.root(operation.kind))
        }
        for fragment in document.fragments {
            report(&rule, within: fragment.selections, of: type(fragment.condition.name) ?? Self.none)
        }
        guard rule.isExhausted else { return }
        reporter.stop(
            with: GraphQLError(
                .limit,
                "The fields of the document overlap so often that more than \(limits.fieldComparisons) pairs"
                    + " must be compared."))
    }

    /// Reports the conflicts within a selection set and within the sets in it.
    private mutating func report(_ rule: inout GraphQLOverlapRule, within slice: Slice, of parent: TypeID) {
        guard !rule.isExhausted, !reporter.isFull else { return }
        let parent = parent != Self.none && system.kinds[Int(parent)].isComposite ? parent : Self.none
        for conflict in rule.conflicts(within: slice, of: parent) {
            let (name, text) = GraphQLOverlapRule.text(conflict.reason, document)
            reporter.report(
                "Fields '\(name)' conflict because \(text). Use different aliases on the fields to fetch both if this"
                    + " was intentional.",
                at: (conflict.first + conflict.second).map { document.selections[$0].offset })
        }
        reportInner(&rule, slice, parent)
    }

    private mutating func reportInner(_ rule: inout GraphQLOverlapRule, _ slice: Slice, _ parent: TypeID) {
        var index = slice.first
        while index < slice.end {
            let selection = document.selections[Int(index)]
            let children = Slice(first: index + 1, end: selection.end)
            if selection.kind == .inline {
                let inner = selection.name == GraphQLNames.none ? parent : type(selection.name) ?? Self.none
                report(&rule, within: children, of: inner)
            } else if selection.hasSet {
                let field = parent == Self.none ? Self.none : system.field(symbols[Int(selection.name)], of: parent)
                report(
                    &rule, within: children,
                    of: field == Self.none ? Self.none : system.fields[Int(field)].type.type)
            }
            index = selection.end
        }
    }
}

extension GraphQLOverlapRule {
    /// The response name and the words of a reason, cut after 1,000 characters.
    static func text(_ reason: Reason, _ document: GraphQLDocument) -> (name: String, text: String) {
        switch reason {
        case .text(let name, let text): return (document.text(name), text)
        case .fields(let name, let reasons):
            var text = ""
            for reason in reasons where text.utf8.count < 1_000 {
                let inner = self.text(reason, document)
                text += (text.isEmpty ? "" : " and ") + "subfields '\(inner.name)' conflict because \(inner.text)"
            }
            return (document.text(name), text)
        }
    }
}
