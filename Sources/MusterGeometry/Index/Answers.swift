/// The answers of a query, in memory that is reused: emptying it costs one store, and the query writes each answer
/// where the caller reads it.
///
/// Emptying an array and appending to it costs more than a query does.
@frozen
public struct Answers<Element: BitwiseCopyable & Sendable>: Sendable {
    /// At least as many elements as there are answers; those beyond the answers have no meaning.
    @usableFromInline var slots: [Element] = []
    @usableFromInline var written = 0
    @usableFromInline let filler: Element

    /// How many answers there are.
    @inlinable public var count: Int { written }

    /// Creates an empty list of answers.
    ///
    /// - Parameter filler: the value of slots to which no answer was written yet.
    @inlinable
    public init(filler: Element) { self.filler = filler }

    /// Forgets the answers and keeps their room.
    @inlinable
    public mutating func clear() { written = 0 }

    /// Adds an answer.
    @inlinable
    public mutating func append(_ answer: Element) {
        if written == slots.count { grow(by: 1) }
        slots[written] = answer
        written &+= 1
    }

    /// Adds the answers that a closure writes to free slots.
    ///
    /// - Parameters:
    ///   - room: the largest number of elements that the closure may write, answers or not.
    ///   - write: writes from the pointer on, and returns the number of answers.
    @inline(__always)
    mutating func extend(room: Int, _ write: (UnsafeMutablePointer<Element>) -> Int) {
        if slots.count &- written < room { grow(by: room) }
        let start = written
        written = slots.withUnsafeMutableBufferPointer { slots in
            guard let base = slots.baseAddress else { return start }
            return start &+ write(base + start)
        }
    }

    /// Changes the answers from an index on in place.
    ///
    /// - Parameter body: changes the answers, and returns how many of them remain, counted from the first.
    @inline(__always)
    mutating func change(from start: Int, _ body: (UnsafeMutableBufferPointer<Element>) -> Int) {
        let end = written
        written = slots.withUnsafeMutableBufferPointer { slots in
            start &+ body(UnsafeMutableBufferPointer(rebasing: slots[start..<end]))
        }
    }

    /// Changes the answers as an array, without a copy.
    @inlinable
    public mutating func withArray(_ body: (inout [Element]) -> Void) {
        slots.removeLast(slots.count - written)
        body(&slots)
        written = slots.count
    }

    @inline(never) @usableFromInline
    mutating func grow(by room: Int) {
        slots += repeatElement(filler, count: Swift.max(room, 64))
    }
}

extension Answers: RandomAccessCollection {
    /// 0.
    @inlinable public var startIndex: Int { 0 }
    /// The number of answers.
    @inlinable public var endIndex: Int { written }

    /// One of the answers.
    @inlinable
    public subscript(index: Int) -> Element {
        precondition(index < written, "no such answer")
        return slots[index]
    }
}

extension Answers<Int32> {
    /// Creates an empty list of regions.
    @inlinable public init() { self.init(filler: 0) }
}

extension Answers<NearbyRegion> {
    /// Creates an empty list of regions.
    @inlinable public init() { self.init(filler: NearbyRegion(id: 0, signedDistanceMetres: 0)) }
}
