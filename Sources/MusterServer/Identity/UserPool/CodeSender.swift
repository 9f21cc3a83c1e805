package import Logging
import MusterCore
import MusterWire

/// Sends the codes of new accounts and passwords by a target of the operator: a signed webhook, whose receiver can
/// reach people. It sends in the background, so that neither the answer nor its time reveals who has an account. A code
/// that could not be sent is still there for an admin to hand over, and the log says so.
///
/// Anyone may ask for a code for any name, and give any address in `SignUp`. So the number of codes is limited for each
/// name, for each address and for all together, regardless of the caller.
package struct CodeSender: Sendable {
    private let target: String
    private let identity: Identity
    private let caller: TargetCaller
    private let warnings: OccasionalLog
    private let limits = SendingLimits()
    private let slots = SendingSlots()

    /// The seconds to wait before each further attempt.
    private static let delaysSeconds: [Int64] = [1, 5, 25]

    /// Makes a sender. The log has a warning where the target does not exist now.
    ///
    /// - Parameter target: the name of the target. It may be made later, and removed.
    package init(target: String, identity: Identity, caller: TargetCaller, logger: Logger) {
        self.target = target
        self.identity = identity
        self.caller = caller
        warnings = OccasionalLog(logger) { identity.now() }
        if usableTarget == nil {
            logger.warning(
                "The target that sends codes does not exist, is off, or is not a webhook: codes wait for an admin",
                metadata: ["target": "\(target)"])
        }
    }

    private var usableTarget: Target? {
        guard let target = identity.coordinator.directory.targets[target], target.isEnabled, target.kind == .webhook
        else { return nil }
        return target
    }

    /// Sends a code in the background, unless it was sent lately or often enough.
    package func send(_ entry: ConfirmationCodes.Entry) {
        guard let target = usableTarget else {
            return record("code_without_target", "The target does not exist, is off, or is not a webhook", entry)
        }
        let now = identity.now()
        guard identity.confirmations.beginSending(of: entry, at: now) else { return }
        guard limits.spend(entry, at: now) else {
            return record("code_over_rate", "Too many codes were sent lately", entry)
        }
        guard slots.enter() else { return record("code_over_queue", "Too many codes wait to be sent", entry) }
        Task {
            defer { slots.leave() }
            await send(entry, by: target)
        }
    }

    private func send(_ entry: ConfirmationCodes.Entry, by target: Target) async {
        let body = Self.message(of: entry)
        for delay in Self.delaysSeconds + [nil] {
            // Only a call takes a slot, and not the wait after one that failed.
            await slots.acquire()
            let succeeded = (try? await caller.requestAnswer(of: target, body, kind: "code")) != nil
            slots.release()
            if succeeded { return identity.confirmations.recordSending(of: entry, succeeded: true) }
            guard let delay else { break }
            do { try await Task.sleep(for: .seconds(delay)) } catch { break }
        }
        record("code_not_accepted", "The target did not accept the code", entry)
    }

    /// Records that a code was not sent. The log says so once a minute for each reason, because anyone may ask for
    /// codes, and never contains the code.
    private func record(_ kind: StaticString, _ why: String, _ entry: ConfirmationCodes.Entry) {
        identity.confirmations.recordSending(of: entry, succeeded: false)
        warnings.warn(kind, "A code was not sent; an admin finds it by GET /api/v1/codes") {
            [
                "target": "\(target)", "user": "\(entry.user)", "purpose": "\(entry.purpose.rawValue)",
                "why": "\(why)",
            ]
        }
    }

    /// The webhook's body.
    private static func message(of entry: ConfirmationCodes.Entry) -> [UInt8] {
        JSONWriter.object { writer in
            writer.member("type", "ConfirmationCode")
            writer.member("purpose", entry.purpose.rawValue)
            writer.member("user", entry.user)
            writer.member("code", entry.code)
            writer.key("expiresAt")
            writer.value(entry.expiresAt)
            if let email = entry.contact?.email { writer.member("email", email) }
            if let number = entry.contact?.phoneNumber { writer.member("phoneNumber", number) }
        }
    }
}
