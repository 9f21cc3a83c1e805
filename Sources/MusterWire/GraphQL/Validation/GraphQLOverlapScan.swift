/// A quick search for fields that may conflict: those that share a response name and differ in their name, arguments or
/// type. A document without such fields has no conflicts, and most documents have none.
///
/// - Complexity: O(fields), with fragments counted where they are spread, up to a limit.
struct GraphQLOverlapScan {
    typealias Name = GraphQLNames.ID
    typealias TypeID = GraphQLTypeSystem.TypeID
    typealias Slice = GraphQLDocument.Slice

    private struct Entry {
        var selection: UInt32
        /// The index of the field in the schema; `none` when it is unknown.
        var field: UInt32
        /// The next entry of the same response name; `none` for the last.
        var next = GraphQLTypeSystem.none
        /// The last entry of the same response name, in the first of them; `none` in others.
        var last = GraphQLTypeSystem.none
    }

    private struct Sight {
        var stamp: UInt32 = 0
        var head: UInt32 = 0
    }

    private let system: GraphQLTypeSystem
    private let document: GraphQLDocument
    private let symbols: [Name]
    private let fragmentsByName: [UInt32]
    private var entries: [Entry] = []
    /// For each name the stamp of the set that saw it last, and its first entry there.
    private var seen: [Sight]
    private var spreadStamps: [UInt32]
    private var stamp: UInt32 = 0
    /// Whether the selection set that begins with a selection has been scanned on its own.
    private var isScanned: [Bool]
    private var left: Int
    /// How deep selection sets may nest with fragments expanded; deeper ones are left to the exact search.
    private static let depthLimit = 100

    init(_ validator: GraphQLValidator) {
        system = validator.system
        document = validator.document
        symbols = validator.symbols
        fragmentsByName = validator.fragmentsByName
        seen = [Sight](repeating: Sight(), count: document.names.count)
        spreadStamps = document.fragments.isEmpty ? [] : [UInt32](repeating: 0, count: document.names.count)
        isScanned = [Bool](repeating: false, count: document.selections.count)
        left = validator.limits.fieldComparisons
        entries.reserveCapacity(64)
    }

    /// Whether the document surely has no conflicts.
    mutating func findsNothing() -> Bool {
        for operation in document.operations {
            guard scan([(operation.selections, system.root(operation.kind))], depth: 0) else { return false }
        }
        for fragment in document.fragments where !isScanned[Int(fragment.selections.first)] {
            guard scan([(fragment.selections, composite(fragment.condition.name))], depth: 0) else { return false }
        }
        return true
    }

    private func composite(_ name: Name) -> TypeID {
        let type = system.type(named: symbols[Int(name)])
        return type != GraphQLTypeSystem.none && system.kinds[Int(type)].isComposite ? type : GraphQLTypeSystem.none
    }

    /// Scans selection sets that apply to the same object, and the sets within them.
    private mutating func scan(_ sets: [(slice: Slice, parent: TypeID)], depth: Int) -> Bool {
        guard depth < Self.depthLimit else { return false }
        stamp += 1
        let first = entries.count
        defer { entries.removeSubrange(first...) }
        for set in sets {
            isScanned[Int(set.slice.first)] = true
            guard collect(set.slice, set.parent) else { return false }
        }
        var index = first
        let end = entries.count
        while index < end {
            let entry = entries[index]
            index += 1
            guard entry.last != GraphQLTypeSystem.none else { continue }
            guard scanChildren(of: entry, depth: depth) else { return false }
        }
        return true
    }

    private mutating func scanChildren(of head: Entry, depth: Int) -> Bool {
        let selection = document.selections[Int(head.selection)]
        let isAlone = head.next == GraphQLTypeSystem.none
        if isAlone {
            guard selection.hasSet, !isScanned[Int(head.selection) + 1] else { return true }
            return scan([children(of: head)], depth: depth + 1)
        }
        var sets: [(slice: Slice, parent: TypeID)] = []
        var entry = head
        while true {
            if document.selections[Int(entry.selection)].hasSet { sets.append(children(of: entry)) }
            guard entry.next != GraphQLTypeSystem.none else { break }
            entry = entries[Int(entry.next)]
        }
        return sets.isEmpty || scan(sets, depth: depth + 1)
    }

    private func children(of entry: Entry) -> (slice: Slice, parent: TypeID) {
        var parent = GraphQLTypeSystem.none
        if entry.field != GraphQLTypeSystem.none {
            let type = system.fields[Int(entry.field)].type.type
            if system.kinds[Int(type)].isComposite { parent = type }
        }
        return (
            Slice(first: entry.selection + 1, end: document.selections[Int(entry.selection)].end), parent
        )
    }

    /// Collects the fields of a set, with its fragments expanded. Returns false for fields that may conflict.
    private mutating func collect(_ slice: Slice, _ parent: TypeID) -> Bool {
        var rest: [(slice: Slice, parent: TypeID)] = []
        var (slice, parent) = (slice, parent)
        while true {
            while slice.first < slice.end {
                let index = slice.first
                let selection = document.selections[Int(index)]
                slice.first = selection.end
                switch selection.kind {
                case .field:
                    guard add(index, selection, parent) else { return false }
                case .inline:
                    rest.append((slice, parent))
                    slice = Slice(first: index + 1, end: selection.end)
                    if selection.name != GraphQLNames.none { parent = composite(selection.name) }
                case .spread:
                    let fragment = fragmentsByName[Int(selection.name)]
                    guard fragment != GraphQLTypeSystem.none, spreadStamps[Int(selection.name)] != stamp else {
                        continue
                    }
                    spreadStamps[Int(selection.name)] = stamp
                    rest.append((slice, parent))
                    slice = document.fragments[Int(fragment)].selections
                    parent = composite(document.fragments[Int(fragment)].condition.name)
                }
            }
            guard let next = rest.popLast() else { return true }
            (slice, parent) = next
        }
    }

    private mutating func add(_ index: UInt32, _ selection: GraphQLDocument.Selection, _ parent: TypeID) -> Bool {
        left -= 1
        guard left >= 0 else { return false }
        let field =
            parent == GraphQLTypeSystem.none
            ? GraphQLTypeSystem.none : system.field(symbols[Int(selection.name)], of: parent)
        let number = UInt32(entries.count)
        let name = Int(selection.responseName)
        guard seen[name].stamp == stamp else {
            seen[name] = Sight(stamp: stamp, head: number)
            entries.append(Entry(selection: index, field: field, last: number))
            return true
        }
        let head = Int(seen[name].head)
        let other = document.selections[Int(entries[head].selection)]
        guard other.name == selection.name, other.arguments.count == selection.arguments.count,
            type(of: field) == type(of: entries[head].field), hasSameArguments(selection, other)
        else { return false }
        entries.append(Entry(selection: index, field: field))
        entries[Int(entries[head].last)].next = number
        entries[head].last = number
        return true
    }

    private func type(of field: UInt32) -> GraphQLTypeSystem.TypeUse {
        field == GraphQLTypeSystem.none ? .unknown : system.fields[Int(field)].type
    }

    /// Whether two fields have the same arguments in the same order.
    private func hasSameArguments(_ one: GraphQLDocument.Selection, _ other: GraphQLDocument.Selection) -> Bool {
        zip(one.arguments.range, other.arguments.range).allSatisfy { first, second in
            let (first, second) = (document.arguments[first], document.arguments[second])
            return first.name == second.name && document.isSame(first.value, second.value)
        }
    }
}

extension GraphQLDocument {
    /// Whether two values print alike, but for the order of their members.
    func isSame(_ one: UInt32, _ other: UInt32) -> Bool {
        let (first, second) = (values[Int(one)], values[Int(other)])
        guard first.kind == second.kind else { return false }
        switch first.kind {
        case .variable, .enumeration: return first.name == second.name
        case .integer, .float: return bytes(of: first) == bytes(of: second)
        case .string, .blockString:
            return bytes(of: first) == bytes(of: second) || string(of: first) == string(of: second)
        case .true, .false, .null: return true
        case .member: return first.name == second.name && isSame(one + 1, other + 1)
        case .list, .object:
            var (children, others) = (children(of: Int(one)), self.children(of: Int(other)))
            guard children.count == others.count else { return false }
            if first.kind == .object {
                children.sort { values[$0].name < values[$1].name }
                others.sort { values[$0].name < values[$1].name }
            }
            return zip(children, others).allSatisfy { isSame(UInt32($0), UInt32($1)) }
        }
    }
}
