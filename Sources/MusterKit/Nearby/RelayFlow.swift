import MusterWire

/// The bytes of one stream at the device's end: what may be sent, what waits, and what the other end may still send. It
/// does no I/O.
struct RelayFlow {
    private let windowBytes: Int
    /// The bytes that may be sent now.
    private var credit = 0
    private var queue: [UInt8] = []
    /// The bytes that were received and not taken yet, and those that were taken and not credited yet.
    private var received = 0
    private var taken = 0
    private(set) var isAccepted = false
    /// Whether the stream ends once the queue is sent.
    private(set) var isClosing = false

    init(windowBytes: Int) { self.windowBytes = windowBytes }

    var waitingBytes: Int { queue.count }
    /// Whether the stream can be closed: everything was sent that was to be.
    var isDone: Bool { isClosing && queue.isEmpty }

    /// Records that both ends may send.
    mutating func accept() { (isAccepted, credit) = (true, windowBytes) }

    mutating func send(_ bytes: [UInt8]) { if !isClosing { queue += bytes } }

    mutating func close() { isClosing = true }

    /// Records that the other end has taken bytes.
    ///
    /// - Throws: `RelayError.overCredit` for more than were sent.
    mutating func credit(_ count: Int) throws(RelayError) {
        guard isAccepted, credit + count <= windowBytes else { throw .overCredit }
        credit += count
    }

    /// Takes what may be sent now, in pieces for a frame each.
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
    /// - Throws: `RelayError.overCredit` when the other end had no right to send so many.
    mutating func receive(_ count: Int) throws(RelayError) {
        guard isAccepted, received + taken + count <= windowBytes else { throw .overCredit }
        received += count
    }

    /// Records that received bytes were dealt with.
    ///
    /// - Returns: the credit to give, once it is worth a frame; nil before.
    mutating func returnCredit(_ count: Int) -> Int? {
        let count = min(count, received)
        received -= count
        taken += count
        guard taken >= windowBytes / 4 else { return nil }
        defer { taken = 0 }
        return taken
    }
}
