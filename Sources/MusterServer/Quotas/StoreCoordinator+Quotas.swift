package import MusterCore
import MusterStore

/// The road of observations, past the quotas of the users whose devices they are of.
extension StoreCoordinator {
    /// Takes observations of one request: all of them or, when it throws, none.
    ///
    /// - Parameter sender: who reports them; nil for the server itself.
    /// - Returns: once they are on disk.
    /// - Throws: `CoordinatorError`; the sender should try again, except after a quota's refusal that no time mends.
    package func ingest(_ observations: [Observation], by sender: Principal?) async throws(CoordinatorError) -> Receipt
    {
        if observations.isEmpty { return Receipt(sequence: store.lastSequence) }
        let claim = quotas.claim(observations, by: sender, in: directory)
        if let refused = claim.firstRefusal {
            quotas.giveBack(claim)
            throw .overQuota(refused)
        }
        return try await commit(observations, claim)
    }

    /// Takes those observations of one request that are within their users' quotas.
    ///
    /// - Returns: why others were not taken, by their index in `observations`; once what was taken is on disk.
    /// - Throws: `CoordinatorError`; then none was taken.
    func ingestWithinQuotas(
        _ observations: [Observation], by sender: Principal?
    ) async throws(CoordinatorError) -> [Int: QuotaError] {
        if observations.isEmpty { return [:] }
        let claim = quotas.claim(observations, by: sender, in: directory)
        guard claim.firstRefusal != nil else {
            _ = try await commit(observations, claim)
            return [:]
        }
        var refused: [Int: QuotaError] = [:]
        var taken: [Observation] = []
        for (index, observation) in observations.enumerated() {
            if let fault = claim.refusal(of: observation) {
                refused[index] = fault
            } else {
                taken.append(observation)
            }
        }
        if !taken.isEmpty { _ = try await commit(taken, claim) }
        return refused
    }

    private func commit(_ observations: [Observation], _ claim: Quotas.Claim) async throws(CoordinatorError) -> Receipt
    {
        do {
            return try await commit(.observations(observations))
        } catch {
            quotas.giveBack(claim)
            throw error
        }
    }

    /// Has the quotas look at what is stored now.
    ///
    /// - Throws: what reading throws.
    func measureUsage() async throws {
        let usage = try await read { try $0.usage() }
        quotas.adopt(usage, in: directory)
    }
}
