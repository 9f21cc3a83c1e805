import Crypto
import Foundation
import Synchronization

/// What a device keeps between its runs: its key, the keys of the peers that it accepted, and the number of its last
/// session. With a folder it is on the disk, readable by its owner only.
public final class NearbyStore: Sendable {
    /// A peer that was accepted once.
    public struct Pin: Hashable, Sendable {
        /// What it called itself.
        public var name: String
        /// Its key.
        public var key: KeyFingerprint
        /// The epoch of its last token.
        var epoch: UInt64
    }

    /// Why a store cannot be used.
    public struct Failure: Error, CustomStringConvertible {
        /// The file, and what is wrong with it.
        public let description: String
    }

    private struct State {
        var pins: [Pin] = []
        var ledger = TokenLedger()
        var nextEpoch: UInt64 = 0
        var reservedUntil: UInt64 = 0
    }

    /// The most peers that are remembered; the oldest is forgotten.
    static let mostPins = 1_000
    /// So many session numbers are taken from the disk at once.
    private static let epochBlock: UInt64 = 1 << 20

    package let identity: PeerIdentity
    private let folder: String?
    private let state: Mutex<State>

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

    /// Who this device is to its peers.
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

    /// The number of the next session: higher than all before, also those of earlier runs whatever the clock says.
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

    /// The key that a name is pinned to.
    func key(pinnedTo name: String) -> KeyFingerprint? {
        state.withLock { state in state.pins.last { $0.name == name }?.key }
    }

    /// Accepts a peer's token, and pins its key to its name; or says why not.
    func accept(_ token: DiscoveryToken, from key: KeyFingerprint, named name: String) throws(Failure)
        -> TokenLedger.Refusal?
    {
        let refusal = state.withLock { state in
            if let refusal = state.ledger.accept(token, from: key) { return refusal as TokenLedger.Refusal? }
            state.pins.removeAll { $0.name == name || $0.key == key }
            if state.pins.count >= Self.mostPins { state.pins.removeFirst() }
            state.pins.append(Pin(name: name, key: key, epoch: token.epoch))
            return nil
        }
        if refusal == nil { try storePins() }
        return refusal
    }

    private func storePins() throws(Failure) {
        guard let folder else { return }
        let text = pins.map { "\($0.key) \($0.epoch) \($0.name)\n" }.joined()
        try Self.write("# key, epoch of the last token, name\n" + text, to: folder + "/peers")
    }

    private static func pins(in path: String) throws(Failure) -> [Pin] {
        guard let text = read(path) else { return [] }
        var pins: [Pin] = []
        for (index, line) in text.split(separator: "\n").enumerated() where !line.hasPrefix("#") {
            let parts = line.split(separator: " ", maxSplits: 2)
            guard parts.count == 3, let key = KeyFingerprint(parts[0]), let epoch = UInt64(parts[1]),
                let name = PeerName.checked(String(parts[2]))
            else { throw Failure(description: "\(path), line \(index + 1), is no peer") }
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
