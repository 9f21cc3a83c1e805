import Foundation

extension Outbox {
    /// A call for help that stands, and whether the server does not have it yet.
    struct Call: Hashable {
        var kind: Order.Declaration
        var isUnsent: Bool
    }

    /// The call for help that stands: the server's, changed by what was said here since the server was last heard, by
    /// the rules of docs/safety.md. An SOS lasts until somebody clears it: "I am safe" and "I need help" do not end it.
    func callStanding(over state: TeamState) -> Call? {
        var call: Call?
        if let me = state.me, me.state.isCall {
            call = Call(kind: me.state == .sos ? .sos : .needsHelp, isUnsent: false)
        }
        for delivery in deliveries where delivery.order.turnsCall {
            guard case .declare(let kind, state.user, _, _) = delivery.order.kind else { continue }
            var isReceived = false
            switch delivery.state {
            case .counting, .refused, .cancelled, .received(isLate: true): continue
            case .received(isLate: false):
                if let heardAt = state.heardAt, delivery.at <= heardAt { continue }
                isReceived = true
            case .sending, .failed: break
            }
            let isSOS = call?.kind == .sos
            switch kind {
            case .clear: call = nil
            case .safe where !isSOS: call = nil
            case .sos: call = Call(kind: .sos, isUnsent: !isReceived)
            case .needsHelp where !isSOS: call = Call(kind: .needsHelp, isUnsent: !isReceived)
            default: break
            }
        }
        return call
    }

    /// The kind of the call for help that stands, as far as this phone knows.
    func callKind(of state: TeamState) -> Order.Declaration? { callStanding(over: state)?.kind }
}
