/// An array in pieces, which its copies share. A change copies the piece that it is in, and the list of 64 pieces
/// around that one, where a copy of the array has them too: so it costs the same in an array of a hundred and of a
/// million.
struct SharedArray<Element: Sendable>: RandomAccessCollection, Sendable {
    /// Lists of 64 pieces of 64 elements; the last of each may be shorter.
    private var lists: [[[Element]]] = []
    private(set) var count = 0

    init() {}

    var startIndex: Int { 0 }
    var endIndex: Int { count }

    subscript(index: Int) -> Element {
        get { lists[index >> 12][(index >> 6) & 63][index & 63] }
        set { lists[index >> 12][(index >> 6) & 63][index & 63] = newValue }
    }

    mutating func append(_ element: Element) {
        if count & 4095 == 0 { lists.append([]) }
        let list = lists.count - 1
        if count & 63 == 0 { lists[list].append([]) }
        lists[list][lists[list].count - 1].append(element)
        count += 1
    }

    /// Appends the element until the array has this many.
    mutating func extend(to length: Int, with element: Element) {
        while count < length { append(element) }
    }
}
