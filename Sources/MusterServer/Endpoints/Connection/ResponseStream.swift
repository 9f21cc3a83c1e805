import HTTPTypes
import Hummingbird
import NIOCore

/// The way of one response from the task that makes it to the event loop of its connection.
struct ResponseStream: ResponseBodyWriter, Sendable {
    /// What is handed over.
    enum Part: Sendable {
        case head(ResponseHead)
        case body(ByteBuffer)
        case end(HTTPFields?)
    }

    private let connection: NIOLoopBound<ConnectionHandler>
    private let eventLoop: any EventLoop
    /// Which request of the connection is answered.
    private let number: UInt32
    private let question: ResponseHead.Question
    /// What is handed over with what comes next.
    private var held: [Part] = []
    /// Bytes of the body; nil when they are not known before.
    private var length: Int?

    init(
        over connection: ConnectionHandler, on eventLoop: any EventLoop, _ number: UInt32,
        _ question: ResponseHead.Question
    ) {
        self.connection = NIOLoopBound(connection, eventLoop: eventLoop)
        self.eventLoop = eventLoop
        self.number = number
        self.question = question
    }

    /// Sends a whole response. A body that is written as it comes is written by a task of its own, which has nothing of
    /// what it took to answer.
    func send(_ response: consuming Response) async {
        var stream = self
        stream.length = response.body.contentLength
        stream.held = [.head(ResponseHead(response.head, to: question))]
        if stream.length != nil { return await stream.write(response.body) }
        Task { [stream, body = response.body] in
            var stream = stream
            do {
                try await stream.flush()
                await stream.write(body)
            } catch {
                stream.breakOff()
            }
        }
    }

    private func write(_ body: consuming ResponseBody) async {
        do {
            try await body.write(self)
        } catch {
            breakOff()
        }
    }

    mutating func write(_ buffer: ByteBuffer) async throws {
        let isAlone = held.count == 1
        held.append(.body(buffer))
        // A body that is whole goes out with its end.
        if isAlone, buffer.readableBytes == length { return }
        try await flush()
    }

    consuming func finish(_ trailers: HTTPFields?) async throws {
        handOver(held + [.end(trailers)])
    }

    /// Hands over what is held, and waits while the reader is behind.
    private mutating func flush() async throws {
        let parts = held
        held = []
        let promise = eventLoop.makePromise(of: Void.self)
        handOver(parts, promise)
        try await promise.futureResult.get()
    }

    private func handOver(_ parts: [Part], _ promise: EventLoopPromise<Void>? = nil) {
        eventLoop.execute { [connection, number] in connection.value.send(parts, of: number, promise) }
    }

    /// Ends the connection, so that nobody takes what was sent for the whole.
    private func breakOff() {
        eventLoop.execute { [connection, number] in connection.value.breakOff(number) }
    }
}
