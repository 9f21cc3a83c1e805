import MusterWire

/// The flow control of one stream at this device's end: the bytes that may be sent, those that wait, and those that the
/// other end may still send. It does no I/O.
struct RelayFlow {
    private let windowBytes: Int
    /// The bytes that may be sent now.
    private var credit = 0
    private var queue: [UInt8] = []
    /// The bytes that were received and not consumed yet, and those that were consumed and not credited yet.
    private var received = 0
    private var taken = 0
    private(set) var isAccepted = false
    /// Whether the stream ends once the queue is sent.
    private(set) var isClosing = false

    init(windowBytes: Int) { self.windowBytes = windowBytes }

    var waitingBytes: Int { queue.count }
    /// Whether the stream can be closed now, because all queued bytes were sent.
    var isDone: Bool { isClosing && queue.isEmpty }

    /// Records that both ends may send.
    mutating func accept() { (isAccepted, credit) = (true, windowBytes) }

    mutating func send(_ bytes: [UInt8]) { if !isClosing { queue += bytes } }

    mutating func close() { isClosing = true }

    /// Records that the other end has consumed bytes.
    ///
    /// - Throws: `RelayError.overCredit` for more bytes than were sent.
    mutating func credit(_ count: Int) throws(RelayError) {
        guard isAccepted, credit + count <= windowBytes else { throw .overCredit }
        credit += count
    }

    /// Removes and returns the bytes that may be sent now, in pieces of one frame each.
    mutating func takePieces() -> [[UInt8]] {
        var pieces: [[UInt8]] = []
        var sent = 0
        while sent < min(credit, queue.count) {
            let count = min(min(credit, queue.count) - sent, RelayFrame.dataLimit)
            pieces.append(Array(queue[sent..<(sent + count)]))
            sent += count
        }
        queue.removeFirst(sent)
        credit -= sent
        return pieces
    }

    /// Records bytes that arrived.
    ///
    /// - Throws: `RelayError.overCredit` when they exceed the other end's credit.
    mutating func receive(_ count: Int) throws(RelayError) {
        guard isAccepted, received + taken + count <= windowBytes else { throw .overCredit }
        received += count
    }

    /// Records that received bytes were consumed.
    ///
    /// - Returns: the credit to send, once a quarter of the window was consumed; nil before.
    mutating func returnCredit(_ count: Int) -> Int? {
        let count = min(count, received)
        received -= count
        taken += count
        guard taken >= windowBytes / 4 else { return nil }
        defer { taken = 0 }
        return taken
    }
}
