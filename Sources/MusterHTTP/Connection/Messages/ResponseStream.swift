import HTTPTypes
import Hummingbird
import NIOCore

/// Carries a response from the task that makes it to the event loop of its connection.
struct ResponseStream: ResponseBodyWriter, Sendable {
    /// A part of a response. The task hands them over in this order: head, pieces of the body, end with its trailers.
    enum Part: Sendable {
        case head(ResponseHead)
        case body(ByteBuffer)
        case end(HTTPFields?)
    }

    private let connection: NIOLoopBound<ConnectionHandler>
    private let eventLoop: any EventLoop
    /// The number of the request within the connection.
    private let number: UInt32
    private let question: ResponseHead.Question
    /// Parts that are handed over with the next ones.
    private var held: [Part] = []
    /// The length of the body in bytes; nil when it is not known in advance.
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

    /// Sends a whole response. A streamed body is written by a task of its own, which does not hold the memory that
    /// answering needed.
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
        // A body in one piece goes out together with its end.
        if isAlone, buffer.readableBytes == length { return }
        try await flush()
    }

    consuming func finish(_ trailers: HTTPFields?) async throws {
        handOver(held + [.end(trailers)])
    }

    /// Hands over the held parts, and waits while the client reads too slowly.
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

    /// Closes the connection, so that the client does not take a partial response for the whole.
    private func breakOff() {
        eventLoop.execute { [connection, number] in connection.value.breakOff(number) }
    }
}
