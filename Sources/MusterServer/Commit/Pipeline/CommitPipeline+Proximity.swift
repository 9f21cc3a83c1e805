import MusterCore
import MusterStore

/// Stores proximity rules and alarms.
extension CommitPipeline {
    /// Stores the proximity rules and alarms that this decision changes.
    func storeProximityRules(in transaction: any StoreTransaction) throws {
        for (number, rule) in decision.proximityRulesToStore {
            if let rule { try transaction.put(rule) } else { try transaction.remove(number) }
        }
        for (rule, user, alarm) in decision.proximityAlarmsToStore {
            if let alarm {
                try transaction.put(alarm, of: rule)
            } else {
                try transaction.removeAlarm(of: user, from: rule)
            }
        }
    }
}
