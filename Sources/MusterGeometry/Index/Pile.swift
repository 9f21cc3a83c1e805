/// A flat array for builders that grows and shrinks only at its end: it counts no references, and checks bounds only in
/// debug builds.
struct Pile<Element: BitwiseCopyable>: ~Copyable {
    /// The first element; moves when the pile grows.
    private(set) var base: UnsafeMutablePointer<Element>
    private(set) var count = 0
    private var capacity: Int

    init(capacity: Int = 64) {
        self.capacity = max(1, capacity)
        base = .allocate(capacity: self.capacity)
    }

    deinit { base.deallocate() }

    subscript(index: Int) -> Element {
        @inline(__always) get {
            assert(index >= 0 && index < count, "beyond the pile")
            return base[index]
        }
        @inline(__always) set {
            assert(index >= 0 && index < count, "beyond the pile")
            base[index] = newValue
        }
    }

    /// Adds an element at the end.
    @inline(__always)
    mutating func append(_ element: Element) {
        if count == capacity { grow(to: count + 1) }
        base[count] = element
        count += 1
    }

    /// Adds `more` elements at the end and returns a pointer to the first of them; the caller sets their values.
    @inline(__always)
    mutating func extend(by more: Int) -> UnsafeMutablePointer<Element> {
        if count + more > capacity { grow(to: count + more) }
        defer { count += more }
        return base + count
    }

    /// Adds `more` equal elements at the end.
    @inline(__always)
    mutating func append(repeating element: Element, count more: Int) {
        extend(by: more).update(repeating: element, count: more)
    }

    /// Keeps the first `newCount` elements and drops the others.
    @inline(__always)
    mutating func truncate(to newCount: Int) {
        assert(newCount <= count, "a pile is not cut longer")
        count = newCount
    }

    /// Replaces the contents with `newCount` equal elements.
    @inline(__always)
    mutating func reset(to element: Element, count newCount: Int) {
        count = 0
        append(repeating: element, count: newCount)
    }

    /// Returns the elements; the caller must deallocate them.
    consuming func release() -> UnsafeBufferPointer<Element> {
        let elements = UnsafeBufferPointer(start: base, count: count)
        // Embedded Swift cannot discard a generic value, so the pile gets other memory to deallocate.
        base = .allocate(capacity: 1)
        return elements
    }

    @inline(never)
    private mutating func grow(to least: Int) {
        capacity = max(least, capacity * 2)
        let larger = UnsafeMutablePointer<Element>.allocate(capacity: capacity)
        larger.update(from: base, count: count)
        base.deallocate()
        base = larger
    }
}

extension Pile<UInt32> {
    /// Orders the elements, ascending.
    mutating func sort() {
        var elements = UnsafeMutableBufferPointer(start: base, count: count)
        elements.sort()
    }
}
