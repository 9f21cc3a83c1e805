/// A message between a device and the relay, which carries streams of bytes between devices of a team. On the wire each
/// has a length of two bytes, one byte for its kind, and its fields. Numbers have their highest byte first.
///
/// A device numbers the streams that it opens from 1 on. The relay numbers those that it opens towards a device from
/// `firstIncoming` on. So a stream has two numbers, one at each of its ends.
package enum RelayFrame: Hashable, Sendable {
    /// The device announces itself, once, first: the name that it gives itself, and the first digits of its key.
    case hello(name: String, key: String)
    /// The relay lets the device take part.
    case welcome(RelayTerms)
    /// Another device of the team is connected.
    case appeared(RelayPeer)
    /// The device of this number has left, and all of its streams have ended.
    case gone(peer: UInt32)
    /// Opens a stream: to the relay, towards the peer of this number; from the relay, a peer opens it.
    case open(stream: UInt32, peer: UInt32)
    /// The other end accepts the stream: both may send `RelayTerms.windowBytes`.
    case accept(stream: UInt32)
    /// Bytes of a stream, 1 to `dataLimit`.
    case data(stream: UInt32, [UInt8])
    /// The other end has read so many bytes, so that as many more may be sent (backpressure).
    case credit(stream: UInt32, bytes: UInt32)
    /// The stream is over.
    case close(stream: UInt32, Closing)
    /// The device checks the connection to the relay; the relay replies with `pong`.
    case ping
    case pong
    /// The relay ends the connection.
    case farewell(Farewell)

    /// The reason why a stream is over.
    package enum Closing: UInt8, Hashable, Sendable, CaseIterable {
        /// One end has sent all its data.
        case done = 0
        /// The other end refuses it.
        case refused = 1
        /// There is no such peer, or the device may not see it.
        case absent = 2
        /// One of the two has too many streams.
        case tooMany = 3
        /// The other end reads too slowly.
        case slow = 4
        /// The other end's connection is over.
        case gone = 5
    }

    /// The reason why the relay ends a connection.
    package enum Farewell: UInt8, Hashable, Sendable, CaseIterable {
        /// The device broke the protocol.
        case fault = 0
        /// The credential, the account or the membership of the team has ended.
        case rightEnded = 1
        /// The device reads too slowly.
        case slow = 2
        /// The device sent nothing for too long.
        case silent = 3
        /// The same device has a newer connection.
        case replaced = 4
        /// The server stops.
        case stopping = 5
    }

    /// The version of the protocol, in each hello.
    package static let version: UInt8 = 1
    /// The most bytes of a stream in one frame.
    package static let dataLimit = 16_384
    /// The most bytes of a frame behind its length.
    package static let limitBytes = 5 + dataLimit
    /// The longest name that a device may choose for itself, in bytes of UTF-8.
    package static let nameLimit = 63
    /// The most bytes of the name of an account in UTF-8.
    package static let accountLimit = 255
    /// The most digits of a key.
    package static let keyLimit = 16
    /// The number of the first stream that the relay opens towards a device. A device's own numbers are below it.
    package static let firstIncoming: UInt32 = 0x8000_0000
}

/// The limits that the relay sets for a device.
package struct RelayTerms: Hashable, Sendable {
    /// The most bytes of a stream that may be on their way in one direction.
    package var windowBytes: UInt32
    /// The most streams of the device at once.
    package var streams: UInt16
    /// The seconds within which the device must send something.
    package var silenceSeconds: UInt16

    /// Creates terms.
    package init(windowBytes: UInt32, streams: UInt16, silenceSeconds: UInt16) {
        self.windowBytes = windowBytes
        self.streams = streams
        self.silenceSeconds = silenceSeconds
    }
}

/// A device as the relay shows it to others of its team.
package struct RelayPeer: Hashable, Sendable {
    /// The number by which streams are opened towards it, as long as it is connected.
    package var number: UInt32
    /// The account with which it signed in, which the server has checked.
    package var account: String
    /// The name that it gives itself.
    package var name: String
    /// The first digits of its key, which prove nothing.
    package var key: String

    /// Creates a device.
    package init(number: UInt32, account: String, name: String, key: String) {
        self.number = number
        self.account = account
        self.name = name
        self.key = key
    }
}

/// Bytes that break the relay's protocol.
package enum RelayError: Error, Hashable, Sendable, CustomStringConvertible {
    case malformed
    case tooLong(Int)
    case version(UInt8)
    /// A frame that the protocol does not allow at this moment.
    case untimely(String)
    /// More bytes than the credit of the other end allows.
    case overCredit
    /// More bytes or frames than the relay accepts.
    case tooMuch

    package var description: String {
        switch self {
        case .malformed: "a frame cannot be read"
        case .tooLong(let length): "a frame of \(length) bytes is too long"
        case .version(let number): "version \(number) of the protocol is not known"
        case .untimely(let name): "\(name) has no place at this moment"
        case .tooMuch: "more was sent than the relay takes"
        case .overCredit: "more bytes were sent than the other end gave credit for"
        }
    }
}
