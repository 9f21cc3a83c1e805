/// A message of the protocol between an app and an ultra-wideband accessory: one byte for its kind, then its data.
///
/// Source: Apple's *Nearby Interaction Accessory Protocol Specification* and the sample app for third-party
/// accessories. Only the two radios interpret the data.
public enum AccessoryMessage: Hashable, Sendable {
    /// From the accessory: its radio's configuration.
    case configurationData([UInt8])
    /// From the accessory: its radio ranges.
    case didStart
    /// From the accessory: its radio has stopped ranging.
    case didStop
    /// To the accessory: send the configuration.
    case initialize
    /// To the accessory: range with this device's configuration.
    case configureAndStart([UInt8])
    /// To the accessory: stop ranging.
    case stop

    /// The largest number of bytes of a message, as one write of a Bluetooth characteristic carries them.
    public static let limitBytes = 255

    /// Reads a message.
    ///
    /// - Throws: `AccessoryError.message` for an unknown first byte, for missing or unexpected data, and for more than
    ///   `limitBytes`.
    public init(_ bytes: some Collection<UInt8>) throws(AccessoryError) {
        let fault = AccessoryError.message(Array(bytes.prefix(8)))
        guard let kind = bytes.first, bytes.count <= Self.limitBytes else { throw fault }
        let data = Array(bytes.dropFirst())
        let isBare = data.isEmpty
        switch (kind, isBare) {
        case (0x1, false): self = .configurationData(data)
        case (0x2, true): self = .didStart
        case (0x3, true): self = .didStop
        case (0xA, true): self = .initialize
        case (0xB, false): self = .configureAndStart(data)
        case (0xC, true): self = .stop
        default: throw fault
        }
    }

    /// The message as it is sent: its number, then its data.
    public var bytes: [UInt8] {
        switch self {
        case .configurationData(let data): [0x1] + data
        case .didStart: [0x2]
        case .didStop: [0x3]
        case .initialize: [0xA]
        case .configureAndStart(let data): [0xB] + data
        case .stop: [0xC]
        }
    }
}

/// An error of ranging with an accessory.
public enum AccessoryError: Error, Hashable, Sendable, CustomStringConvertible {
    /// These bytes begin no message of the protocol.
    case message([UInt8])
    /// The accessory sent a message that is not allowed in its present state.
    case unexpected(AccessoryMessage, during: String)
    /// The connection ended.
    case closed
    /// This device's configuration is empty, or too long for a message.
    case configuration(bytes: Int)

    /// The fault, in words.
    public var description: String {
        switch self {
        case .message(let bytes): "the accessory sent a malformed message: \(bytes)"
        case .unexpected(let message, let state):
            "the accessory sent message \(message.bytes.first ?? 0) while it was \(state)"
        case .closed: "the connection to the accessory ended"
        case .configuration(let count): "the radio made a configuration of \(count) bytes"
        }
    }
}

/// Splits the bytes of a serial line into messages, each with its length in one byte before it. The protocol leaves
/// framing to the transport: Bluetooth delivers whole messages and needs none.
public struct AccessoryStreamReader: Sendable {
    private var frames = FrameReader(prefixBytes: 1, limit: AccessoryMessage.limitBytes)

    /// Creates a reader at the start of a message.
    public init() {}

    /// Appends bytes as they arrive, in any pieces.
    public mutating func append(_ bytes: some Sequence<UInt8>) { frames.append(bytes) }

    /// Returns the next whole message; nil until it has arrived.
    ///
    /// - Throws: `AccessoryError.message`.
    public mutating func next() throws(AccessoryError) -> AccessoryMessage? {
        do {
            guard let frame = try frames.next() else { return nil }
            return try AccessoryMessage(frame)
        } catch let fault as AccessoryError {
            throw fault
        } catch {
            throw .message([0])
        }
    }

    /// Returns the bytes of a message with its length in front.
    public static func frame(_ message: AccessoryMessage) -> [UInt8] {
        FrameReader.frame(message.bytes)
    }
}
