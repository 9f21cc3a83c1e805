/// Signals are written to the log, and decide nothing else.
extension Engine {
    /// A signal of a device does not show that its owner was heard: the device may be a button on a wall that anyone
    /// presses, and a person who is silent must not count as safe because of it.
    func decideSignal(_ signal: Signal, of device: DeviceNumber, into decision: inout Decision) -> Verdict {
        decision.scratch.changes.append(.signal(signal, of: device))
        return .accepted
    }
}
