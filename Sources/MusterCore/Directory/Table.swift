import HashTreeCollections

/// An element of a `Table`: it has a number, and perhaps a unique name.
public protocol Entity: Sendable {
    /// The number under which a `Table` holds it.
    var number: Number<Self> { get }
    /// The name that a table finds the entity by; nil for entities whose names are not unique across the table.
    var uniqueName: String? { get }
}

/// Entities of one kind, in number order. Look-ups by number and by unique name take O(log n), and so does a change,
/// also while a copy of the table is in use: copies share what they have in common.
public struct Table<Element: Entity>: Sendable {
    private var slots = SharedArray<Element?>()
    private var numbers: TreeDictionary<String, Number<Element>> = [:]
    /// The number of entities.
    public private(set) var count = 0

    init() {}

    /// The entity with that number; nil when there is none or it was removed.
    public subscript(number: Number<Element>) -> Element? {
        let slot = Int(number.rawValue)
        return slots.indices.contains(slot) ? slots[slot] : nil
    }

    /// The entity with that name; always nil for entities whose names are not unique across the table.
    public subscript(name: String) -> Element? { numbers[name].flatMap { self[$0] } }

    /// All entities in number order.
    public var all: some Sequence<Element> { slots.lazy.compactMap { $0 } }

    mutating func put(_ element: Element) {
        let slot = Int(element.number.rawValue)
        slots.extend(to: slot + 1, with: nil)
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
    /// The user's name.
    public var uniqueName: String? { name }
}

extension StoredDatabase: Entity {
    /// The database's name.
    public var uniqueName: String? { name }
}

extension Team: Entity {
    /// The team's name.
    public var uniqueName: String? { name }
}

extension Device: Entity {
    /// Nil, because a device's name is unique only within its user.
    public var uniqueName: String? { nil }
}

extension Tracker: Entity {
    /// The tracker's name.
    public var uniqueName: String? { name }
}

extension RegionCollection: Entity {
    /// The collection's name.
    public var uniqueName: String? { name }
}

extension Region: Entity {
    /// Nil, because a region's id is unique only within its collection.
    public var uniqueName: String? { nil }
}
