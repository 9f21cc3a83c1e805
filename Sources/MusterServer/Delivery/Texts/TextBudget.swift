import MusterCore
import MusterStore

/// What each target may still send of a day's budget. A grant of some parts is stored before the first of them is sent,
/// so that a restart forgets at most the rest of a grant, and spends nothing twice.
actor TextBudget {
    private let coordinator: StoreCoordinator
    private let vault: SecretVault
    /// Granted parts that are not sent yet.
    private var grants: [TargetNumber: TextSettings.Grant] = [:]
    /// The grants under way, one of a target.
    private var granting: [TargetNumber: Task<Int, any Error>] = [:]

    /// The number of parts that one transaction takes of a budget.
    static let grantParts = 20

    init(coordinator: StoreCoordinator, vault: SecretVault) {
        self.coordinator = coordinator
        self.vault = vault
    }

    /// Takes parts for one text.
    ///
    /// - Returns: whether the budget of the day had them.
    /// - Throws: `CoordinatorError` where the grant cannot be stored; `SecretVaultError`.
    func take(_ parts: Int, of target: TargetNumber, at moment: Instant) async throws -> Bool {
        let day = TextSettings.day(of: moment)
        while true {
            if grants[target]?.day != day { grants[target] = .init(day: day) }
            if let left = grants[target]?.parts, left >= parts {
                grants[target]?.parts -= parts
                return true
            }
            // One grant at a time: a burst of texts would otherwise take one each, and a crash would lose them all.
            if let running = granting[target] {
                _ = await running.result
                continue
            }
            let task = Task { try await grant(max(parts, Self.grantParts), of: target, at: moment) }
            granting[target] = task
            let result = await task.result
            granting[target] = nil
            let granted = try result.get()
            grants[target, default: .init(day: day)].parts += granted
            if granted == 0 { return false }
        }
    }

    /// Gives back what a text did not use, because it certainly did not leave.
    func giveBack(_ parts: Int, of target: TargetNumber, at moment: Instant) {
        guard grants[target]?.day == TextSettings.day(of: moment) else { return }
        grants[target]?.parts += parts
    }

    private func grant(_ wanted: Int, of target: TargetNumber, at moment: Instant) async throws -> Int {
        try await coordinator.storeState { [vault] transaction, _ in
            let key = TargetSettings.key(of: target)
            guard let credential = try transaction.credential(.targetSecret, key: key) else { return 0 }
            var settings = try TargetSettings(credential, of: target, openedBy: vault)
            guard let granted = settings.texts?.take(wanted, at: moment), granted > 0 else { return 0 }
            try transaction.put(settings.credential(of: target, sealedBy: vault, at: credential.createdAt))
            return granted
        }
    }
}
