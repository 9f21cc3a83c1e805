import Synchronization

/// Limits the memory of request bodies whose requests have no answer yet, for each address, for each user and in total.
package final class BodyBudget: Sendable {
    private struct State {
        var total = 0
        var byAddress: [String: Int] = [:]
        var byUser: [Int32: Int] = [:]
    }

    /// The memory that one request holds. Give it back with `release`.
    package struct Hold: Sendable {
        /// The prefix of the address that the request came from.
        let address: String
        package fileprivate(set) var bytes = 0
        /// The number of the authenticated user who sent the request; nil before authentication.
        fileprivate var user: Int32?
        fileprivate var bytesOfUser = 0

        /// Makes a hold of nothing for a client at an address.
        package init(from address: String) { self.address = AddressPrefix.of(address) }
    }

    /// The limit that was reached.
    package enum Refusal: Error, Hashable {
        case address, user, total

        /// A message for people.
        package var words: String {
            switch self {
            case .address: "The bodies from this address have reached their memory limit. Send one after another."
            case .user: "The bodies of your requests have reached their memory limit. Send one after another."
            case .total: "Request bodies have reached the server's memory limit. Try again."
            }
        }
    }

    private let limits: ConnectionLimits
    private let state = Mutex(State())

    init(_ limits: ConnectionLimits) { self.limits = limits }

    /// Counts bytes that arrived. Bytes that arrive before the user is known count for the address alone.
    ///
    /// - Throws: `Refusal`; then the bytes are not counted.
    package func countBytes(_ count: Int, for hold: inout Hold, of user: Int32?) throws(Refusal) {
        if hold.user == nil { hold.user = user }
        let owner = hold.user
        let address = hold.address
        let refusal = state.withLock { state -> Refusal? in
            if state.total + count > limits.bodyBytes { return .total }
            let ofAddress = state.byAddress[address, default: 0] + count
            if ofAddress > limits.bodyBytesOfAddress { return .address }
            if let owner {
                let ofUser = state.byUser[owner, default: 0] + count
                if ofUser > limits.bodyBytesOfUser { return .user }
                state.byUser[owner] = ofUser
            }
            state.total += count
            state.byAddress[address] = ofAddress
            return nil
        }
        if let refusal { throw refusal }
        hold.bytes += count
        if owner != nil { hold.bytesOfUser += count }
    }

    /// Gives back the memory that a request held.
    package func release(_ hold: Hold) {
        guard hold.bytes > 0 else { return }
        state.withLock { state in
            state.total -= hold.bytes
            let left = state.byAddress[hold.address, default: 0] - hold.bytes
            state.byAddress[hold.address] = left > 0 ? left : nil
            guard let user = hold.user else { return }
            let leftOfUser = state.byUser[user, default: 0] - hold.bytesOfUser
            state.byUser[user] = leftOfUser > 0 ? leftOfUser : nil
        }
    }

    /// The number of bytes held now.
    var heldBytes: Int { state.withLock { $0.total } }
}
