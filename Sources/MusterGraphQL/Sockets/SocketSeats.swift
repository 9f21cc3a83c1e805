import MusterHTTP
import MusterServer
import Synchronization

/// Counts the open WebSockets: those of each user, and those of clients that have not proven who they are.
final class SocketSeats: Sendable {
    private struct State {
        var strangers = 0
        var strangersByAddress: [String: Int] = [:]
        /// How many WebSockets were refused because of a limit, since the server started.
        var refused = 0
        var shares: FeedShares
    }

    /// Why a WebSocket is refused.
    enum Refusal: Error, Hashable {
        case addressHasItsShare
        case userHasItsShare(limit: Int)
        case isFull

        /// A sentence that tells a person what to do.
        var words: String {
            switch self {
            case .addressHasItsShare: "Too many WebSockets from your address wait for their connection_init."
            case .userHasItsShare(let limit): "You have \(limit) WebSockets open, which is the limit: close one first."
            case .isFull: "The server has reached its limit of WebSockets. Try again later."
            }
        }
    }

    let limits: SocketLimits
    private let state: Mutex<State>

    init(_ limits: SocketLimits) {
        self.limits = limits
        state = Mutex(State(shares: FeedShares(capacity: limits.sockets)))
    }

    /// The metrics of the WebSockets.
    var families: [MetricFamily] {
        let (proven, strangers, refused) = state.withLock { ($0.shares.count, $0.strangers, $0.refused) }
        return [
            MetricFamily(
                "muster_graphql_websockets", .gauge, "WebSockets at /graphql, by whether they have signed in.",
                by: "signed_in", [("yes", Double(proven)), ("no", Double(strangers))]),
            MetricFamily(
                "muster_graphql_refused_websockets_total", .counter,
                "WebSockets at /graphql that were refused because a limit was reached.", Double(refused)),
        ]
    }

    /// A WebSocket's place. It is given up when this is released.
    final class Seat: Sendable {
        private enum Place {
            case stranger(String)
            case proven(FeedOwner)
        }

        private let seats: SocketSeats
        private let place: Mutex<Place>

        fileprivate init(_ seats: SocketSeats, ofPrefix prefix: String) {
            self.seats = seats
            place = Mutex(.stranger(prefix))
        }

        deinit {
            place.withLock { place in
                switch place {
                case .stranger(let prefix): seats.leave(prefix)
                case .proven(let owner): seats.state.withLock { $0.shares.close(owner) }
                }
            }
        }

        /// Counts the WebSocket for its user from now on. Call it once.
        ///
        /// - Throws: `Refusal`; then it counts as a stranger's, as before.
        func prove(as owner: FeedOwner) throws(Refusal) {
            do throws(FeedShares.Refusal) {
                let opened = seats.state.withLock { state in
                    Result { () throws(FeedShares.Refusal) in try state.shares.open(owner) }
                }
                try opened.get()
            } catch {
                seats.state.withLock { $0.refused += 1 }
                if case .userHasItsShare(let limit) = error { throw .userHasItsShare(limit: limit) }
                throw .isFull
            }
            let former = place.withLock { place in
                defer { place = .proven(owner) }
                return place
            }
            if case .stranger(let prefix) = former { seats.leave(prefix) }
        }
    }

    /// Takes a place for a client that has not begun.
    ///
    /// - Parameter isProven: whether its request proved who it is. Strangers cannot take the place of such a client.
    /// - Throws: `Refusal`.
    func takeSeat(from address: String, isProven: Bool) throws(Refusal) -> Seat {
        let prefix = AddressPrefix.of(address)
        let refusal = state.withLock { state -> Refusal? in
            let count = state.strangersByAddress[prefix, default: 0]
            let hasItsShare = count >= limits.strangersOfAddress
            if !isProven, hasItsShare || state.strangers >= limits.strangers {
                state.refused += 1
                return hasItsShare ? .addressHasItsShare : .isFull
            }
            state.strangers += 1
            state.strangersByAddress[prefix] = count + 1
            return nil
        }
        if let refusal { throw refusal }
        return Seat(self, ofPrefix: prefix)
    }

    private func leave(_ prefix: String) {
        state.withLock { state in
            state.strangers -= 1
            state.strangersByAddress[prefix] = state.strangersByAddress[prefix].flatMap { $0 > 1 ? $0 - 1 : nil }
        }
    }
}
