#if canImport(Security) || MUSTER_URLSESSION
    import Foundation
    #if canImport(FoundationNetworking)
        import FoundationNetworking
    #endif
    public import MusterReplication
    import MusterMutex

    /// The transport of an Apple device: URLSession. With a background session, the system continues to send while the
    /// app is suspended.
    ///
    /// ```
    /// var options = Muster.Options()
    /// options.connections = HTTPConnections(URLSessionTransport(backgroundSession: "org.example.app.muster"))
    /// let muster = try await Muster.open("https://muster.example", options: options)
    /// ```
    public final class URLSessionTransport: HTTPTransport {
        private let session: URLSession
        private let exchanges: URLSessionExchanges
        private let isInBackground: Bool

        /// A transport whose requests end with the app's time in the foreground.
        public convenience init() {
            self.init(.ephemeral, isInBackground: false)
        }

        #if !canImport(FoundationNetworking)
            /// A transport whose requests continue while the app is suspended. Make only one per identifier at a time.
            ///
            /// - Parameter backgroundSession: the identifier of the background session, the same at every start.
            public convenience init(backgroundSession identifier: String) {
                self.init(.background(withIdentifier: identifier), isInBackground: true)
            }
        #endif

        private init(_ configuration: URLSessionConfiguration, isInBackground: Bool) {
            // Each request carries its own credentials, and the replication knows which documents are new.
            configuration.httpCookieStorage = nil
            configuration.httpShouldSetCookies = false
            configuration.urlCache = nil
            configuration.urlCredentialStorage = nil
            configuration.timeoutIntervalForRequest = 60
            exchanges = URLSessionExchanges()
            self.isInBackground = isInBackground
            session = URLSession(configuration: configuration, delegate: exchanges, delegateQueue: nil)
        }

        /// Sends a request, and returns the response once its head has arrived. A streamed body, and every body of a
        /// background session, is written to a file first.
        ///
        /// - Throws: `ReplicationError.unreachable`; `.unsupported` when the body cannot be written to this device's
        ///   disk; `CancellationError`.
        public func send(_ request: HTTPTransportRequest) async throws -> HTTPTransportResponse {
            guard let url = URL(string: request.url) else {
                throw ReplicationError.unreachable("the address is not a URL")
            }
            var sent = URLRequest(url: url)
            sent.httpMethod = request.method
            for field in request.headers { sent.addValue(field.value, forHTTPHeaderField: field.name) }
            let task: URLSessionTask
            var file: URL?
            switch request.body {
            case nil: task = isInBackground ? session.downloadTask(with: sent) : session.dataTask(with: sent)
            case .bytes(let bytes) where !isInBackground:
                sent.httpBody = Data(bytes)
                task = session.dataTask(with: sent)
            case .bytes(let bytes):
                let written = try await Self.write(
                    AsyncThrowingStream {
                        $0.yield(bytes); $0.finish()
                    })
                task = session.uploadTask(with: sent, fromFile: written)
                file = written
            case .stream(let pieces, _):
                let written = try await Self.write(pieces)
                task = session.uploadTask(with: sent, fromFile: written)
                file = written
            }
            let exchange = URLSessionExchange(task, file: file, deadlineSeconds: request.deadlineSeconds)
            exchanges.add(exchange)
            return try await exchange.response()
        }

        /// Ends all requests.
        public func close() async { session.invalidateAndCancel() }

        /// Writes a body into a new file, which its exchange deletes.
        private static func write(_ pieces: AsyncThrowingStream<[UInt8], any Error>) async throws -> URL {
            let url = FileManager.default.temporaryDirectory.appending(path: "muster-\(UUID().uuidString)")
            guard FileManager.default.createFile(atPath: url.path, contents: nil) else {
                throw ReplicationError.unsupported("the request cannot be written to this device's disk")
            }
            do {
                let file = try FileHandle(forWritingTo: url)
                defer { try? file.close() }
                for try await piece in pieces { try file.write(contentsOf: Data(piece)) }
                try Task.checkCancellation()
                return url
            } catch {
                try? FileManager.default.removeItem(at: url)
                throw error
            }
        }
    }

    /// Passes the callbacks of URLSession to the exchanges of their tasks.
    private final class URLSessionExchanges: NSObject, URLSessionDataDelegate, URLSessionDownloadDelegate {
        private let exchanges = Mutex<[Int: URLSessionExchange]>([:])

        func add(_ exchange: URLSessionExchange) {
            exchanges.withLock { $0[exchange.task.taskIdentifier] = exchange }
            exchange.task.resume()
        }

        private func exchange(of task: URLSessionTask) -> URLSessionExchange? {
            exchanges.withLock { $0[task.taskIdentifier] }
        }

        func urlSession(
            _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
            newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
        ) { completionHandler(nil) }

        func urlSession(
            _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
            completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
        ) {
            exchange(of: dataTask)?.begin(response)
            completionHandler(.allow)
        }

        func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
            exchange(of: dataTask)?.receive(data, dataTask.response)
        }

        func urlSession(
            _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
        ) {
            // URLSession deletes the file when this function returns.
            guard let data = try? Data(contentsOf: location, options: .alwaysMapped) else { return }
            exchange(of: downloadTask)?.receive(data, downloadTask.response)
        }

        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
            exchanges.withLock { $0.removeValue(forKey: task.taskIdentifier) }?.end(error, task.response)
        }
    }
#endif
