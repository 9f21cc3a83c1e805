/// The commands that make a Bluetooth controller report advertisements, one after the other. It listens and sends
/// nothing (a passive scan), and reports every frame, because each is a sighting.
package struct ScanSetup: Sendable {
    private enum Step: CaseIterable {
        case reset, eventMask, lowEnergyEventMask, supportedCommands
        case stopExtended, stop, extendedParameters, extendedEnable, parameters, enable
    }

    private var waiting: [Step]
    private var current: Step
    private var isExtended = false

    /// Whether the controller reports advertisements.
    package private(set) var isScanning = false

    /// - Parameter resets: whether the controller is this program's own. An adapter that the operating system uses too
    ///   is not reset.
    package init(resets: Bool) {
        let steps: [Step] = [.eventMask, .lowEnergyEventMask, .supportedCommands]
        waiting = resets ? steps : [.supportedCommands]
        current = resets ? .reset : .lowEnergyEventMask
    }

    /// The first command, as an H4 packet.
    package var firstCommand: [UInt8] { command(current) }

    /// Whether the controller is being reset.
    var isResetting: Bool { current == .reset }

    /// The command that sets the parameters of a scan, which a controller that scans must refuse, as an H4 packet.
    var probe: [UInt8] { command(probeStep) }

    /// The opcode of `probe`.
    var probeOpcode: UInt16 { Self.opcode(probeStep) }

    private var probeStep: Step { isExtended ? .extendedParameters : .parameters }

    /// Whether a command with this opcode begins or ends a scan.
    func enables(_ opcode: UInt16) -> Bool { opcode == Self.opcode(.enable) || opcode == Self.opcode(.extendedEnable) }

    /// Follows an event.
    ///
    /// - Returns: the next command; nil while the controller works, and once it scans.
    /// - Throws: `ScanSetupError` when the controller refuses a command that the scan needs.
    package mutating func follow(_ event: HCIEvent) throws(ScanSetupError) -> [UInt8]? {
        guard !isScanning, case .completed(let opcode, let status, let values) = event, opcode == Self.opcode(current)
        else { return nil }
        // A controller that does not scan may refuse to stop, and one without a mask of events has no use for it.
        let mayFail: [Step] = [.stopExtended, .stop, .supportedCommands]
        guard status == 0 || mayFail.contains(current) else {
            throw ScanSetupError(command: Self.name(current), status: status)
        }
        if current == .supportedCommands {
            isExtended = status == 0 && values.count > 37 && values[37] & 0x60 == 0x60
            waiting =
                isExtended ? [.stopExtended, .extendedParameters, .extendedEnable] : [.stop, .parameters, .enable]
        }
        guard !waiting.isEmpty else {
            isScanning = true
            return nil
        }
        current = waiting.removeFirst()
        return command(current)
    }

    private func command(_ step: Step) -> [UInt8] {
        let opcode = Self.opcode(step)
        let parameters = Self.parameters(step)
        return [
            HCIPacket.Kind.command.rawValue, UInt8(truncatingIfNeeded: opcode), UInt8(opcode >> 8),
            UInt8(parameters.count),
        ] + parameters
    }

    private static func opcode(_ step: Step) -> UInt16 {
        switch step {
        case .reset: 0x0C03
        case .eventMask: 0x0C01
        case .lowEnergyEventMask: 0x2001
        case .supportedCommands: 0x1002
        case .stopExtended, .extendedEnable: 0x2042
        case .stop, .enable: 0x200C
        case .extendedParameters: 0x2041
        case .parameters: 0x200B
        }
    }

    private static func parameters(_ step: Step) -> [UInt8] {
        // Every 100 ms it listens for 60 ms, in units of 0.625 ms; the rest is for the Wi-Fi on the same aerial.
        let (interval, window): (UInt8, UInt8) = (160, 96)
        switch step {
        case .reset, .supportedCommands: return []
        // All events of Core 4.0, with those of low energy.
        case .eventMask: return [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x3F]
        // With both forms of reports of advertisements.
        case .lowEnergyEventMask: return [0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0]
        case .stopExtended: return [0, 0, 0, 0, 0, 0]
        case .stop: return [0, 0]
        // Own address public, every advertiser, on the 1M channels, passive.
        case .extendedParameters: return [0, 0, 1, 0, interval, 0, window, 0]
        // No filter of duplicates, without an end.
        case .extendedEnable: return [1, 0, 0, 0, 0, 0]
        case .parameters: return [0, interval, 0, window, 0, 0, 0]
        case .enable: return [1, 0]
        }
    }

    private static func name(_ step: Step) -> StaticString {
        switch step {
        case .reset: "reset"
        case .eventMask, .lowEnergyEventMask: "report its events"
        case .supportedCommands: "tell what it can do"
        case .stopExtended, .stop: "stop an earlier scan"
        case .extendedParameters, .parameters: "set up a scan"
        case .extendedEnable, .enable: "scan"
        }
    }
}

/// The controller refused a command.
package struct ScanSetupError: Error, CustomStringConvertible {
    /// The command that was sent to the controller.
    let command: StaticString
    /// The controller's reason, by Bluetooth's list of error codes.
    let status: UInt8

    /// One sentence without a full stop.
    package var description: String {
        let reason =
            switch status {
            case 0x01: "it does not know the command"
            case 0x0C: "another program uses it"
            default: "its reason has the number \(status)"
            }
        return "the Bluetooth controller refused to \(command): \(reason)"
    }
}
