package import MusterCore
package import MusterStore
import Synchronization

extension MemoryStore {
    package func replay(
        of devices: [DeviceNumber], earliest: Instant, from: Instant, to: Instant,
        _ body: (DeviceNumber, Position?, [Position]) throws -> Void
    ) throws {
        for device in devices {
            let before = try positions(of: device, from: earliest, to: from, after: nil, limit: .max)
            let within = try positions(of: device, from: from, to: to, after: nil, limit: .max)
            try body(device, before.last, within)
        }
    }

    package func safetyHistory(of people: [UserNumber], from: Instant, to: Instant) throws -> [ReportedSafety] {
        let history = contents.withLock { $0.safetyHistory }
        return people.flatMap { user in
            let states = history[user] ?? []
            return (states.last { $0.at <= from }.map { [$0] } ?? []) + states.filter { $0.at > from && $0.at < to }
        }
    }

    package var safetyHistoryStart: Instant { Instant(milliseconds: 0) }
}

extension MemoryContents {
    mutating func forgetStates(before horizon: Instant, limit: Int) -> Int {
        var forgotten = 0
        for (user, states) in safetyHistory {
            let old = states.count { $0.at < horizon }
            let count = min(max(0, old - 1), limit - forgotten)
            safetyHistory[user] = Array(states.dropFirst(count))
            forgotten += count
        }
        return forgotten
    }
}
