import Synchronization

/// An element of news. Its subject decides which measurement replaces which when the reader is slow.
protocol MergeableNews: Sendable {
    /// What the element is about; for an event of a peer, the peer.
    var subject: String { get }
    /// Whether a later one of the same subject takes its place.
    var isReplaceable: Bool { get }
}

extension NearbyUpdate: MergeableNews {
    var subject: String { "" }
    var isReplaceable: Bool { if case .measured = self { true } else { false } }
}

/// A bounded queue of news for one reader: only the last measurement of each subject waits. When `limit` elements wait,
/// the oldest is dropped.
final class NewsQueue<Element: MergeableNews>: Sendable {
    private struct State {
        var waiting: [Element] = []
        var reader: CheckedContinuation<Element?, Never>?
        var isFinished = false
    }

    private let state = Mutex(State())
    private let limit: Int

    init(limit: Int = 1_024) { self.limit = limit }

    func append(_ element: Element) {
        let reader: CheckedContinuation<Element?, Never>? = state.withLock { state in
            guard !state.isFinished else { return nil }
            if let reader = state.reader {
                state.reader = nil
                return reader
            }
            let last = state.waiting.lastIndex { $0.subject == element.subject }
            if let last, element.isReplaceable, state.waiting[last].isReplaceable {
                state.waiting[last] = element
            } else {
                if state.waiting.count >= limit { state.waiting.removeFirst() }
                state.waiting.append(element)
            }
            return nil
        }
        reader?.resume(returning: element)
    }

    /// Ends the news, once the reader has read the waiting elements.
    func finish() {
        let reader = state.withLock { state in
            state.isFinished = true
            defer { state.reader = nil }
            return state.reader
        }
        reader?.resume(returning: nil)
    }

    /// Returns the next element; nil at the end, and when the reader's task is cancelled.
    func next() async -> Element? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer: Element?? = state.withLock { state in
                    if !state.waiting.isEmpty { return .some(state.waiting.removeFirst()) }
                    if state.isFinished || Task.isCancelled { return .some(nil) }
                    precondition(state.reader == nil, "news have one reader")
                    state.reader = continuation
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            let reader = state.withLock { state in
                defer { state.reader = nil }
                return state.reader
            }
            reader?.resume(returning: nil)
        }
    }
}

/// What happened, in order, for one reader. A slow reader gets the newest measurement of each peer, and every other
/// event.
public struct News<Element: Sendable>: AsyncSequence, Sendable {
    let read: @Sendable () async -> Element?

    /// Takes one event after the other from the reader's queue.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let read: @Sendable () async -> Element?

        /// Returns the next; nil at the end, and when the task is cancelled.
        public mutating func next() async -> Element? { await read() }
    }

    /// Makes the reader.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(read: read) }
}
