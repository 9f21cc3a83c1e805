import Synchronization

/// Limits the memory of answers that their clients have not read yet, for each user and in total. Before a request is
/// authenticated its address counts in the place of the user.
///
/// One answer of each owner is always sent, even if it is large, and even if many bytes wait for other owners.
package final class AnswerBudget: Sendable {
    /// The user or the address that an answer is counted for.
    enum Owner: Hashable, Sendable {
        case user(Int32)
        /// The prefix of the address of a client that has not been authenticated.
        case address(String)
    }

    /// The memory that the answers on one connection hold. Give it back with `release`.
    package struct Hold: Sendable {
        let owner: Owner
        fileprivate(set) var bytes = 0

        package init(of work: RequestWork) {
            owner = work.client.map { .user($0.number) } ?? .address(AddressPrefix.of(work.address))
        }
    }

    private struct State {
        var total = 0
        var byOwner: [Owner: Int] = [:]
    }

    /// The words of a refusal, for people.
    static let words =
        "The answers that you have not read yet have reached their memory limit. Ask for one after another."

    private let limits: ConnectionLimits
    private let state = Mutex(State())

    init(_ limits: ConnectionLimits) { self.limits = limits }

    /// Sets the number of bytes that wait on a connection.
    ///
    /// - Returns: false when a limit is reached; then the hold is as it was.
    package func setBytes(_ bytes: Int, of hold: inout Hold) -> Bool {
        let (owner, former) = (hold.owner, hold.bytes)
        let isAdmitted = state.withLock { state in
            let others = state.byOwner[owner, default: 0] - former
            let total = state.total - former + bytes
            let isOver = others + bytes > limit(of: owner) || total > limits.bodyBytes
            if bytes > former, others > 0, isOver { return false }
            state.total = total
            state.byOwner[owner] = others + bytes > 0 ? others + bytes : nil
            return true
        }
        if isAdmitted { hold.bytes = bytes }
        return isAdmitted
    }

    /// Gives back what a connection held.
    package func release(_ hold: Hold) {
        var hold = hold
        _ = setBytes(0, of: &hold)
    }

    private func limit(of owner: Owner) -> Int {
        switch owner {
        case .user: limits.bodyBytesOfUser
        case .address: limits.bodyBytesOfAddress
        }
    }

    /// The number of bytes held now.
    var heldBytes: Int { state.withLock { $0.total } }
}
