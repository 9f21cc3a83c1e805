/// Finds peers, and announces this device to them.
///
/// A report of a discovery is a hint, not a proof: a peer proves its identity by its key when a channel is opened.
public protocol Discovery: Sendable {
    /// Announces this device and reports others, until the task is cancelled. Then it withdraws the announcement, and
    /// returns.
    func run(announcing own: Announcement, tell: @escaping @Sendable (DiscoveryNews) -> Void) async throws
}

/// The announcement of a device: its name, where it listens, and the start of its key's fingerprint.
public struct Announcement: Hashable, Sendable {
    /// The name of the device.
    public var name: String
    /// The TCP port on which it listens.
    public var port: Int
    /// The first digits of its key's fingerprint, so that two devices agree on which one opens the channel.
    public var key: String

    /// Creates what `Discovery.run` announces.
    public init(name: String, port: Int, key: String) {
        self.name = name
        self.port = port
        self.key = key
    }
}

/// A change that a discovery reports.
public enum DiscoveryNews: Hashable, Sendable {
    /// A peer was found, or its name, addresses or key changed.
    case found(FoundPeer)
    /// The peer of this id is gone.
    case lost(id: String)
    /// The discovery does not work for now, for this reason; it tries again by itself.
    case interrupted(String)
    /// The discovery works, after it was interrupted.
    case resumed(String)
}

/// A peer as a discovery found it.
public struct FoundPeer: Hashable, Sendable {
    /// The peer's id, unique in this discovery.
    public var id: String
    /// The name that the peer gives itself, or its address.
    public var name: String
    /// The addresses at which it can be reached, the best first; empty if a `Rendezvous` reaches it.
    public var addresses: [NearbyAddress]
    /// The first digits of its key's fingerprint; nil when unknown. Then this device opens the channel at once.
    public var key: String?
    /// The account with which the peer signed in at a server that both trust; nil if there is none.
    public var account: String?

    public init(id: String, name: String, addresses: [NearbyAddress], key: String? = nil, account: String? = nil) {
        self.id = id
        self.name = name
        self.addresses = addresses
        self.key = key
        self.account = account
    }
}

/// A host and a TCP port.
public struct NearbyAddress: Hashable, Sendable, CustomStringConvertible {
    /// A name, or an IPv4 or IPv6 address.
    public var host: String
    /// The TCP port, from 1 to 65,535.
    public var port: Int

    /// Creates an address, which is not looked up.
    public init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// Reads `HOST:PORT`, or `[HOST]:PORT` for a host with colons; nil for anything else.
    ///
    /// - Parameter ports: the ports that are allowed. An address to listen on may have 0, for any port.
    public init?(_ text: String, ports: ClosedRange<UInt16> = 1...UInt16.max) {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]),
            ports.contains(port)
        else { return nil }
        var host = text[..<colon]
        let isBracketed = host.first == "[" && host.last == "]"
        if isBracketed { host = host.dropFirst().dropLast() }
        guard !host.isEmpty, isBracketed || !host.contains(":") else { return nil }
        self.init(host: String(host), port: Int(port))
    }

    /// The address in the form that `init(_:ports:)` reads.
    public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

/// Peers whose addresses are known. It announces nothing.
public struct StaticDiscovery: Discovery {
    private let addresses: [NearbyAddress]

    /// Creates a discovery of these addresses, each of another peer.
    public init(_ addresses: [NearbyAddress]) { self.addresses = addresses }

    /// Reports each address once, and never reports one as gone.
    public func run(announcing own: Announcement, tell: @escaping @Sendable (DiscoveryNews) -> Void) async throws {
        for address in addresses {
            tell(.found(FoundPeer(id: "\(address)", name: "\(address)", addresses: [address])))
        }
        await Task.untilCancelled()
    }
}

extension Task where Success == Never, Failure == Never {
    /// Waits until the current task is cancelled.
    static func untilCancelled() async {
        let (never, continuation) = AsyncStream<Never>.makeStream()
        for await _ in never {}
        continuation.finish()
    }
}
