import MusterMutex

/// An element of news. Its subject decides which measurement replaces which when the reader is slow.
protocol MergeableNews: Sendable {
    /// The subject of the element: for an event of a peer the peer's key, otherwise nil.
    var subject: KeyFingerprint? { get }
    /// Whether a later one of the same subject takes its place.
    var isReplaceable: Bool { get }
}

extension NearbyUpdate: MergeableNews {
    var subject: KeyFingerprint? { nil }
    var isReplaceable: Bool { if case .measured = self { true } else { false } }
}

/// A bounded queue of news for one reader: only the last measurement of each subject waits. When `limit` elements wait,
/// the oldest is dropped.
///
/// The reader is a task that calls `next`, or a function that `follow` takes.
final class NewsQueue<Element: MergeableNews>: Sendable {
    private struct State {
        var waiting: WaitingNews<Element>
        var reader: CheckedContinuation<Element?, Never>?
        var follower: (@Sendable (Element?) -> Void)?
        /// Whether the reader is about to be woken up.
        var isWaking = false
        /// Whether the follower is being called. One call follows the other, so that it gets the elements in order.
        var isCalling = false
        var isFinished = false

        /// Removes and returns the waiting reader, and the element that it receives.
        mutating func takeReader() -> (CheckedContinuation<Element?, Never>?, Element?) {
            defer { reader = nil }
            return (reader, waiting.removeFirst())
        }
    }

    private let state: Mutex<State>
    private let loop: LoopExecutor?

    /// - Parameters:
    ///   - limit: the largest number of elements that wait.
    ///   - loop: what is appended on this event loop wakes the reader up once, after the loop's present task.
    init(limit: Int = 1_024, loop: LoopExecutor? = nil) {
        state = Mutex(State(waiting: WaitingNews(limit: limit)))
        self.loop = loop
    }

    /// Adds an element. A task that waits in `next` gets it; a follower gets it by `callFollower`.
    func append(_ element: Element) {
        let isToWake = state.withLock { state in
            guard !state.isFinished else { return false }
            state.waiting.append(element)
            guard state.reader != nil, !state.isWaking else { return false }
            state.isWaking = true
            return true
        }
        guard isToWake else { return }
        if let loop { loop.performSoon { self.wakeReader() } } else { wakeReader() }
    }

    private func wakeReader() {
        let (reader, element) = state.withLock { state in
            state.isWaking = false
            // The reader may have been cancelled, and another may have taken all.
            return state.reader == nil || state.waiting.isEmpty ? (nil, nil) : state.takeReader()
        }
        reader?.resume(returning: element)
    }

    /// Ends the news, once the reader has read the waiting elements.
    func finish() {
        let (reader, element) = state.withLock { state in
            state.isFinished = true
            return state.reader == nil ? (nil, nil) : state.takeReader()
        }
        reader?.resume(returning: element)
    }

    /// Sets a function as the reader. It receives the waiting elements at once, later ones by `callFollower`, and nil
    /// at the end.
    func follow(_ follower: @escaping @Sendable (Element?) -> Void) {
        state.withLock { state in
            precondition(state.reader == nil && state.follower == nil, "news have one reader")
            state.follower = follower
        }
        callFollower()
    }

    /// Passes the waiting elements to the follower, if there is one. Call it after `append`, once no lock is held that
    /// the follower may need. While another thread calls the follower, that thread passes these elements too.
    func callFollower() {
        var wasCalling = false
        while let (follower, element) = takeForFollower(after: wasCalling) {
            follower(element)
            wasCalling = true
        }
    }

    private func takeForFollower(after wasCalling: Bool) -> (@Sendable (Element?) -> Void, Element?)? {
        state.withLock { state in
            if wasCalling { state.isCalling = false }
            guard let follower = state.follower, !state.isCalling else { return nil }
            let element = state.waiting.removeFirst()
            if element == nil {
                guard state.isFinished else { return nil }
                state.follower = nil
            }
            state.isCalling = true
            return (follower, element)
        }
    }

    /// Returns the next element; nil at the end, and when the reader's task is cancelled.
    func next() async -> Element? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer: Element?? = state.withLock { state in
                    if let element = state.waiting.removeFirst() { return .some(element) }
                    if state.isFinished || Task.isCancelled { return .some(nil) }
                    precondition(state.reader == nil && state.follower == nil, "news have one reader")
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

/// Events in order, for one reader. A slow reader gets only the newest measurement of each peer, and loses the oldest
/// events when too many wait.
public struct News<Element: Sendable>: AsyncSequence, Sendable {
    let read: @Sendable () async -> Element?

    /// Removes one event after the other from the reader's queue.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let read: @Sendable () async -> Element?

        /// Returns the next; nil at the end, and when the task is cancelled.
        public mutating func next() async -> Element? { await read() }
    }

    /// Makes the reader.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(read: read) }
}
