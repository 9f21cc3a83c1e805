/// The people of a roster in order: whom a leader must see first, and those alike by name.
///
/// - Complexity: a change of one person of n takes O(log n) comparisons and moves at most n keys.
struct RosterOrder: Sendable {
    /// By what a person is sorted.
    struct Key: Comparable, Hashable, Sendable {
        var state: ShownState
        /// The name for comparison, in lower case.
        var name: String
        var user: String

        init(_ person: Person, _ state: ShownState) {
            self.state = state
            name = person.called.lowercased()
            user = person.user
        }

        static func < (left: Key, right: Key) -> Bool {
            if left.state != right.state { return left.state < right.state }
            return left.name == right.name ? left.user < right.user : left.name < right.name
        }
    }

    /// The keys in order.
    private(set) var keys: [Key] = []
    private var known: [String: Key] = [:]

    /// An order of nobody.
    init() {}

    /// An order of people, each as shown.
    init(_ people: some Sequence<Key>) {
        keys = people.sorted()
        known = Dictionary(uniqueKeysWithValues: keys.map { ($0.user, $0) })
    }

    /// Puts a person where they belong now.
    mutating func put(_ key: Key) {
        if known[key.user] == key { return }
        remove(key.user)
        known[key.user] = key
        keys.insert(key, at: place(of: key))
    }

    /// Removes a person.
    mutating func remove(_ user: String) {
        guard let former = known.removeValue(forKey: user) else { return }
        let place = place(of: former)
        if place < keys.count, keys[place] == former { keys.remove(at: place) }
    }

    /// The number of people in each state.
    var counts: [ShownState: Int] {
        var counts: [ShownState: Int] = [:]
        for state in ShownState.allCases {
            let count = end(of: state) - (ShownState.allCases.last { $0 < state }.map { end(of: $0) } ?? 0)
            if count > 0 { counts[state] = count }
        }
        return counts
    }

    /// The place after the last person whose state is this one or comes before it.
    private func end(of state: ShownState) -> Int { partition { $0.state <= state } }

    private func place(of key: Key) -> Int { partition { $0 < key } }

    private func partition(_ isBefore: (Key) -> Bool) -> Int {
        var (low, high) = (0, keys.count)
        while low < high {
            let middle = (low + high) / 2
            if isBefore(keys[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
