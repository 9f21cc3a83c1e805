/// A discovery that also carries streams of bytes between the devices that it finds, for devices that cannot reach each
/// other's address: they are on different networks.
///
/// A channel over such a stream is the same as over TCP: TLS 1.3 from end to end, with a key at both ends. So the
/// carrier of the bytes can neither read nor change them, and a channel that the carrier itself opens shows another
/// key.
public protocol Rendezvous: Discovery {
    /// Announces this device, reports others, and receives the streams that they open, until the task is cancelled.
    /// Then it withdraws the announcement, closes all streams, and returns.
    ///
    /// - Parameters:
    ///   - accept: called with each stream that another device opens. The function must start the stream, or close it.
    /// - Throws: an error when it can never work, with a description for people.
    func run(
        announcing own: Announcement, tell: @escaping @Sendable (DiscoveryNews) -> Void,
        accept: @escaping @Sendable (any PeerStream) -> Void) async throws

    /// Opens a stream to a peer that this discovery found.
    ///
    /// - Parameter id: the peer's id in this discovery.
    /// - Throws: an error with a description for people, when the peer cannot be reached.
    func open(_ id: String) async throws -> any PeerStream
}

extension Rendezvous {
    /// Announces this device and reports others. Streams that they open are closed.
    public func run(announcing own: Announcement, tell: @escaping @Sendable (DiscoveryNews) -> Void) async throws {
        try await run(announcing: own, tell: tell, accept: { $0.close() })
    }
}

/// A stream of bytes to and from another device, in order, until it ends. Its functions may be called from any thread.
public protocol PeerStream: Sendable {
    /// The origin that the streams of one sender have in common. The connections of one origin are limited together.
    var origin: String { get }

    /// The number of bytes that were passed to `send` and have not left this device, because the other end has not read
    /// what was sent before.
    var waitingBytes: Int { get }

    /// Starts the stream. Until then nothing is received, and a stream that another device opened is not accepted.
    ///
    /// - Parameters:
    ///   - receive: called with the bytes that arrive, in order.
    ///   - ended: called once, after the last bytes, when the stream is over; not after `close`.
    func start(receive: @escaping @Sendable ([UInt8]) -> Void, ended: @escaping @Sendable () -> Void)

    /// Records that the receiver has consumed this many bytes. The other end may then send as many more.
    func returnCredit(_ count: Int)

    /// Sends bytes, as far as the other end reads.
    func send(_ bytes: [UInt8])

    /// Ends the stream, once the bytes that were passed to `send` are on their way or can no longer be sent.
    func close()
}
