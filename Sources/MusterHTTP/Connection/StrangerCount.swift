import Synchronization

/// Counts the connections whose clients have not yet shown who they are, and limits them in all and for each address.
/// An IPv6 /64 counts as one address.
package final class StrangerCount: Sendable {
    private struct State {
        var ofAddress: [String: Int] = [:]
        var count = 0
        var refused = 0
    }

    private let limit: Int
    private let limitOfAddress: Int
    private let state = Mutex(State())

    package init(limit: Int, limitOfAddress: Int) {
        self.limit = limit
        self.limitOfAddress = limitOfAddress
    }

    /// Counts a connection.
    ///
    /// - Returns: false when a limit is reached, and then the connection is not counted.
    package func admit(from address: String) -> Bool {
        let prefix = AddressPrefix.of(address)
        return state.withLock { state in
            guard state.count < limit, state.ofAddress[prefix, default: 0] < limitOfAddress else {
                state.refused += 1
                return false
            }
            state.ofAddress[prefix, default: 0] += 1
            state.count += 1
            return true
        }
    }

    /// Removes a connection from the count: its client has shown who it is, or has closed before.
    package func remove(from address: String) {
        let prefix = AddressPrefix.of(address)
        state.withLock { state in
            state.ofAddress[prefix] = state.ofAddress[prefix].flatMap { $0 > 1 ? $0 - 1 : nil }
            state.count -= 1
        }
    }

    /// The number of connections now, and of those that were refused since the start.
    package var counts: (now: Int, refused: Int) { state.withLock { ($0.count, $0.refused) } }
}
