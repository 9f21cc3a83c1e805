import MusterCore
import MusterServer
import MusterStore

/// The version of a person in Amplify's model, by which a client orders what it hears of the person.
///
/// Of the model's fields `isSafe` alone changes, so the number is that of the last change of safety in the log. A
/// client drops what has no higher version than it has. So no version may be higher than that of the state it is shown
/// with: the client would drop the change that follows, and go on showing somebody as safe.
struct ModelVersion: Hashable, Sendable {
    var number: Int64
    /// When the person changed; nil for somebody of whom the server never heard.
    var changedAt: Instant?
    var isDeleted = false

    /// The version of somebody of whom the server never heard. The log's first change makes nobody's safety.
    static let first = ModelVersion(number: 1)

    /// The largest number that GraphQL's `Int` holds. After two thousand million changes versions rise no more.
    var shownNumber: Int64 { min(number, Int64(Int32.max)) }
}

extension OperationContext {
    /// Returns the versions of people, as they are shown by this operation.
    func versions(of people: [User]) async throws -> [UserNumber: ModelVersion] {
        // The states are read before the versions, so that no version is higher than its state's.
        let safety = try await self.safety(of: people)
        let reported = try await lastReports(of: people.filter { assumedVersion(of: $0) == nil })
        var versions: [UserNumber: ModelVersion] = [:]
        for user in people {
            versions[user.number] =
                assumedVersion(of: user)
                ?? reported[user.number].map { report in
                    let isShown = report.isSafe == safety[user.number]?.isSafe
                    let number = report.sequence.rawValue - (isShown ? 0 : 1)
                    return ModelVersion(number: max(1, number), changedAt: report.at)
                } ?? .first
        }
        return versions
    }

    /// Returns the last state of each of these people that the log reported.
    func lastReports(of people: [User]) async throws -> [UserNumber: ReportedSafety] {
        if people.isEmpty { return [:] }
        try spend(people.count)
        let end = Instant(milliseconds: 1 << 53)
        let found = try await read { store in
            try store.safetyHistory(of: people.map(\.number), from: end, to: end)
        }
        return Dictionary(found.map { ($0.user, $0) }, uniquingKeysWith: { $1 })
    }
}

extension ReportedSafety {
    /// Whether the person was safe, as Amplify's model says it.
    var isSafe: Bool? { Safety.isSafe(state, isDoubted: doubt != nil) }
}
