package import MusterHTTP
import MusterWire
import NIOCore
import Synchronization

/// The relay: carries streams of bytes between the devices of a team that cannot reach each other's address.
///
/// It passes bytes on unread, stores nothing, and logs nothing about anyone. The devices encrypt from end to end; the
/// server could not read the bytes. The rules are in docs/nearby.md.
package final class Relay: Sendable {
    private struct State {
        var switchboard: RelaySwitchboard
        /// The functions that make a connection send its outbox; called on any thread.
        var wakes: [RelaySwitchboard.ID: @Sendable () -> Void] = [:]
        /// The open connections, each with its proof.
        var seats: [RelaySwitchboard.ID: WeakSeat] = [:]
    }

    private struct WeakSeat {
        weak var seat: Seat?
    }

    let limits: RelayLimits
    /// Yields whether any device is connected, each time that this changes. It has one reader.
    package let demand: AsyncStream<Bool>
    private let demands: AsyncStream<Bool>.Continuation
    private let state: Mutex<State>

    package init(_ limits: RelayLimits = RelayLimits()) {
        self.limits = limits
        (demand, demands) = AsyncStream.makeStream(of: Bool.self, bufferingPolicy: .bufferingNewest(1))
        state = Mutex(State(switchboard: RelaySwitchboard(limits)))
    }

    /// A connection's place at the relay, with the right to it. The place is given up when this is released.
    package final class Seat: Sendable {
        let id: RelaySwitchboard.ID
        let relay: Relay
        fileprivate let principal: Principal
        fileprivate let proof: any RequestProof
        /// The connection's unit of work: counts its reads of the store for its user.
        fileprivate let work: RequestWork

        fileprivate init(
            _ id: RelaySwitchboard.ID, at relay: Relay, _ principal: Principal, _ proof: any RequestProof
        ) {
            self.id = id
            self.relay = relay
            self.principal = principal
            self.proof = proof
            let request = RequestWork.current
            work = RequestWork(from: request?.address ?? "")
            if let client = request?.client { work.setClient(client) }
        }

        deinit { relay.leave(id) }
    }

    /// Takes a place for a request's sender, before the connection becomes a WebSocket.
    ///
    /// - Throws: `RelayRefusal` when the sender belongs to no team, or a limit is reached.
    package func takeSeat(for principal: Principal, _ proof: any RequestProof) throws(RelayRefusal) -> Seat {
        guard let team = principal.team else { throw .noTeam }
        let admitted = state.withLock { state -> Result<RelaySwitchboard.ID, RelayRefusal> in
            do throws(RelayRefusal) {
                return .success(try state.switchboard.admit(principal.user, account: principal.name, team: team))
            } catch {
                return .failure(error)
            }
        }
        let seat = Seat(try admitted.get(), at: self, principal, proof)
        state.withLock { state in
            state.seats[seat.id] = WeakSeat(seat: seat)
            if state.seats.count == 1 { demands.yield(true) }
        }
        return seat
    }

    private func leave(_ id: RelaySwitchboard.ID) {
        change { state in
            state.wakes[id] = nil
            if state.seats.removeValue(forKey: id) != nil, state.seats.isEmpty { demands.yield(false) }
            state.switchboard.leave(id)
        }
    }

    // MARK: Calls from a connection

    /// Sets the function that makes a connection send its outbox.
    func connect(_ id: RelaySwitchboard.ID, _ wake: @escaping @Sendable () -> Void) {
        state.withLock { $0.wakes[id] = wake }
    }

    /// Removes the function that `connect` set.
    func disconnect(_ id: RelaySwitchboard.ID) { state.withLock { $0.wakes[id] = nil } }

    /// Handles frames that arrived together.
    ///
    /// - Returns: the seconds for which nothing more should be read, because the user sends too much.
    func receive(
        _ frames: [RelayFrame], bytes: Int, from id: RelaySwitchboard.ID, at now: ContinuousClock.Instant
    ) -> Double {
        change { state in
            let wait = state.switchboard.charge(frames, bytes: bytes, of: id, at: now)
            do throws(RelayError) {
                guard wait <= limits.owedSeconds else { throw .tooMuch }
                for frame in frames { try state.switchboard.receive(frame, from: id) }
            } catch {
                state.switchboard.end(id, .fault)
            }
            return wait
        }
    }

    /// Ends a connection with a farewell.
    func end(_ id: RelaySwitchboard.ID, _ farewell: RelayFrame.Farewell) {
        change { $0.switchboard.end(id, farewell) }
    }

    /// Whether the device has said hello.
    func hasSaidHello(_ id: RelaySwitchboard.ID) -> Bool {
        state.withLock { $0.switchboard.devices[id]?.announced != nil }
    }

    /// Takes the next bytes for a connection; nil when nothing waits.
    func takeOutbox(of id: RelaySwitchboard.ID, upTo count: Int) -> (bytes: ByteBuffer, isLast: Bool)? {
        state.withLock { $0.switchboard.takeOutbox(of: id, upTo: count) }
    }

    /// Changes the state, and then wakes the connections that have something to send.
    private func change<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        let (result, wakes) = state.withLock { state in
            let result = body(&state)
            return (result, state.switchboard.takeWoken().compactMap { state.wakes[$0] })
        }
        for wake in wakes { wake() }
        return result
    }

    // MARK: Rights

    /// Verifies the right of every connection again, and ends those that have lost it: whose credential or account has
    /// ended, or whose user has another team, role or name.
    package func verifyRights(by identity: Identity) async {
        let seats = state.withLock { state in state.seats.values.compactMap(\.seat) }
        for seat in seats where await hasLostRight(seat, by: identity) { end(seat.id, .rightEnded) }
    }

    /// Whether the sender has lost the right to a seat. False when the server cannot verify it now; the next beat
    /// verifies again.
    ///
    /// Call it once after `takeSeat`: `verifyRights` does not see a right that ended after the request's proof was
    /// verified and before the seat was taken.
    package func hasLostRight(_ seat: Seat, by identity: Identity) async -> Bool {
        do {
            let principal = try await RequestWork.$current.withValue(seat.work) {
                try await seat.proof.verify(by: identity, atOpening: false)
            }
            let former = seat.principal
            return principal.team != former.team || principal.role != former.role || principal.name != former.name
        } catch {
            return (error as? IdentityError)?.endsCredential ?? false
        }
    }

    // MARK: Metrics

    package var families: [MetricFamily] {
        let (counts, connections, owed) = state.withLock {
            ($0.switchboard.counts, $0.switchboard.devices.count, $0.switchboard.owedInAll)
        }
        return [
            MetricFamily("muster_relay_connections", .gauge, "Connections to the relay.", Double(connections)),
            MetricFamily("muster_relay_open_streams", .gauge, "Open streams.", Double(counts.openStreams)),
            MetricFamily("muster_relay_streams_total", .counter, "Streams opened.", Double(counts.streams)),
            MetricFamily("muster_relay_bytes_total", .counter, "Bytes of streams passed on.", Double(counts.bytes)),
            MetricFamily(
                "muster_relay_owed_bytes", .gauge, "Bytes of streams on their way to a device.", Double(owed)),
            MetricFamily(
                "muster_relay_slow_streams_total", .counter, "Streams closed because the other end reads too slowly.",
                Double(counts.slowStreams)),
            MetricFamily(
                "muster_relay_refused_total", .counter, "Connections refused by a limit.", Double(counts.refused)),
            MetricFamily(
                "muster_relay_farewells_total", .counter, "Connections that the relay ended, by reason.", by: "reason",
                RelayFrame.Farewell.allCases.map { ("\($0)", Double(counts.farewells[$0] ?? 0)) }),
        ]
    }
}
