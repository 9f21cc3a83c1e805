import MusterCore
import Synchronization

/// Limits how many codes a sender sends, over all names and addresses.
final class SendingLimits: Sendable {
    private struct Buckets {
        /// 60 new accounts and 1,000 passwords an hour. They are counted separately, so that a flood of sign-ups does
        /// not keep users from a new password.
        var signUps = TokenBuckets(.init(tries: 60, perSecond: 60.0 / 3600), capacity: 1)
        var passwords = TokenBuckets(.init(tries: 1_000, perSecond: 1_000.0 / 3600), capacity: 1)
        /// Five codes a day to each mail address or phone number, because `SignUp` accepts anyone's.
        var addresses = TokenBuckets(.init(tries: 5, perSecond: 5.0 / 86_400), capacity: 10_000)
    }

    private let buckets = Mutex(Buckets())

    /// Counts a code that is about to be sent.
    ///
    /// - Returns: false when a limit is reached, and then nothing is counted.
    func spend(_ entry: ConfirmationCodes.Entry, at now: Instant) -> Bool {
        let stated = [entry.contact?.email, entry.contact?.phoneNumber].compactMap { $0?.lowercased() }
        return buckets.withLock { buckets in
            guard entry.purpose == .signUp else { return buckets.passwords.spendOne(for: "", at: now) == 0 }
            guard buckets.signUps.secondsUntilOne(for: "", at: now) == 0,
                stated.allSatisfy({ buckets.addresses.secondsUntilOne(for: $0, at: now) == 0 })
            else { return false }
            buckets.signUps.add(-1, for: "", at: now)
            for address in stated { buckets.addresses.add(-1, for: address, at: now) }
            return true
        }
    }
}

/// Limits the simultaneous calls to the target that sends codes. Further calls wait in the order in which they came.
final class SendingSlots: Sendable {
    private struct State {
        /// Codes that are being sent, or wait for an attempt.
        var codes = 0
        var free = 16
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    /// The most codes at once.
    private static let limit = 1_000

    private let state = Mutex(State())

    /// Counts a code; false when there are too many.
    func enter() -> Bool {
        state.withLock { state in
            guard state.codes < Self.limit else { return false }
            state.codes += 1
            return true
        }
    }

    func leave() { state.withLock { $0.codes -= 1 } }

    /// Waits for a slot.
    func acquire() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                guard state.free > 0 else {
                    state.waiting.append(continuation)
                    return false
                }
                state.free -= 1
                return true
            }
            if isFree { continuation.resume() }
        }
    }

    /// Gives a slot back, and passes it to the call that has waited longest.
    func release() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard !state.waiting.isEmpty else {
                state.free += 1
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?.resume()
    }
}
