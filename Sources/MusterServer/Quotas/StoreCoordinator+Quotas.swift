package import MusterCore
import MusterStore

/// Stores observations within the quotas of the users who own the devices.
extension StoreCoordinator {
    /// Stores all observations of one request or, when it throws, none.
    ///
    /// - Parameter sender: the principal that reports them; nil for the server itself.
    /// - Returns: the receipt, once the observations are on disk.
    /// - Throws: `CoordinatorError`. The sender should try again, except after the refusal of a quota that time does
    ///   not refill.
    package func ingest(_ observations: [Observation], by sender: Principal?) async throws(CoordinatorError) -> Receipt
    {
        if observations.isEmpty { return Receipt(sequence: store.lastSequence) }
        let claim = quotas.claim(observations, by: sender, in: directory)
        if let refused = claim.firstRefusal {
            quotas.giveBack(claim)
            throw .overQuota(refused)
        }
        return try await ingestClaimed(observations, by: sender, claim)
    }

    /// Stores the observations of one request that are within their users' quotas.
    ///
    /// - Returns: the refusals of the others, by their index in `observations`, once the stored ones are on disk.
    /// - Throws: `CoordinatorError`; then nothing was stored.
    package func ingestWithinQuotas(
        _ observations: [Observation], by sender: Principal?
    ) async throws(CoordinatorError) -> [Int: QuotaError] {
        if observations.isEmpty { return [:] }
        let claim = quotas.claim(observations, by: sender, in: directory)
        guard claim.firstRefusal != nil else {
            _ = try await ingestClaimed(observations, by: sender, claim)
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
        if !taken.isEmpty { _ = try await ingestClaimed(taken, by: sender, claim) }
        return refused
    }

    /// Changes a note of a device, within the quota of the device's owner. `change` receives the present note, nil for
    /// none, and returns the new one. Two changes at the same time are applied one after the other.
    ///
    /// - Parameter sender: the principal that changes it.
    /// - Returns: the text of the new note, once it is on disk.
    /// - Throws: the errors of `change`; `CoordinatorError`.
    package func changeNote(
        _ name: DeviceNote.Name, of device: DeviceNumber, by sender: Principal?,
        _ change: @escaping @Sendable (String?) throws -> String
    ) async throws -> String {
        let asked = Observation.note(DeviceNote(name, receivedTime: now(), body: ""), of: device)
        let claim = quotas.claim([asked], by: sender, in: directory)
        if let refused = claim.firstRefusal { throw CoordinatorError.overQuota(refused) }
        do {
            return try await withDecision(by: sender.map { Author($0) }) { engine, transaction, decision, now in
                let former = try transaction.deviceNote(name, of: device)?.body
                let body = try change(former)
                if body != former {
                    let note = DeviceNote(name, receivedTime: now, body: body)
                    try transaction.put(note, of: device)
                    _ = engine.decide(.note(note, of: device), now: now, into: &decision)
                }
                return body
            }
        } catch {
            quotas.giveBack(claim)
            throw error
        }
    }

    private func ingestClaimed(
        _ observations: [Observation], by sender: Principal?, _ claim: Quotas.Claim
    ) async throws(CoordinatorError) -> Receipt {
        do {
            let receipt = try await enqueue(.observations(observations, by: sender.map { Author($0) }))
            quotas.giveBack(receipt.tally.repeated, repeatedOf: observations.count, in: claim)
            return receipt
        } catch {
            quotas.giveBack(claim)
            throw error
        }
    }

    /// Measures the content of the store and updates the quotas.
    ///
    /// - Throws: the errors of reading the store.
    func measureUsage() async throws {
        let usage = try await read { try $0.usage() }
        quotas.adopt(usage, in: directory)
    }
}
