/// An index of many event patterns, which finds the patterns that an event matches.
///
/// The index files each pattern under a *cover*: a few values at places of an event, at least one of which is in every
/// event that the pattern matches, such as `detail.GeofenceId` being "north gate". A query walks the event once, and
/// tests only the patterns that are filed under what the event has. Of a pattern's possible covers the index takes the
/// one under which the fewest other patterns lie. So a thousand rules that all begin with the same source are
/// distinguished by where they differ.
public struct PatternIndex: Sendable {
    private var slots: [Slot?] = []
    private var slotOfNumber: [Int32: Int] = [:]
    private var freeSlots: [Int] = []
    private var nodes: [Node] = [Node()]
    /// The patterns without a cover; every query tests them.
    private var unfiled: [Int] = []
    private var removals = 0

    private struct Slot: Sendable {
        var number: Int32
        var pattern: EventPattern
        var files: [(node: Int, key: CoverKey)]
    }

    /// The patterns filed at one path of keys.
    fileprivate struct Node: Sendable {
        var children: [ExactText: Int] = [:]
        var exact: [EventScalar: [Int]] = [:]
        var folded: [ExactText: [Int]] = [:]
        var prefixes = AffixFile()
        var suffixes = AffixFile()
        /// The patterns filed under any scalar at this path.
        var present: [Int] = []
    }

    public init() {}

    /// How many patterns are in the index, removed ones excluded.
    public var count: Int { slotOfNumber.count }

    /// Adds a pattern, or replaces the one with the same number.
    ///
    /// - Complexity: O(pattern).
    public mutating func put(_ pattern: EventPattern, as number: Int32) {
        remove(number)
        let slot = freeSlots.popLast() ?? slots.count
        if slot == slots.count { slots.append(nil) }
        slotOfNumber[number] = slot
        file(pattern, as: number, in: slot)
    }

    /// Removes a pattern; does nothing when there is none with that number.
    ///
    /// - Complexity: O(pattern + patterns filed under the same values), and once in a while O(all patterns).
    public mutating func remove(_ number: Int32) {
        guard let slot = slotOfNumber.removeValue(forKey: number), let former = slots[slot] else { return }
        for (node, key) in former.files { nodes[node].removeSlot(slot, from: key) }
        if former.files.isEmpty { unfiled.removeAll { $0 == slot } }
        slots[slot] = nil
        freeSlots.append(slot)
        removals += 1
        // Once empty nodes may outnumber the others, the index is built anew without them.
        if removals > 64 + count { refile() }
    }

    /// Replaces `found` with the numbers of the patterns that an event matches, ascending.
    ///
    /// - Complexity: O(event), plus the cost of `EventPattern.matches` for each pattern filed under something that the
    ///   event has.
    public func matches(_ event: EventValue, into found: inout [Int32]) {
        found.removeAll(keepingCapacity: true)
        guard !slotOfNumber.isEmpty else { return }
        var walk = Walk(words: (slots.count + 63) / 64)
        for slot in unfiled { walk.addCandidate(slot) }
        nodes.withUnsafeBufferPointer { Self.visit(event, at: 0, of: $0, &walk) }
        for slot in walk.candidates {
            guard let candidate = slots[slot], candidate.pattern.matches(event) else { continue }
            found.append(candidate.number)
        }
        found.sort()
    }

    // MARK: Walking

    /// The patterns found on a walk through an event, each once.
    fileprivate struct Walk {
        private var seen: [UInt64]
        private(set) var candidates: [Int] = []

        init(words: Int) { seen = Array(repeating: 0, count: words) }

        mutating func addCandidate(_ slot: Int) {
            guard seen[slot >> 6] & 1 << UInt64(slot & 63) == 0 else { return }
            seen[slot >> 6] |= 1 << UInt64(slot & 63)
            candidates.append(slot)
        }

        mutating func addCandidates(_ slots: [Int]?) {
            guard let slots else { return }
            for slot in slots { addCandidate(slot) }
        }
    }

    /// Takes the nodes as a buffer, so that a look at one copies nothing.
    private static func visit(
        _ value: EventValue, at node: Int, of nodes: UnsafeBufferPointer<Node>, _ walk: inout Walk
    ) {
        switch value {
        case .array(let elements):
            for element in elements { visit(element, at: node, of: nodes, &walk) }
        case .object(let members):
            guard !nodes[node].children.isEmpty else { return }
            for index in members.indices {
                guard let child = nodes[node].children[members[index].key] else { continue }
                visit(members[index].value, at: child, of: nodes, &walk)
            }
        case .scalar(let scalar): nodes[node].visit(scalar, &walk)
        }
    }

    // MARK: Filing

    private mutating func file(_ pattern: EventPattern, as number: Int32, in slot: Int) {
        let cover = pattern.root.cover(at: []) { path, key in load(at: path, key) }
        var files: [(node: Int, key: CoverKey)] = []
        for place in cover?.places ?? [] {
            let node = makeNode(at: place.path)
            nodes[node].file(slot, under: place.key)
            files.append((node, place.key))
        }
        if files.isEmpty { unfiled.append(slot) }
        slots[slot] = Slot(number: number, pattern: pattern, files: files)
    }

    private mutating func refile() {
        let patterns = slots.enumerated().compactMap { slot, content in content.map { (slot, $0) } }
        nodes = [Node()]
        unfiled = []
        removals = 0
        for (slot, content) in patterns { file(content.pattern, as: content.number, in: slot) }
    }

    private mutating func makeNode(at path: [ExactText]) -> Int {
        path.reduce(0) { node, key in
            if let child = nodes[node].children[key] { return child }
            nodes.append(Node())
            nodes[node].children[key] = nodes.count - 1
            return nodes.count - 1
        }
    }

    /// Returns how many patterns are filed under a key at a path.
    private func load(at path: [ExactText], _ key: CoverKey) -> Int {
        var node = 0
        for key in path {
            guard let child = nodes[node].children[key] else { return 0 }
            node = child
        }
        return nodes[node].slots(under: key).count
    }
}

extension PatternIndex.Node {
    fileprivate func visit(_ scalar: EventScalar, _ walk: inout PatternIndex.Walk) {
        if !exact.isEmpty { walk.addCandidates(exact[scalar]) }
        if !present.isEmpty { walk.addCandidates(present) }
        guard case .text(let text) = scalar else { return }
        if !folded.isEmpty { walk.addCandidates(folded[text.folded]) }
        guard !prefixes.isEmpty || !suffixes.isEmpty else { return }
        text.withBytes { bytes in
            prefixes.forEachLength(upTo: bytes.count) { walk.addCandidates(prefixes[Array(bytes.prefix($0))]) }
            suffixes.forEachLength(upTo: bytes.count) { walk.addCandidates(suffixes[Array(bytes.suffix($0))]) }
        }
    }

    fileprivate func slots(under key: CoverKey) -> [Int] {
        switch key {
        case .exact(let scalar): exact[scalar] ?? []
        case .folded(let text): folded[text] ?? []
        case .prefix(let prefix): prefixes[prefix]
        case .suffix(let suffix): suffixes[suffix]
        case .present: present
        }
    }

    fileprivate mutating func file(_ slot: Int, under key: CoverKey) {
        switch key {
        case .exact(let scalar): exact[scalar, default: []].append(slot)
        case .folded(let text): folded[text, default: []].append(slot)
        case .prefix(let prefix): prefixes.file(slot, under: prefix)
        case .suffix(let suffix): suffixes.file(slot, under: suffix)
        case .present: present.append(slot)
        }
    }

    fileprivate mutating func removeSlot(_ slot: Int, from key: CoverKey) {
        switch key {
        case .exact(let scalar): exact.removeSlot(slot, from: scalar)
        case .folded(let text): folded.removeSlot(slot, from: text)
        case .prefix(let prefix): prefixes.removeSlot(slot, from: prefix)
        case .suffix(let suffix): suffixes.removeSlot(slot, from: suffix)
        case .present: present.removeAll { $0 == slot }
        }
    }
}

/// Patterns by the bytes that a text must begin with, or end with.
private struct AffixFile: Sendable {
    private var slots: [[UInt8]: [Int]] = [:]
    /// By length: how many affixes have it.
    private var lengths: [Int] = []

    var isEmpty: Bool { slots.isEmpty }

    subscript(affix: [UInt8]) -> [Int] { slots[affix] ?? [] }

    /// Calls `body` with every length that some affix has, up to `longest`.
    func forEachLength(upTo longest: Int, _ body: (Int) -> Void) {
        for length in 0..<min(lengths.count, longest + 1) where lengths[length] > 0 { body(length) }
    }

    mutating func file(_ slot: Int, under affix: [UInt8]) {
        while lengths.count <= affix.count { lengths.append(0) }
        if slots[affix] == nil { lengths[affix.count] += 1 }
        slots[affix, default: []].append(slot)
    }

    mutating func removeSlot(_ slot: Int, from affix: [UInt8]) {
        guard slots[affix] != nil else { return }
        slots.removeSlot(slot, from: affix)
        if slots[affix] == nil { lengths[affix.count] -= 1 }
    }
}

extension Dictionary where Value == [Int] {
    fileprivate mutating func removeSlot(_ slot: Int, from key: Key) {
        self[key]?.removeAll { $0 == slot }
        if self[key]?.isEmpty == true { self[key] = nil }
    }
}
