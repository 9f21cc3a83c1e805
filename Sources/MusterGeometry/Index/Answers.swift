/// Answers in room that is used again and again: emptying it costs a store, and an answer is written where it is read.
///
/// An array costs more to empty and to append to than a question costs to answer.
@frozen
public struct Answers<Element: BitwiseCopyable & Sendable>: Sendable {
    /// At least as many as there are answers; those beyond them are of no meaning.
    @usableFromInline var slots: [Element] = []
    @usableFromInline var written = 0
    @usableFromInline let filler: Element

    /// How many answers there are.
    @inlinable public var count: Int { written }

    /// No answers yet.
    ///
    /// - Parameter filler: what stands where no answer was written yet.
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

    /// Adds what is written to free room.
    ///
    /// - Parameters:
    ///   - room: how many elements may be written at most, also beyond those that count.
    ///   - write: writes from the pointer on, and returns how many count.
    @inline(__always)
    mutating func extend(room: Int, _ write: (UnsafeMutablePointer<Element>) -> Int) {
        if slots.count &- written < room { grow(by: room) }
        let start = written
        written = slots.withUnsafeMutableBufferPointer { slots in
            guard let base = slots.baseAddress else { return start }
            return start &+ write(base + start)
        }
    }

    /// Lets the answers from one on be changed in place.
    ///
    /// - Parameter body: returns how many of them it leaves, the first.
    @inline(__always)
    mutating func change(from start: Int, _ body: (UnsafeMutableBufferPointer<Element>) -> Int) {
        let end = written
        written = slots.withUnsafeMutableBufferPointer { slots in
            start &+ body(UnsafeMutableBufferPointer(rebasing: slots[start..<end]))
        }
    }

    /// Lets an array of the answers be changed, without a copy.
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
    /// No regions yet.
    @inlinable public init() { self.init(filler: 0) }
}

extension Answers<NearbyRegion> {
    /// No regions yet.
    @inlinable public init() { self.init(filler: NearbyRegion(id: 0, signedDistanceMetres: 0)) }
}
