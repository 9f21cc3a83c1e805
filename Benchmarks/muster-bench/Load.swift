import MusterCore
import NIOCore
import NIOPosix
import Synchronization

/// Load from a fixed number of connections, each of which sends a request, waits for its answer and sends the next.
///
/// The requests are whole HTTP/1.1 messages, made beforehand, so that the generator costs the machine little.
struct Load {
    let host: String
    let port: Int
    let group: any EventLoopGroup

    /// The results of a run.
    struct Outcome: Sendable {
        var requests = 0
        var seconds = 0.0
        /// Milliseconds from sending to the whole answer, sorted.
        var latencies: [Double] = []
        /// Answers by status, those of 200 to 299 left out.
        var failures: [Int: Int] = [:]

        var requestsPerSecond: Double { seconds > 0 ? Double(requests) / seconds : 0 }

        /// The latency that a share of the requests stays below, in milliseconds.
        func latency(_ share: Double) -> Double {
            latencies.isEmpty ? 0 : latencies[min(latencies.count - 1, Int(Double(latencies.count) * share))]
        }
    }

    /// Sends what each connection has to send, as fast as the answers come, or at a rate.
    ///
    /// - Parameters:
    ///   - requests: for each connection, its requests in order.
    ///   - perSecond: the rate of all connections together; nil for as fast as it goes.
    ///   - sending: called right before a request is sent, with the indexes of its connection and of the request there.
    func run(
        _ requests: [[ByteBuffer]], perSecond: Double? = nil,
        sending: @escaping @Sendable (_ connection: Int, _ request: Int) -> Void = { _, _ in }
    ) async throws -> Outcome {
        let start = ContinuousClock.now
        var outcome = Outcome()
        let pause = perSecond.map { Duration.seconds(Double(requests.count) / $0) }
        try await withThrowingTaskGroup(of: Outcome.self) { tasks in
            for (connection, list) in requests.enumerated() where !list.isEmpty {
                tasks.addTask {
                    // A paced connection starts with an offset, so that the connections do not all send at the same
                    // time.
                    if let pause { try await Task.sleep(for: pause * connection / requests.count) }
                    return try await send(list, pause: pause) { sending(connection, $0) }
                }
            }
            for try await part in tasks {
                outcome.requests += part.requests
                outcome.latencies += part.latencies
                outcome.failures.merge(part.failures, uniquingKeysWith: +)
            }
        }
        outcome.seconds = start.duration(to: .now) / .seconds(1)
        outcome.latencies.sort()
        return outcome
    }

    private func send(
        _ requests: [ByteBuffer], pause: Duration?, sending: @escaping @Sendable (Int) -> Void
    ) async throws -> Outcome {
        let done = group.next().makePromise(of: Outcome.self)
        let handler = ClosedLoop(requests: requests, pause: pause, sending: sending, done: done)
        let channel = try await ClientBootstrap(group: group)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(handler()) }
            }
            .connect(host: host, port: port).get()
        let outcome = try await done.futureResult.get()
        try? await channel.close()
        return outcome
    }
}

/// The server broke the connection, or answered with something that is no HTTP.
struct BrokenConnection: Error {}

/// One connection's loop. Made on its event loop, and used there alone.
private final class ClosedLoopHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let requests: [ByteBuffer]
    private let pause: Duration?
    private let sending: @Sendable (Int) -> Void
    private let done: EventLoopPromise<Load.Outcome>
    private var outcome = Load.Outcome()
    private var received = ByteBuffer()
    private var sentAt = ContinuousClock.now

    init(
        requests: [ByteBuffer], pause: Duration?, sending: @escaping @Sendable (Int) -> Void,
        done: EventLoopPromise<Load.Outcome>
    ) {
        self.requests = requests
        self.pause = pause
        self.sending = sending
        self.done = done
    }

    func channelActive(context: ChannelHandlerContext) { sendNext(context) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        received.writeBuffer(&bytes)
        guard let (status, length) = HTTPAnswer.head(of: received), received.readableBytes >= length else { return }
        received.clear()
        let elapsed = sentAt.duration(to: .now)
        outcome.requests += 1
        outcome.latencies.append(elapsed / .milliseconds(1))
        if !(200..<300).contains(status) { outcome.failures[status, default: 0] += 1 }
        guard let pause, elapsed < pause else { return sendNext(context) }
        let loopBound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        context.eventLoop.scheduleTask(in: TimeAmount(pause - elapsed)) {
            loopBound.value.0.sendNext(loopBound.value.1)
        }
    }

    func channelInactive(context: ChannelHandlerContext) { done.fail(BrokenConnection()) }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        done.fail(error)
        context.close(promise: nil)
    }

    private func sendNext(_ context: ChannelHandlerContext) {
        guard outcome.requests < requests.count else { return done.succeed(outcome) }
        sending(outcome.requests)
        sentAt = .now
        context.writeAndFlush(wrapOutboundOut(requests[outcome.requests]), promise: nil)
    }
}

/// Makes a connection's loop where it will live.
private struct ClosedLoop: Sendable {
    let requests: [ByteBuffer]
    let pause: Duration?
    let sending: @Sendable (Int) -> Void
    let done: EventLoopPromise<Load.Outcome>

    func callAsFunction() -> ClosedLoopHandler {
        ClosedLoopHandler(requests: requests, pause: pause, sending: sending, done: done)
    }
}

/// As much of HTTP/1.1 as a measuring client needs: the status, and where an answer ends that has a Content-Length, or
/// comes in chunks and has no empty line of its own.
enum HTTPAnswer {
    /// The status and the whole length in bytes; nil while the head is not complete.
    static func head(of buffer: ByteBuffer) -> (status: Int, length: Int)? {
        let view = buffer.readableBytesView
        var lineStart = view.startIndex
        var length = 0
        var status = 0
        var isChunked = false
        while let newline = view[lineStart...].firstIndex(of: UInt8(ascii: "\n")) {
            let line = view[lineStart..<newline]
            if line.count <= 1 {
                guard isChunked else { return (status, newline + 1 - view.startIndex + length) }
                return (status, view.suffix(5).elementsEqual("0\r\n\r\n".utf8) ? buffer.readableBytes : .max)
            }
            if lineStart == view.startIndex {
                status = number(in: line.dropFirst(9).prefix(3))
            } else if isHeader("transfer-encoding:", line) {
                isChunked = true
            } else if isHeader("content-length:", line) {
                length = number(in: line.dropFirst(15))
            }
            lineStart = newline + 1
        }
        return nil
    }

    private static func isHeader(_ name: String, _ line: ByteBufferView) -> Bool {
        line.count > name.utf8.count && zip(line, name.utf8).allSatisfy { $0 | 0x20 == $1 | 0x20 }
    }

    private static func number(in digits: ByteBufferView) -> Int {
        digits.reduce(0) { sum, digit in
            (48...57).contains(digit) ? sum * 10 + Int(digit - 48) : sum
        }
    }

    /// A whole request.
    ///
    /// - Parameter address: the client's address as a proxy reports it; nil for none.
    static func request(
        _ method: String, _ path: String, token: String, body: [UInt8], from address: String? = nil
    ) -> ByteBuffer {
        var buffer = ByteBufferAllocator().buffer(capacity: body.count + 200)
        buffer.writeString("\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\n")
        if !token.isEmpty { buffer.writeString("Authorization: Bearer \(token)\r\n") }
        if let address { buffer.writeString("X-Forwarded-For: \(address)\r\n") }
        buffer.writeString("Content-Type: application/json\r\nContent-Length: \(body.count)\r\n\r\n")
        buffer.writeBytes(body)
        return buffer
    }
}
