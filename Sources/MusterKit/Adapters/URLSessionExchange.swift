#if canImport(Security) || MUSTER_URLSESSION
    import Foundation
    #if canImport(FoundationNetworking)
        import FoundationNetworking
    #endif
    import MusterReplication
    import MusterMutex

    /// One request of a `URLSessionTransport` and its response. The task pauses while the reader is slow.
    final class URLSessionExchange: Sendable {
        let task: URLSessionTask
        private let state: Mutex<State>

        private struct State {
            /// The head of the response, once it has come.
            var head: HTTPURLResponse?
            var pieces: [Data] = []
            var waitingBytes = 0
            var isPaused = false
            /// How the exchange ended; nil while it is in progress.
            var ending: Result<Void, any Error>?
            /// The reader that waits for the head or for a piece.
            var waiter: CheckedContinuation<Void, Never>?
            /// The file of the request's body.
            var file: URL?
            var deadline: Task<Void, Never>?
            /// The number of callbacks of URLSession. It detects a callback between a check and a wait.
            var changes = 0
        }

        /// Bytes that wait for the reader before the task pauses. The URLSession of Linux, where the tests of this run,
        /// delivers bytes a second time after a pause: there it never pauses.
        #if canImport(FoundationNetworking)
            private static let waitingLimitBytes = Int.max
        #else
            private static let waitingLimitBytes = 4 << 20
        #endif

        init(_ task: URLSessionTask, file: URL?, deadlineSeconds: Int64?) {
            self.task = task
            state = Mutex(State(file: file))
            guard let deadlineSeconds else { return }
            let deadline = Task { [weak self] in
                guard (try? await Task.sleep(for: .seconds(deadlineSeconds))) != nil else { return }
                self?.end(URLError(.timedOut), nil)
                task.cancel()
            }
            state.withLock { $0.deadline = deadline }
        }

        // MARK: Callbacks of URLSession

        /// Records that the head of the response arrived.
        func begin(_ response: URLResponse?) {
            change { state in
                if state.head == nil { state.head = response as? HTTPURLResponse }
            }
        }

        /// Records that a piece of the body arrived.
        func receive(_ data: Data, _ response: URLResponse?) {
            change { state in
                // A background session reports the head together with the body.
                if state.head == nil { state.head = response as? HTTPURLResponse }
                guard !data.isEmpty, state.ending == nil else { return }
                state.pieces.append(data)
                state.waitingBytes += data.count
                if state.waitingBytes > Self.waitingLimitBytes, !state.isPaused {
                    state.isPaused = true
                    task.suspend()
                }
            }
        }

        /// Records that the response ended, or that there will be none.
        func end(_ error: (any Error)?, _ response: URLResponse?) {
            change { state in
                if state.head == nil { state.head = response as? HTTPURLResponse }
                if state.ending == nil { state.ending = error.map { .failure(Self.fault($0)) } ?? .success(()) }
                if let file = state.file { try? FileManager.default.removeItem(at: file) }
                state.file = nil
                state.deadline?.cancel()
            }
        }

        private func change(_ body: (inout State) -> Void) {
            state.withLock { state -> CheckedContinuation<Void, Never>? in
                body(&state)
                state.changes += 1
                defer { state.waiter = nil }
                return state.waiter
            }?.resume()
        }

        // MARK: Reading the response

        /// Waits for the head of the response, and returns the response.
        ///
        /// - Throws: `ReplicationError.unreachable` when there is no response; `CancellationError`.
        func response() async throws -> HTTPTransportResponse {
            let head = try await wait { state -> HTTPURLResponse? in
                if let head = state.head { return head }
                if let ending = state.ending {
                    try ending.get()
                    throw ReplicationError.unreachable("there is no response")
                }
                return nil
            }
            let reader = Reader(self)
            return HTTPTransportResponse(
                status: head.statusCode,
                headers: head.allHeaderFields.compactMap { name, value in
                    (name as? String).map { HTTPHeaderField($0, "\(value)") }
                },
                nextPiece: { try await reader.exchange.nextPiece() })
        }

        private func nextPiece() async throws -> [UInt8]? {
            try await wait { state -> [UInt8]?? in
                guard !state.pieces.isEmpty else {
                    try state.ending?.get()
                    return state.ending == nil ? nil : .some(nil)
                }
                let piece = state.pieces.removeFirst()
                state.waitingBytes -= piece.count
                if state.isPaused, state.waitingBytes <= Self.waitingLimitBytes {
                    state.isPaused = false
                    task.resume()
                }
                return [UInt8](piece)
            }
        }

        /// Waits until `take` has something to return.
        private func wait<Value: Sendable>(_ take: (inout State) throws -> Value?) async throws -> Value {
            while true {
                try Task.checkCancellation()
                let (value, changes) = try state.withLock { (try take(&$0), $0.changes) }
                if let value { return value }
                await withTaskCancellationHandler {
                    await withCheckedContinuation { continuation in
                        // The value may have come between the check and the wait.
                        let hasChanged = state.withLock { state in
                            if state.changes == changes { state.waiter = continuation }
                            return state.changes != changes
                        }
                        if hasChanged { continuation.resume() }
                    }
                } onCancel: {
                    task.cancel()
                }
            }
        }

        /// Ends the task of a response that nobody reads to its end.
        private final class Reader: Sendable {
            let exchange: URLSessionExchange

            init(_ exchange: URLSessionExchange) { self.exchange = exchange }

            deinit { exchange.task.cancel() }
        }

        /// Converts an error of URLSession into the error to throw, whose text does not contain the address.
        private static func fault(_ error: any Error) -> any Error {
            if let error = error as? URLError, error.code == .cancelled { return CancellationError() }
            return ReplicationError.unreachable(error.localizedDescription)
        }
    }
#endif
