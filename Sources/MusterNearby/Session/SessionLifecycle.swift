/// The states of a session, and the effects of each event. `SessionLifecycleTests` has the whole table.
struct SessionLifecycle: Hashable, Sendable {
    /// The state of a session.
    enum State: String, Hashable, Sendable, CaseIterable {
        /// It has never run.
        case ready
        /// It measures.
        case running
        /// The app paused it.
        case paused
        /// The platform suspended it: it measures nothing.
        case suspended
        /// The suspension is over, and the app has not run it again.
        case awaitingRun
        /// The peer was silent for too long. It may be run again.
        case timedOut
        /// The peer ended its session.
        case peerEnded
        /// It is over, and its token is no longer valid.
        case invalidated
    }

    /// An input to the session.
    enum Event: Hashable, Sendable {
        case run, pause, invalidate
        case suspend, endSuspension
        /// The suspension has lasted too long.
        case suspensionLimit
        case measured(RangeMeasurement)
        /// Nothing was measured for too long.
        case silence
        /// The peer said that its session is over.
        case peerEnded
        /// The source broke.
        case failed(NearbyError)
    }

    /// An action that the session must carry out.
    enum Effect: Hashable, Sendable {
        case start, stop
        case tell(NearbyUpdate)
        /// The app's call fails.
        case refuse(NearbyError)
    }

    private(set) var state = State.ready

    /// Whether nothing can happen to the session any more.
    var isOver: Bool { state == .invalidated }

    /// Applies an event, and returns the actions to carry out.
    mutating func handle(_ event: Event) -> [Effect] {
        let wasRunning = state == .running
        let end: [Effect] = wasRunning ? [.stop] : []
        switch (state, event) {
        case (.invalidated, .run):
            return refuse("the session was invalidated; a new one needs new tokens")
        case (.invalidated, _): return []
        case (_, .invalidate): return move(to: .invalidated, end + [.tell(.invalidated(nil))])
        case (_, .failed(let error)): return move(to: .invalidated, end + [.tell(.invalidated(error))])
        case (.peerEnded, .run): return refuse("the peer ended its session; a new one needs new tokens")
        case (.peerEnded, _): return []
        case (_, .peerEnded): return move(to: .peerEnded, end + [.tell(.removed(.peerEnded))])

        case (.suspended, .run): return refuse("the session is suspended until the app is active again")
        case (.suspended, .endSuspension): return move(to: .awaitingRun, [.tell(.suspensionEnded)])
        case (.suspended, .suspensionLimit):
            let error = NearbyError(.resourceUsageTimeout, "the session was suspended for too long")
            return move(to: .invalidated, [.tell(.invalidated(error))])
        case (.running, .suspend), (.awaitingRun, .suspend):
            return move(to: .suspended, end + [.tell(.suspended)])

        case (.running, .run): return []
        case (_, .run): return move(to: .running, [.start])
        case (.running, .pause): return move(to: .paused, [.stop])
        case (.awaitingRun, .pause): return move(to: .paused, [])
        case (.running, .measured(let measurement)): return [.tell(.measured(measurement))]
        case (.running, .silence): return move(to: .timedOut, [.stop, .tell(.removed(.timeout))])
        case (_, .pause), (_, .suspend), (_, .endSuspension), (_, .suspensionLimit), (_, .measured), (_, .silence):
            return []
        }
    }

    private mutating func move(to next: State, _ effects: [Effect]) -> [Effect] {
        state = next
        return effects
    }

    private func refuse(_ reason: String) -> [Effect] { [.refuse(NearbyError(.sessionFailed, reason))] }
}

/// An update that a session reports.
public enum NearbyUpdate: Hashable, Sendable {
    /// The peer was measured.
    case measured(RangeMeasurement)
    /// The peer is not measured any more.
    case removed(Removal)
    /// The platform suspended the session: nothing is measured until the suspension ends and the app runs it again.
    case suspended
    /// The suspension is over. The session does not run by itself: the app runs it again.
    case suspensionEnded
    /// The session is over, and its token no longer valid. The error is nil if the app ended the session.
    case invalidated(NearbyError?)

    /// Why a peer is not measured any more.
    public enum Removal: String, Hashable, Sendable, CaseIterable {
        /// Nothing was measured for too long. The session may be run again.
        case timeout
        /// The peer ended its session.
        case peerEnded
    }
}
