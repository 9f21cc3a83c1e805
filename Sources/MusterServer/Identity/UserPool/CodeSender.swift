package import Logging
import MusterCore
import MusterWire

/// Sends the codes of new accounts and passwords by a target of the operator: a signed webhook, which knows how to
/// reach people. It sends in the background, so that neither the answer nor its time tells a client who has an account.
/// A code that could not be sent is still there for an admin to hand over, and the log says so.
package struct CodeSender: Sendable {
    private let target: String
    private let identity: Identity
    private let caller: TargetCaller
    private let logger: Logger
    private let open = OpenQuestions()

    /// The seconds to wait before each further attempt.
    private static let delaysSeconds: [Int64] = [1, 5, 25]

    /// Makes a sender.
    ///
    /// - Parameter target: the name of the target. It may be made later, and removed.
    package init(target: String, identity: Identity, caller: TargetCaller, logger: Logger) {
        self.target = target
        self.identity = identity
        self.caller = caller
        self.logger = logger
    }

    /// Sends a code in the background.
    package func send(_ entry: ConfirmationCodes.Entry) {
        guard let target = identity.coordinator.directory.targets[target], target.isEnabled, target.kind == .webhook
        else { return record("The target is not there, is off or is no webhook", entry) }
        guard open.begin(to: target.number) else { return record("The target has too many codes to send", entry) }
        Task {
            defer { open.end(to: target.number) }
            await send(entry, by: target)
        }
    }

    private func send(_ entry: ConfirmationCodes.Entry, by target: Target) async {
        let body = Self.message(of: entry)
        for delay in Self.delaysSeconds + [nil] {
            do {
                _ = try await caller.ask(target, body, kind: "code")
                return identity.confirmations.recordSending(of: entry, succeeded: true)
            } catch {
                guard let delay else { break }
                do { try await Task.sleep(for: .seconds(delay)) } catch { return }
            }
        }
        record("The target did not accept the code", entry)
    }

    /// Records that a code was not sent. The log gets no code.
    private func record(_ why: String, _ entry: ConfirmationCodes.Entry) {
        identity.confirmations.recordSending(of: entry, succeeded: false)
        logger.warning(
            "A code was not sent; an admin finds it by GET /api/v1/codes",
            metadata: [
                "target": "\(target)", "user": "\(entry.user)", "purpose": "\(entry.purpose.rawValue)",
                "why": "\(why)",
            ])
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
