/// The elements of a `NewsQueue` that wait for its reader, in order.
struct WaitingNews<Element: MergeableNews>: Sendable {
    private let limit: Int
    /// The elements. The removed ones at the front are nil.
    private var elements: [Element?] = []
    private var removed = 0
    /// The number of the first place of `elements`. Every element has a number, one higher than that of the one before.
    private var firstNumber = 0
    /// The number of the last waiting element of each subject.
    private var last: [KeyFingerprint?: Int] = [:]

    init(limit: Int) { self.limit = limit }

    var isEmpty: Bool { removed == elements.count }

    /// Adds an element, in the place of the last one of its subject if both are replaceable. When there are too many,
    /// the oldest is dropped.
    mutating func append(_ element: Element) {
        let subject = element.subject
        if element.isReplaceable, let number = last[subject], elements[number - firstNumber]?.isReplaceable == true {
            elements[number - firstNumber] = element
            return
        }
        if elements.count - removed >= limit { _ = removeFirst() }
        last[subject] = firstNumber + elements.count
        elements.append(element)
    }

    /// Takes the oldest element; nil when none waits. The cost is constant on average.
    mutating func removeFirst() -> Element? {
        guard removed < elements.count, let element = elements[removed] else { return nil }
        let subject = element.subject
        if last[subject] == firstNumber + removed { last[subject] = nil }
        elements[removed] = nil
        removed += 1
        if removed == elements.count || removed >= limit {
            firstNumber += removed
            elements.removeFirst(removed)
            removed = 0
        }
        return element
    }
}
