import Crypto
import Foundation
public import MusterCore
import MusterMutex

/// The values that a device stores from one run to the next: its key, the keys of the peers that it accepted, the
/// secret of its range tag, and the number of its last session. With a folder they are stored on disk, and only their
/// owner may read them.
public final class NearbyStore: Sendable {
    /// A peer that this device has accepted, with the key that its name is bound to.
    public struct Pin: Hashable, Sendable {
        /// The name that the peer gave itself.
        public var name: String
        /// The peer's key.
        public var key: KeyFingerprint
        /// The epoch of its last token.
        var epoch: UInt64
    }

    /// The store cannot be used, for the reason in `description`.
    public struct Failure: Error, CustomStringConvertible {
        /// The file that cannot be used, and the reason.
        public let description: String
    }

    private struct State {
        var pins: [Pin] = []
        var ledger = TokenLedger()
        var nextEpoch: UInt64 = 0
        var reservedUntil: UInt64 = 0
        var rangeSecret: RangeSecret?
    }

    /// The largest number of stored peers. A new peer beyond it is refused (`TokenLedger.Refusal.full`).
    static let mostPins = 1_000
    /// The number of session numbers that one write to the disk reserves.
    private static let epochBlock: UInt64 = 1 << 20

    package let identity: PeerIdentity
    private let folder: String?
    private let state: Mutex<State>
    private let writing = Mutex(())

    /// Creates a store in memory, with a new key.
    public init() throws {
        folder = nil
        identity = try PeerIdentity(P256.Signing.PrivateKey())
        state = Mutex(State())
    }

    /// Opens the store in a folder, or makes it.
    ///
    /// - Throws: `Failure` when the folder cannot be used, or a file in it is damaged.
    public init(folder: String) throws(Failure) {
        self.folder = folder
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw Failure(description: "the folder \(folder) cannot be made: \(error.localizedDescription)")
        }
        let key: P256.Signing.PrivateKey
        let path = folder + "/key.pem"
        if let text = Self.read(path) {
            guard let stored = try? P256.Signing.PrivateKey(pemRepresentation: text) else {
                throw Failure(description: "\(path) holds no key")
            }
            key = stored
        } else {
            key = P256.Signing.PrivateKey()
            try Self.write(key.pemRepresentation + "\n", to: path)
        }
        do { identity = try PeerIdentity(key) } catch { throw Failure(description: "\(path): \(error)") }
        var loaded = State()
        loaded.pins = try Self.pins(in: folder + "/peers")
        loaded.ledger = TokenLedger(
            Dictionary(loaded.pins.map { ($0.key, $0.epoch) }, uniquingKeysWith: { max($0, $1) }))
        if let text = Self.read(folder + "/epoch") {
            guard let number = UInt64(text.trimmingCharacters(in: .whitespacesAndNewlines)), number < 1 << 62 else {
                throw Failure(description: "\(folder)/epoch holds no number")
            }
            loaded.nextEpoch = number
            loaded.reservedUntil = number
        }
        state = Mutex(loaded)
    }

    /// The fingerprint by which peers know this device.
    public var fingerprint: KeyFingerprint { identity.fingerprint }
    /// The peers that were accepted, the oldest first.
    public var pins: [Pin] { state.withLock { $0.pins } }

    /// Forgets the peers of a name, so that another key may take it. Returns whether there was one.
    public func forget(_ name: String) throws(Failure) -> Bool {
        let isKnown = state.withLock { state in
            let count = state.pins.count
            state.pins.removeAll { $0.name == name }
            return state.pins.count < count
        }
        try storePins()
        return isKnown
    }

    /// Returns the secret with which this device registers, at a server, the tag under which peers may report how far
    /// they are from it. It is random, and stays the same from its first use on. Peers get its `tag` alone.
    ///
    /// - Throws: `Failure` when its file cannot be written, or is damaged.
    public func rangeSecret() throws(Failure) -> RangeSecret {
        let path = folder.map { $0 + "/range-secret" }
        if let text = path.flatMap(Self.read) {
            guard let secret = RangeSecret(text.trimmingCharacters(in: .whitespacesAndNewlines)) else {
                throw Failure(description: "\(path ?? "") holds no range secret")
            }
            return secret
        }
        let made = state.withLock { state in
            var generator = SystemRandomNumberGenerator()
            let secret = state.rangeSecret ?? RangeSecret(using: &generator)
            state.rangeSecret = secret
            return secret
        }
        if let folder, let path {
            try Self.write(made.digits + "\n", to: path)
            // Earlier versions stored a tag that had no secret; no server registers it any more.
            try? FileManager.default.removeItem(atPath: folder + "/range-tag")
        }
        return made
    }

    /// Returns the number of the next session. It is higher than all earlier ones, also those of earlier runs, even if
    /// the clock was set back.
    func takeEpoch() throws(Failure) -> UInt64 {
        let (epoch, reserved): (UInt64, UInt64?) = state.withLock { state in
            let epoch = state.nextEpoch
            state.nextEpoch += 1
            guard epoch >= state.reservedUntil else { return (epoch, nil) }
            state.reservedUntil = epoch + Self.epochBlock
            return (epoch, state.reservedUntil)
        }
        if let reserved, let folder { try Self.write("\(reserved)\n", to: folder + "/epoch") }
        return epoch
    }

    func key(pinnedTo name: String) -> KeyFingerprint? {
        state.withLock { state in state.pins.last { $0.name == name }?.key }
    }

    /// Accepts a peer's token, and binds the peer's name to its key; or returns why the token is refused.
    ///
    /// - Parameter takesOver: whether the peer has proved that it may take a name that belongs to another key.
    func accept(_ token: DiscoveryToken, from key: KeyFingerprint, named name: String, takesOver: Bool = false)
        throws(Failure) -> TokenLedger.Refusal?
    {
        let refusal: TokenLedger.Refusal? = state.withLock { state in
            let isKnown = state.pins.contains { $0.key == key }
            // Another peer may have taken the name since this one was accepted.
            if !takesOver, state.pins.contains(where: { $0.name == name && $0.key != key }) { return .otherKey }
            guard isKnown || state.pins.count < Self.mostPins else { return .full }
            if let refusal = state.ledger.accept(token, from: key) { return refusal }
            state.pins.removeAll { $0.name == name || $0.key == key }
            state.pins.append(Pin(name: name, key: key, epoch: token.epoch))
            return nil
        }
        if refusal == nil { try storePins() }
        return refusal
    }

    /// Writes the peers. One thread at a time, so that no older list is written over a newer one.
    private func storePins() throws(Failure) {
        guard let folder else { return }
        let fault: Failure? = writing.withLock { _ in
            let text = pins.map { "\($0.key) \($0.epoch) \($0.name)\n" }.joined()
            do throws(Failure) {
                try Self.write("# key, epoch of the last token, name\n" + text, to: folder + "/peers")
                return nil
            } catch {
                return error
            }
        }
        if let fault { throw fault }
    }

    private static func pins(in path: String) throws(Failure) -> [Pin] {
        guard let text = read(path) else { return [] }
        var pins: [Pin] = []
        for (index, line) in text.split(separator: "\n").enumerated() where !line.hasPrefix("#") {
            let parts = line.split(separator: " ", maxSplits: 2)
            guard parts.count == 3, let key = KeyFingerprint(parts[0]), let epoch = UInt64(parts[1]),
                let name = PeerName.checked(String(parts[2]))
            else { throw Failure(description: "\(path), line \(index + 1), is not a peer") }
            pins.append(Pin(name: name, key: key, epoch: epoch))
        }
        return pins.suffix(mostPins)
    }

    private static func read(_ path: String) -> String? {
        FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Writes a file whole or not at all; only its owner may read it, from its first byte on.
    private static func write(_ text: String, to path: String) throws(Failure) {
        let draft = path + ".new"
        do {
            try? FileManager.default.removeItem(atPath: draft)
            guard
                FileManager.default.createFile(
                    atPath: draft, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600])
            else { throw CocoaError(.fileWriteUnknown) }
            guard rename(draft, path) == 0 else { throw CocoaError(.fileWriteUnknown) }
        } catch {
            throw Failure(description: "\(path) cannot be written")
        }
    }
}
