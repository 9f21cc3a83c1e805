import MusterCore
import MusterHTTP
import MusterServer
import MusterWire
import NIOCore

/// One WebSocket that carries GraphQL operations: handles the client's messages in order, and sends the answers.
///
/// The actor runs on the connection's event loop, so the handler calls it directly. Operations are executed elsewhere.
/// One answer is made at a time, once the client takes more: so a client that reads slowly holds one answer in memory,
/// however many subscriptions it has.
actor GraphQLSocket {
    /// The stages of a connection.
    enum Phase { case awaitingBegin, open, closing, closed }

    /// An operation that runs.
    struct Operation {
        /// Distinguishes operations that had the same id, one after the other.
        let number: Int
        /// Counts the operation's reads of the store for its user, and ends them with the operation.
        let work: RequestWork
        /// The feed of a subscription; nil for a query.
        var feed: LogFeed?
    }

    let service: GraphQLService
    let wireProtocol: GraphQLSocketProtocol
    let limits: SocketLimits
    let channel: any Channel
    /// What the client proves itself by, where the request for the WebSocket brought it.
    let credentials: SocketCredentials?
    /// The context of the request for the WebSocket. Its principal is the connection's, once the phase is `open`.
    var context: AppRequestContext
    /// The connection's unit of work.
    let work: RequestWork
    var seat: SocketSeats.Seat?
    private let eventLoop: any EventLoop

    var phase = Phase.awaitingBegin
    var operations: [String: Operation] = [:]
    var nextNumber = 0
    /// The tasks of operations that have not ended. Those of stopped operations may still wait for their turn.
    var taskCount = 0

    private var inbox: [WebSocketMessages.Input] = []
    private var nextIndex = 0
    private var isHandling = false
    private var timer: Scheduled<Void>?
    private var beats: RepeatedTask?
    private var hold: BodyBudget.Hold
    private var answerHold: AnswerBudget.Hold?
    /// Whether an answer is being made or sent, and the operations that wait for their turn.
    private var isTurnTaken = false
    private var turns: [CheckedContinuation<Void, Never>] = []
    private var writableWaiters: [CheckedContinuation<Void, Never>] = []

    nonisolated var unownedExecutor: UnownedSerialExecutor { eventLoop.executor.asUnownedSerialExecutor() }

    init(
        _ service: GraphQLService, _ wireProtocol: GraphQLSocketProtocol, _ limits: SocketLimits,
        _ credentials: SocketCredentials?, _ context: AppRequestContext, _ seat: SocketSeats.Seat,
        on channel: any Channel
    ) {
        self.service = service
        self.wireProtocol = wireProtocol
        self.limits = limits
        self.credentials = credentials
        self.context = context
        self.seat = seat
        self.channel = channel
        eventLoop = channel.eventLoop
        work = RequestWork(from: context.remoteAddress)
        hold = BodyBudget.Hold(from: context.remoteAddress)
    }

    private var connections: OpenConnections { service.parts.connections }

    // MARK: Calls from the handler

    /// Starts the connection. The client must begin within a few seconds.
    func open() {
        let buffers = AdaptiveRecvByteBufferAllocator(minimum: 512, initial: 512, maximum: limits.readBytes)
        try? channel.syncOptions?.setOption(.recvAllocator, value: buffers)
        try? channel.syncOptions?.setOption(.maxMessagesPerRead, value: 1)
        let time = TimeAmount.nanoseconds(Int64(limits.beginSeconds * 1e9))
        timer = eventLoop.scheduleTask(in: time) { [weak self] in
            self?.assumeIsolated { $0.close(.beginsTooLate) }
        }
        if connections.isStopping { close(.goingAway) }
    }

    /// Whether the handler may read more now. If it may not, `ResumeReading` tells it when it may.
    var mayRead: Bool { !isHandling && channel.isWritable }

    func receive(_ input: WebSocketMessages.Input) {
        guard phase == .awaitingBegin || phase == .open else { return }
        inbox.append(input)
        guard !isHandling else { return }
        isHandling = true
        Task { await RequestWork.$current.withValue(work) { await handleAll() } }
    }

    /// Limits and counts the bytes of a message that has not arrived whole.
    func countIncomplete(bytes: Int) {
        guard phase == .awaitingBegin || phase == .open else { return }
        if phase == .awaitingBegin {
            if bytes > limits.strangerBytes { close(.tooBig) }
            return
        }
        guard bytes > limits.freeBytes else { return releaseBodies() }
        guard bytes > hold.bytes else { return }
        do throws(BodyBudget.Refusal) {
            let user = context.principal?.user.rawValue
            try connections.bodies.countBytes(bytes - hold.bytes, for: &hold, of: user)
        } catch {
            close(.tryLater(error.words))
        }
    }

    private func releaseBodies() {
        guard hold.bytes > 0 else { return }
        connections.bodies.release(hold)
        hold = BodyBudget.Hold(from: context.remoteAddress)
    }

    func writabilityChanged() {
        guard channel.isWritable else { return }
        releaseAnswers()
        giveTurn()
        wakeWriters()
        if !isHandling { resumeReading() }
    }

    private func wakeWriters() {
        let waiting = writableWaiters
        writableWaiters = []
        for waiter in waiting { waiter.resume() }
    }

    private func resumeReading() {
        channel.pipeline.fireUserInboundEventTriggered(GraphQLSocketHandler.ResumeReading())
    }

    /// Ends all work of the connection, which is closed.
    func closed() {
        guard phase != .closed else { return }
        endWork()
        phase = .closed
        seat = nil
        releaseBodies()
        releaseAnswers()
    }

    /// Closes the connection with a reason.
    func close(_ closing: SocketClosing) {
        guard phase == .awaitingBegin || phase == .open else { return }
        endWork()
        phase = .closing
        let output = WebSocketMessages.Output.close(code: closing.code, reason: closing.reason)
        channel.writeAndFlush(output, promise: nil)
    }

    private func endWork() {
        timer?.cancel()
        timer = nil
        beats?.cancel()
        beats = nil
        work.abandon()
        for operation in operations.values { end(operation) }
        operations = [:]
        // Each finds that its operation is over.
        let waiting = turns
        turns = []
        for turn in waiting { turn.resume() }
        wakeWriters()
    }

    private func end(_ operation: Operation) {
        operation.work.abandon()
        operation.feed?.close()
    }

    /// Ends an operation without a word.
    func removeOperation(_ id: String) {
        guard let operation = operations.removeValue(forKey: id) else { return }
        end(operation)
    }

    // MARK: Handling messages

    private func handleAll() async {
        while phase == .awaitingBegin || phase == .open, nextIndex < inbox.count {
            // A client that does not read its answers is not served further, so that they do not pile up.
            if !channel.isWritable {
                await withCheckedContinuation { writableWaiters.append($0) }
                continue
            }
            let input = inbox[nextIndex]
            nextIndex += 1
            await handle(input)
        }
        inbox = []
        nextIndex = 0
        isHandling = false
        if phase != .closed { resumeReading() }
    }

    private func handle(_ input: WebSocketMessages.Input) async {
        guard case .text(let buffer) = input else { return close(.invalidMessage("Send messages of text.")) }
        if phase == .awaitingBegin, buffer.readableBytes > limits.strangerBytes { return close(.tooBig) }
        do {
            let message = try await Self.parse(buffer, wireProtocol)
            guard phase == .awaitingBegin || phase == .open else { return }
            await handle(message)
        } catch let fault as GraphQLSocketFault {
            refuse(fault)
        } catch {
            close(.invalidMessage(""))
        }
    }

    /// Parses a message, which may be large, away from the event loop.
    private static func parse(
        _ buffer: ByteBuffer, _ wireProtocol: GraphQLSocketProtocol
    ) async throws -> GraphQLSocketMessage {
        try GraphQLSocketMessage(parsing: Array(buffer.readableBytesView), as: wireProtocol)
    }

    private func refuse(_ fault: GraphQLSocketFault) {
        guard phase == .open, wireProtocol == .realtime else { return close(.invalidMessage(fault.words)) }
        send(.error(id: fault.id, [GraphQLError(.request, fault.words, code: "BadRequestException")]))
        if fault.id == nil { close(.invalidMessage(fault.words)) }
    }

    private func handle(_ message: GraphQLSocketMessage) async {
        switch message {
        case .begin(let payload): await begin(payload)
        case .ping(let payload): send(.pong(payload: payload))
        case .pong: break
        case .start(let id, let start): await self.start(start, id)
        case .stop(let id):
            let isKnown = operations[id] != nil
            removeOperation(id)
            if isKnown, wireProtocol == .realtime { send(.complete(id: id)) }
        case .leave: close(.normal)
        }
    }

    /// Begins to send beats, now that the client has proven who it is.
    func startBeats() {
        timer?.cancel()
        timer = nil
        let period = TimeAmount.nanoseconds(Int64(service.parts.configuration.heartbeatSeconds * 1e9))
        beats = eventLoop.scheduleRepeatedTask(initialDelay: period, delay: period) { [weak self] _ in
            self?.assumeIsolated { $0.beat() }
        }
    }

    private func beat() {
        guard phase == .open, channel.isWritable else { return }
        send(.beat)
        // Each subscription verifies its own proof.
        if operations.isEmpty { Task { await verifyIdle() } }
    }

    // MARK: Sending

    func send(_ answer: GraphQLSocketAnswer) {
        guard phase == .awaitingBegin || phase == .open, let json = answer.json(as: wireProtocol) else { return }
        channel.writeAndFlush(WebSocketMessages.Output.text(ByteBuffer(bytes: json.bytes)), promise: nil)
    }

    /// Whether an operation runs and was not ended.
    private func isRunning(_ id: String, _ number: Int) -> Bool {
        phase == .open && operations[id]?.number == number
    }

    /// Waits until no other operation of the connection makes an answer, and the client takes more.
    ///
    /// - Throws: `CancellationError` when the operation was ended meanwhile; then it does not have the turn.
    func takeTurn(_ id: String, _ number: Int) async throws {
        guard isRunning(id, number) else { throw CancellationError() }
        if !isTurnTaken, turns.isEmpty, channel.isWritable {
            isTurnTaken = true
            return
        }
        await withCheckedContinuation { turns.append($0) }
        guard isRunning(id, number) else {
            passTurn()
            throw CancellationError()
        }
    }

    /// Gives the turn to the next operation that waits.
    func passTurn() {
        isTurnTaken = false
        giveTurn()
    }

    private func giveTurn() {
        guard !isTurnTaken, !turns.isEmpty, channel.isWritable else { return }
        isTurnTaken = true
        turns.removeFirst().resume()
    }

    /// Sends the message of an operation that has the turn, and passes the turn on.
    ///
    /// - Throws: `CancellationError` when the operation was ended meanwhile.
    func write(_ bytes: [UInt8], of id: String, _ number: Int) throws {
        defer { passTurn() }
        guard isRunning(id, number) else { throw CancellationError() }
        guard mayBuffer(bytes.count) else {
            close(.tryLater("Too many answers wait to be read."))
            throw CancellationError()
        }
        channel.writeAndFlush(WebSocketMessages.Output.text(ByteBuffer(bytes: bytes)), promise: nil)
    }

    /// Whether the budget of the connection's user has room for an answer, together with what was not read.
    private func mayBuffer(_ bytes: Int) -> Bool {
        let waiting = bytes + channel.unsentBytes
        guard waiting > 64 << 10 else { return true }
        var hold = answerHold ?? AnswerBudget.Hold(of: work)
        defer { answerHold = hold }
        return connections.answers.setBytes(waiting, of: &hold)
    }

    private func releaseAnswers() {
        guard let held = answerHold else { return }
        answerHold = nil
        connections.answers.release(held)
    }
}
