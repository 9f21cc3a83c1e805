import MusterWire
import Synchronization

/// A selector that is read ends within its steps, and answers the same when it is read again.
///
/// The first line is the body of a request to `_find`, the rest the document that it is asked of.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
    let bytes = UnsafeRawBufferPointer(start: data, count: size)
    let end = bytes.firstIndex(of: UInt8(ascii: "\n")) ?? size
    guard let value = try? JSONValue(parsing: UnsafeRawBufferPointer(rebasing: bytes[..<end])) else { return 0 }
    _ = try? IndexDefinition(value)
    guard let request = try? FindRequest(value) else { return 0 }
    let rest = UnsafeRawBufferPointer(rebasing: bytes[min(end + 1, size)...])
    let document = (try? JSONValue(parsing: rest)) ?? .object([])
    let first = matches(request.selector, document)
    guard let again = try? JSONValue(parsing: value.bytes), let same = try? FindRequest(again) else {
        fatalError("not read again")
    }
    precondition(same.selector == request.selector)
    precondition(matches(same.selector, document) == first)
    _ = request.projection.of(document)
    return 0
}

/// Whether a document fulfils a selector; nil if that would take too many steps.
private func matches(_ selector: Selector, _ document: JSONValue) -> Bool? {
    let steps = Steps()
    let isFulfilled = BoundedWork.$bound.withValue(steps) { selector.matches(document) }
    return steps.areSpent ? nil : isFulfilled
}

/// A bound of one million steps.
private final class Steps: WorkBound {
    private struct Spent: Error {}
    private let left = Mutex(1_000_000)

    var areSpent: Bool { left.withLock { $0 < 0 } }

    func spendSteps(_ count: Int) -> Bool {
        left.withLock { left in
            left -= count
            return left >= 0
        }
    }

    func check() throws { if areSpent { throw Spent() } }
}
