/// What a table holds: it has a number, and a name that may be unique.
public protocol Entity: Sendable {
    /// Its number.
    var number: Number<Self> { get }
    /// The name to find it by; nil where names are not unique across the table.
    var uniqueName: String? { get }
}

/// Entities by number and by unique name, in number order. Both look-ups are O(1).
public struct Table<Element: Entity>: Sendable {
    private var slots: [Element?] = []
    private var numbers: [String: Number<Element>] = [:]
    /// How many there are.
    public private(set) var count = 0

    init() {}

    /// The entity with that number; nil when there is none (any more).
    public subscript(number: Number<Element>) -> Element? {
        let slot = Int(number.rawValue)
        return slots.indices.contains(slot) ? slots[slot] : nil
    }

    /// The entity with that name; always nil where names are not unique across the table.
    public subscript(name: String) -> Element? { numbers[name].flatMap { self[$0] } }

    /// All of them in number order.
    public var all: some Sequence<Element> { slots.lazy.compactMap { $0 } }

    mutating func reserve(_ count: Int) {
        slots.reserveCapacity(count)
        numbers.reserveCapacity(count)
    }

    mutating func put(_ element: Element) {
        let slot = Int(element.number.rawValue)
        while slots.count <= slot { slots.append(nil) }
        if let old = slots[slot] {
            if let name = old.uniqueName { numbers[name] = nil }
        } else {
            count += 1
        }
        slots[slot] = element
        if let name = element.uniqueName { numbers[name] = element.number }
    }

    mutating func remove(_ number: Number<Element>) {
        guard let old = self[number] else { return }
        if let name = old.uniqueName { numbers[name] = nil }
        slots[Int(number.rawValue)] = nil
        count -= 1
    }
}

extension User: Entity {
    /// The name to find it by, where it is unique.
    public var uniqueName: String? { name }
}

extension StoredDatabase: Entity {
    /// The name to find it by, where it is unique.
    public var uniqueName: String? { name }
}

extension Team: Entity {
    /// The name to find it by, where it is unique.
    public var uniqueName: String? { name }
}

extension Device: Entity {
    /// The name to find it by, where it is unique.
    public var uniqueName: String? { nil }
}

extension Tracker: Entity {
    /// The name to find it by, where it is unique.
    public var uniqueName: String? { name }
}

extension RegionCollection: Entity {
    /// The name to find it by, where it is unique.
    public var uniqueName: String? { name }
}

extension Region: Entity {
    /// The name to find it by, where it is unique.
    public var uniqueName: String? { nil }
}
