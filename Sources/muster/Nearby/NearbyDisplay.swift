import Foundation
import MusterCore
import MusterNearby
import MusterTerminal
import MusterWire
import Synchronization

/// Displays events: on a terminal screen that is kept up to date, as lines of JSON, or as lines of text.
final class NearbyDisplay: Sendable {
    private enum Style { case screen, json, lines }

    private struct State {
        var key: KeyFingerprint?
        var port = 0
        var measured: [KeyFingerprint: RangeMeasurement] = [:]
        var here: [NearbyPeer] = []
        /// The run number of each peer that was connected, to tell a restarted peer from one whose network was lost.
        var runs: [KeyFingerprint: UInt64] = [:]
        var notes: [String] = []
        /// Whether what this device measures is simulated, in whole or in part.
        var isSimulated = false

        /// The source of a measurement, in words.
        func words(for source: RangingKind) -> String {
            isSimulated && source != .simulated ? "\(source), simulated in part" : "\(source)"
        }
    }

    private let name: String
    private let style: Style
    private let state = Mutex(State())

    /// The notes that a screen has room for.
    private static let noteLimit = 20

    init(name: String, isJSON: Bool) {
        self.name = name
        style = isJSON ? .json : isatty(STDOUT_FILENO) == 1 ? .screen : .lines
    }

    /// Whether what this device measures is simulated, in whole or in part.
    var isSimulated: Bool {
        get { state.withLock { $0.isSimulated } }
        set { state.withLock { $0.isSimulated = newValue } }
    }

    /// The fingerprint by which peers know this device.
    var key: KeyFingerprint? {
        get { state.withLock { $0.key } }
        set { state.withLock { $0.key = newValue } }
    }

    func show(_ event: NearbyEvent) {
        let words = state.withLock { state in Self.apply(event, to: &state) }
        switch style {
        case .json:
            var writer = JSONWriter()
            writer.nearby(event, key: key)
            writer.endLine()
            StandardOutput.write(Data(writer.takeBytes()))
        case .lines: if let words { announce(words) }
        case .screen: if let words { draw(noting: words) }
        }
    }

    /// Shows a sentence that belongs to no event.
    func showNote(_ words: String) {
        if style == .screen { draw(noting: words) } else { remark("note: \(words)") }
    }

    private func draw(noting words: String) {
        state.withLock { state in
            state.notes.append(words)
            state.notes.removeFirst(max(0, state.notes.count - Self.noteLimit))
        }
        draw()
    }

    /// Draws the screen four times a second until the task is cancelled.
    func keepDrawing() async {
        guard style == .screen else {
            for await _ in AsyncStream<Never>.makeStream().stream {}
            return
        }
        for await _ in NearbyClock.system.ticks(.milliseconds(250)) { draw() }
    }

    func finish() {
        if style == .screen { announce("") }
    }

    /// Updates the state by an event, and returns a sentence about it; nil for an event that only the screen shows.
    private static func apply(_ event: NearbyEvent, to state: inout State) -> String? {
        switch event {
        case .listening(let port):
            state.port = port
            return "Listening on port \(port), with the key \(state.key?.compared ?? "")"
        case .found(let peer):
            return "Found \(peer.name)" + (peer.account.map { ", signed in as \($0), through the relay" } ?? "")
        case .lost(let peer): return "\(peer.name) is no longer announced"
        case .discoveryFailed(let reason): return "Peers cannot be discovered: \(reason)"
        case .discoveryInterrupted(let words), .discoveryResumed(let words):
            return words.prefix(1).uppercased() + words.dropFirst()
        case .failed(let peer, let end): return "\(peer.name) \(end); trying again"
        case .turnedAway(let name, let key, let end):
            return "\(name ?? "Someone")\(key.map { " (\($0.short))" } ?? "") \(end)"
        case .connected(let peer):
            let former = state.runs.updateValue(peer.run, forKey: peer.key)
            state.here.removeAll { $0.key == peer.key }
            state.here.append(peer)
            let again = former.map { $0 == peer.run ? ", again" : ", restarted" } ?? ""
            let key = former == nil ? ", its key is \(peer.key.compared)" : ""
            return "\(peer.name) (\(peer.key.short)) is here\(again): tokens were exchanged\(key)"
        case .rangeTag(let peer, _): return "\(peer.name) agrees that its distance is reported"
        case .update(let peer, .measured(let measurement)):
            let isFirst = state.measured.updateValue(measurement, forKey: peer.key) == nil
            let distance = measurement.distance.map { String(format: "at %.1f m", $0.value) } ?? "without a distance"
            return isFirst ? "\(peer.name) is measured, \(distance) (\(state.words(for: measurement.source)))" : nil
        case .update(let peer, .removed(let reason)):
            state.measured[peer.key] = nil
            return reason == .timeout
                ? "\(peer.name) is silent: nothing was measured for too long" : "\(peer.name) is no longer measured"
        case .update(let peer, .suspended): return "\(peer.name) is not measured while this device is suspended"
        case .update(let peer, .suspensionEnded): return "\(peer.name) can be measured again"
        case .update(let peer, .invalidated(let error)):
            return "\(peer.name) cannot be measured: \(error.map { "\($0)" } ?? "the session was ended")"
        case .disconnected(let peer, let end):
            state.here.removeAll { $0.key == peer.key }
            state.measured[peer.key] = nil
            return "\(peer.name) \(end)"
        }
    }

    private func draw() {
        var size = winsize()
        let isKnown = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_row > 0
        let now = NearbyClock.system.now()
        let text = state.withLock { state in
            var screen = NearbyScreen(
                title: "\(name) (\(state.key?.short ?? ""))  port \(state.port)  \(state.here.count) here")
            screen.peers = state.here.map { peer in
                var row = Self.row(of: peer, state.measured[peer.key], at: now)
                row.source = state.measured[peer.key].map { state.words(for: $0.source) } ?? row.source
                return row
            }
            screen.notes = state.notes
            return screen.text(rows: isKnown ? Int(size.ws_row) : 24, columns: isKnown ? Int(size.ws_col) : 80)
        }
        StandardOutput.write(Data(text.utf8))
    }

    private static func row(of peer: NearbyPeer, _ measurement: RangeMeasurement?, at now: Instant) -> NearbyScreen.Peer
    {
        var row = NearbyScreen.Peer(name: "\(peer.name) (\(peer.key.short))")
        guard let measurement else { return row }
        row.distance = measurement.distance?.value
        row.distanceError = measurement.quality.distanceError?.value
        row.angle = measurement.horizontalAngle?.value
        row.angleError = measurement.quality.angleError?.value
        row.bearing = measurement.bearing?.value
        row.age = max(0, now.seconds(since: measurement.time))
        let absences = [("distance", measurement.noDistance), ("direction", measurement.noDirection)]
        row.missing = absences.compactMap { what, why in why.map { "no \(what): \(words(for: $0))" } }
        return row
    }

    private static func words(for absence: RangeMeasurement.Absence) -> String {
        switch absence {
        case .notMeasured: "this source measures none"
        case .outOfRange: "out of the radio's reach"
        case .outsideFieldOfView: "not in front of the antennas; turn around"
        case .noOwnFix: "this device does not know where it is"
        case .noPeerFix: "the peer does not know where it is"
        case .noHeading: "this device does not know its heading"
        case .nearerThanError: "nearer than the error of the fixes"
        case .tooLittleMotion: "walk a few metres"
        case .ambiguous: "left or right of the way; turn a corner"
        case .suspended: "the platform suspended the radio"
        case .awaitingRun: "the radio waits to be run again"
        }
    }
}

extension JSONWriter {
    /// Writes an event as `muster nearby --json` prints it.
    fileprivate mutating func nearby(_ event: NearbyEvent, key: KeyFingerprint?) {
        beginObject()
        switch event {
        case .listening(let port):
            member("event", "listening")
            member("port", Double(port))
            if let key { member("key", "\(key)") }
        case .found(let peer), .lost(let peer):
            if case .found = event { member("event", "found") } else { member("event", "lost") }
            member("peer", peer.name)
            if let account = peer.account { member("account", account) }
        case .discoveryFailed(let reason):
            member("event", "discoveryFailed")
            member("reason", reason)
        case .discoveryInterrupted(let reason):
            member("event", "discoveryInterrupted")
            member("reason", reason)
        case .discoveryResumed(let reason):
            member("event", "discoveryResumed")
            member("reason", reason)
        case .failed(let peer, let end):
            member("event", "failed")
            member("peer", peer.name)
            member("reason", "\(end)")
        case .turnedAway(let name, let key, let end):
            member("event", "turnedAway")
            if let name { member("peer", name) }
            if let key { member("key", "\(key)") }
            member("reason", "\(end)")
        case .connected(let peer):
            member("event", "connected")
            member("peer", peer.name)
            member("key", "\(peer.key)")
            member("run", "\(peer.run)")
        case .rangeTag(let peer, _):
            // The tag is the peer's consent. Only the server may see it.
            member("event", "rangeTag")
            member("peer", peer.name)
        case .update(let peer, let update):
            member("peer", peer.name)
            nearby(update)
        case .disconnected(let peer, let end):
            member("event", "disconnected")
            member("peer", peer.name)
            member("reason", "\(end)")
        }
        endObject()
    }

    private mutating func nearby(_ update: NearbyUpdate) {
        switch update {
        case .measured(let measurement): nearby(measurement)
        case .removed(let reason):
            member("event", "removed")
            member("reason", reason.rawValue)
        case .suspended: member("event", "suspended")
        case .suspensionEnded: member("event", "suspensionEnded")
        case .invalidated(let error):
            member("event", "invalidated")
            if let error {
                member("code", Double(error.code))
                member("reason", error.reason)
            }
        }
    }

    private mutating func nearby(_ measurement: RangeMeasurement) {
        member("event", "measured")
        member("source", "\(measurement.source)")
        member("time", measurement.time)
        if let distance = measurement.distance { member("distance", distance.value) }
        if let angle = measurement.horizontalAngle { member("horizontalAngle", angle.value) }
        if let bearing = measurement.bearing { member("bearing", bearing.value) }
        if let first = measurement.candidates.first, let second = measurement.candidates.last {
            member("candidate", first.value)
            member("otherCandidate", second.value)
        }
        if let direction = measurement.direction {
            member("x", direction.x)
            member("y", direction.y)
            member("z", direction.z)
        }
        if let error = measurement.quality.distanceError { member("distanceError", error.value) }
        if let error = measurement.quality.angleError { member("angleError", error.value) }
        if let absence = measurement.noDistance { member("noDistance", absence.rawValue) }
        if let absence = measurement.noDirection { member("noDirection", absence.rawValue) }
    }
}
