import MusterCore

/// A message between two peers, inside of TLS. On the wire each has a length of two bytes, one byte for its kind, and
/// its fields. Numbers have their highest byte first.
enum ChannelMessage: Hashable, Sendable {
    /// The first message of each side: its name, and the proof that it knows the team's secret, or no proof.
    case hello(name: String, proof: [UInt8])
    /// The sender accepts the receiver. `run` grows with each start of the sender's program.
    case welcome(run: UInt64, PeerCapabilities)
    /// The token of the sender's session with the receiver.
    case token(DiscoveryToken)
    /// Data of the sender's ranging source for the receiver's.
    case note([UInt8])
    /// Shows that the sender is alive.
    case ping
    /// The tag under which the receiver may report to a server how far it is from the sender. It is sent only to a
    /// receiver whose welcome states that it accepts tags.
    case rangeTag(RangeTag)
    /// The last message of each side.
    case bye(Bye)

    /// The reason of a goodbye.
    enum Bye: UInt8, Hashable, Sendable, CaseIterable {
        /// Its program or session ends.
        case done = 0
        /// The sender does not accept the receiver. It gives no reason.
        case refused = 1
        /// The two devices have another connection.
        case duplicate = 2
        /// The peer broke the protocol.
        case fault = 3
    }

    /// The version of the protocol, in each hello.
    static let version: UInt8 = 1
    /// The largest number of bytes of a message after its length.
    static let limitBytes = 1 + RangingLink.noteLimit
    static let proofBytes = 32

    /// The bytes of the message, with their length.
    var bytes: [UInt8] {
        // The length takes the first two bytes once it is known.
        var bytes: [UInt8] = [0, 0]
        bytes.reserveCapacity(64)
        switch self {
        case .hello(let name, let proof):
            bytes += [1, Self.version, UInt8(name.utf8.count)]
            bytes += name.utf8
            bytes += proof
        case .welcome(let run, let capabilities):
            bytes += [2]
            bytes.append(bigEndian: run)
            bytes.append(capabilities.kinds.reduce(0) { $0 | 1 << $1.rawValue })
            bytes.append((capabilities.direction ? 1 : 0) | (capabilities.takesRangeTags ? 2 : 0))
        case .token(let token):
            bytes += [3]
            bytes += token.bytes
            bytes.append(bigEndian: token.epoch)
        case .note(let note):
            bytes += [4]
            bytes += note
        case .ping: bytes += [5]
        case .bye(let reason): bytes += [6, reason.rawValue]
        case .rangeTag(let tag):
            bytes += [7]
            bytes += tag.bytes
        }
        let length = bytes.count - 2
        (bytes[0], bytes[1]) = (UInt8(length >> 8), UInt8(length & 0xFF))
        return bytes
    }

    /// Reads the bytes after the length.
    init(_ body: [UInt8]) throws(ChannelProtocolError) {
        var cursor = ByteCursor(body)
        guard let kind = cursor.number(UInt8.self) else { throw .malformed }
        switch kind {
        case 1:
            guard let version = cursor.number(UInt8.self) else { throw .malformed }
            guard version == Self.version else { throw .version(version) }
            guard let count = cursor.number(UInt8.self), let text = cursor.bytes(Int(count)),
                let name = PeerName.checked(String(decoding: text, as: UTF8.self)), Array(name.utf8) == text,
                cursor.isAtEnd || cursor.rest.count == Self.proofBytes
            else { throw .malformed }
            self = .hello(name: name, proof: Array(cursor.rest))
            return
        case 2:
            guard let run = cursor.number(UInt64.self), let kinds = cursor.number(UInt8.self),
                let flags = cursor.number(UInt8.self)
            else { throw .malformed }
            // Kinds and flags of later versions are ignored.
            self = .welcome(
                run: run,
                PeerCapabilities(
                    kinds: Set(RangingKind.allCases.filter { kinds & 1 << $0.rawValue != 0 }),
                    direction: flags & 1 != 0, takesRangeTags: flags & 2 != 0))
        case 3:
            guard let bytes = cursor.bytes(DiscoveryToken.size), let epoch = cursor.number(UInt64.self) else {
                throw .malformed
            }
            self = .token(DiscoveryToken(bytes: bytes, epoch: epoch))
        case 4:
            guard !cursor.isAtEnd else { throw .malformed }
            self = .note(Array(cursor.rest))
            return
        case 5: self = .ping
        case 6:
            guard let number = cursor.number(UInt8.self), let reason = Bye(rawValue: number) else { throw .malformed }
            self = .bye(reason)
        case 7:
            guard let tag = RangeTag(bytes: cursor.rest) else { throw .malformed }
            self = .rangeTag(tag)
            return
        default: throw .malformed
        }
        guard cursor.isAtEnd else { throw .malformed }
    }
}

/// Bytes or messages that break the protocol.
enum ChannelProtocolError: Error, Hashable, Sendable, CustomStringConvertible {
    case malformed
    case tooLong(Int)
    case version(UInt8)
    /// A message that is not allowed at this moment.
    case untimely(String)
    case tooMany

    var description: String {
        switch self {
        case .malformed: "the peer sent a malformed message"
        case .tooLong(let length): "the peer sent a message of \(length) bytes"
        case .version(let number): "the peer speaks version \(number) of the protocol, and this device version 1"
        case .untimely(let name): "the peer sent \(name) out of order"
        case .tooMany: "the peer sends too many messages"
        }
    }
}

/// The capabilities of a peer, which it states once it accepts this device.
public struct PeerCapabilities: Hashable, Sendable {
    /// The kinds of sources that it has.
    public let kinds: Set<RangingKind>
    /// Whether it can measure a direction.
    public let direction: Bool
    /// Whether it accepts a range tag. Peers of earlier versions do not.
    let takesRangeTags: Bool

    /// Creates the capabilities that a device states to its peers.
    public init(kinds: Set<RangingKind>, direction: Bool) {
        self.init(kinds: kinds, direction: direction, takesRangeTags: false)
    }

    init(kinds: Set<RangingKind>, direction: Bool, takesRangeTags: Bool) {
        self.kinds = kinds
        self.direction = direction
        self.takesRangeTags = takesRangeTags
    }

    /// Creates the capabilities of a device that measures with a source.
    public init(of source: any RangingSource) {
        self.init(
            kinds: source.isSupported ? [source.kind] : [], direction: source.capabilities.direction,
            takesRangeTags: true)
    }
}

/// The names that peers give themselves.
public enum PeerName {
    /// The largest number of bytes of a name in UTF-8, which is that of a DNS label.
    public static let limitBytes = 63

    /// Returns a valid name; nil when it is empty or too long, or holds characters that control a terminal.
    public static func checked(_ name: String) -> String? {
        let isPlain = name.unicodeScalars.allSatisfy {
            ![.control, .format, .lineSeparator, .paragraphSeparator, .unassigned].contains(
                $0.properties.generalCategory)
        }
        return (1...limitBytes).contains(name.utf8.count) && isPlain ? name : nil
    }
}
