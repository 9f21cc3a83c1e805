/// Keeps a Bluetooth controller scanning: it sets the scan up, has the controller prove that it still scans, and sets
/// the scan up again when something ended it. It does no I/O: the owner of the connection carries out the steps that it
/// returns.
///
/// Silence proves nothing, because a room may be silent for hours. Each advertisement proves that the controller scans.
/// After `silenceSeconds` without one, the watch sends the command that sets the parameters of a scan: a controller
/// that scans must refuse it (Core Specification 5.4, Volume 4, Part E, 7.8.10 and 7.8.64), and one that accepts it
/// does not scan. Some controllers accept it even while they scan. The first answer, right after the set-up, shows
/// which kind the controller is; for such a controller, the proof is to set the same scan up again.
///
/// The operating system shares an adapter among programs, and each program sees the answers to the commands of the
/// others. So an answer about the scan to a command that this program did not send shows that another program changed
/// it.
package struct ScanWatch: Sendable {
    /// An action for the owner of the connection, or a fact about the scan.
    package enum Turn: Hashable, Sendable {
        /// Send this packet to the controller.
        case send([UInt8])
        /// The controller begins to scan.
        case begins
        /// The controller has proved that it scans now. An advertisement proves it too, and is no turn.
        case proves
        /// The scan ended, or may have. It will be set up again.
        case ends(Interruption)
    }

    /// The reason why a scan ended.
    package enum Interruption: Hashable, Sendable, CustomStringConvertible {
        /// Another program changed the scan, or the operating system did.
        case otherProgram
        /// Somebody reset the controller.
        case reset
        /// The controller reported a fault of its hardware.
        case hardware
        /// The controller stopped scanning without an event.
        case stopped

        /// The event as words that follow the controller's name.
        package var description: String {
            switch self {
            case .otherProgram: "another program changed the scan"
            case .reset: "the controller was reset"
            case .hardware: "the controller reported a fault of its hardware"
            case .stopped: "the controller stopped scanning"
            }
        }
    }

    private enum State {
        /// The controller is being set up. `isProof`: it scans already, and proves it by being set up again.
        case settingUp(ScanSetup, askedAt: Double, isProof: Bool)
        /// The controller scans. `askedAt`: when it was asked for the proof that it still owes.
        case scanning(ScanSetup, provedAt: Double, askedAt: Double?)
        /// The scan ended, and is set up again at this time.
        case waiting(until: Double)
    }

    private let resets: Bool
    private var state: State
    /// Whether the controller refuses the parameters of a scan while it scans; nil until it has answered once.
    private var refusesParameters: Bool?
    private var interruptions = 0
    private var scansSince = 0.0

    /// The seconds without an advertisement after which the controller is asked for a proof.
    package static let silenceSeconds = 2.0
    /// The seconds within which the controller must answer a command.
    package static let answerSeconds = 5.0
    /// The seconds of waiting before a scan is set up again. They double with each interruption, up to the longest, so
    /// that two programs that take the scan from each other do not do so all the time.
    private static let shortestWait = 1.0
    private static let longestWait = 32.0
    /// The seconds of undisturbed scanning after which interruptions are forgotten.
    private static let steadySeconds = 60.0

    /// - Parameters:
    ///   - resets: whether the controller is this program's own, as for `ScanSetup`.
    ///   - now: seconds of a clock that only goes forward, as in all calls.
    package init(resets: Bool, at now: Double) {
        self.resets = resets
        state = .settingUp(ScanSetup(resets: resets), askedAt: now, isProof: false)
    }

    /// Whether reports of the controller count as heard, because the scan is known to run.
    package var isScanning: Bool {
        switch state {
        case .scanning, .settingUp(_, _, isProof: true): true
        case .settingUp, .waiting: false
        }
    }

    /// The first command, as an H4 packet.
    package var firstCommand: [UInt8] { ScanSetup(resets: resets).firstCommand }

    /// Whether the controller did not answer in time.
    package func isSilent(at now: Double) -> Bool {
        switch state {
        case .settingUp(_, let askedAt, _), .scanning(_, _, let askedAt?): now - askedAt > Self.answerSeconds
        case .scanning, .waiting: false
        }
    }

    /// Updates the watch by an event of the controller, and returns the turns that follow.
    ///
    /// - Throws: `ScanSetupError` when the controller refuses a command that the scan needs.
    package mutating func follow(_ event: HCIEvent, at now: Double) throws(ScanSetupError) -> [Turn] {
        switch state {
        case .waiting: return []
        case .settingUp(var setup, let askedAt, let isProof):
            if !setup.isResetting, let cause = Self.restart(event) { return interrupt(cause, at: now) }
            let command = try setup.follow(event)
            guard setup.isScanning else {
                state = .settingUp(setup, askedAt: command == nil ? askedAt : now, isProof: isProof)
                return command.map { [.send($0)] } ?? []
            }
            return begin(setup, isProof: isProof, at: now)
        case .scanning(let setup, _, let askedAt):
            if case .heard = event {
                state = .scanning(setup, provedAt: now, askedAt: nil)
                return []
            }
            if let cause = Self.restart(event) { return interrupt(cause, at: now) }
            guard case .completed(let opcode, let status, _) = event else { return [] }
            if setup.enables(opcode) { return interrupt(.otherProgram, at: now) }
            guard opcode == setup.probeOpcode else { return [] }
            return followProbe(setup, status, wasAsked: askedAt != nil, at: now)
        }
    }

    /// Returns the turns that are due by the passing of time alone.
    package mutating func advance(to now: Double) -> [Turn] {
        switch state {
        case .waiting(let until) where now >= until:
            state = .settingUp(ScanSetup(resets: resets), askedAt: now, isProof: false)
            return [.send(firstCommand)]
        case .scanning(let setup, let provedAt, askedAt: nil) where now - provedAt >= Self.silenceSeconds:
            if refusesParameters != false {
                state = .scanning(setup, provedAt: provedAt, askedAt: now)
                return [.send(setup.probe)]
            }
            let setup = ScanSetup(resets: false)
            state = .settingUp(setup, askedAt: now, isProof: true)
            return [.send(setup.firstCommand)]
        case .waiting, .scanning, .settingUp: return []
        }
    }

    private mutating func begin(_ setup: ScanSetup, isProof: Bool, at now: Double) -> [Turn] {
        if !isProof { scansSince = now }
        let asks = refusesParameters == nil
        state = .scanning(setup, provedAt: now, askedAt: asks ? now : nil)
        return (isProof ? [] : [.begins]) + [.proves] + (asks ? [.send(setup.probe)] : [])
    }

    private mutating func followProbe(
        _ setup: ScanSetup, _ status: UInt8, wasAsked: Bool, at now: Double
    ) -> [Turn] {
        if status == Self.disallowed {
            if wasAsked { refusesParameters = true }
            state = .scanning(setup, provedAt: now, askedAt: nil)
            return [.proves]
        }
        if refusesParameters == true { return interrupt(wasAsked ? .stopped : .otherProgram, at: now) }
        if wasAsked { refusesParameters = false }
        if case .scanning(_, let provedAt, _) = state {
            state = .scanning(setup, provedAt: provedAt, askedAt: nil)
        }
        return []
    }

    private mutating func interrupt(_ cause: Interruption, at now: Double) -> [Turn] {
        if now - scansSince >= Self.steadySeconds { interruptions = 0 }
        let wait = min(Self.shortestWait * Double(1 << min(interruptions, 10)), Self.longestWait)
        interruptions += 1
        state = .waiting(until: now + wait)
        return [.ends(cause)]
    }

    /// The reason why an event means that the controller forgot its set-up; nil when it does not.
    private static func restart(_ event: HCIEvent) -> Interruption? {
        switch event {
        case .completed(opcode: 0x0C03, _, _): .reset
        case .other(code: 0x10): .hardware
        case .completed, .heard, .other: nil
        }
    }

    /// The status by which a controller refuses a command that its present state does not allow.
    private static let disallowed: UInt8 = 0x0C
}
