import Logging
package import MusterCore
package import MusterStore

/// Keeps the reports that cannot be read and that their senders will not send again, so that an operator can see what
/// was lost, and what to mend (`muster device refused`).
package struct RefusedReports: Sendable {
    private let coordinator: StoreCoordinator
    private let log: OccasionalLog
    /// How many reports of one user are stored: each is a write.
    private let rates = RequestRates(.init(tries: Double(RefusedReport.limitOfUser), perSecond: 1))

    init(coordinator: StoreCoordinator, log: OccasionalLog) {
        self.coordinator = coordinator
        self.log = log
    }

    /// Makes a report to store.
    ///
    /// - Parameters:
    ///   - principal: whose credential the sender showed.
    ///   - device: the device that the report is about, where it is known.
    ///   - topic: the MQTT topic or the path of the HTTP request.
    package func report(
        _ body: [UInt8], from principal: Principal, of device: DeviceNumber? = nil, at topic: String,
        because reason: String
    ) -> RefusedReport {
        RefusedReport(
            receivedAt: coordinator.now(), user: principal.user, device: device ?? principal.device, topic: topic,
            reason: reason, body: body)
    }

    /// Logs where a report came from and what it looks like, without its contents, at most once a minute for an event.
    ///
    /// - Parameter event: the name of the event in the metrics, which the caller counts.
    package func warn(of report: RefusedReport, event: StaticString) {
        log.warn(event, "A report cannot be read") {
            [
                "topic": .string(Self.plain(report.topic)), "reason": .string(Self.plain(report.reason)),
                "bytes": "\(report.byteCount)", "example": .string(PayloadExample.text(of: report.body)),
            ]
        }
    }

    /// Stores reports. They are on disk when this returns.
    ///
    /// A report that may be about strangers, such as what a gateway heard of passers-by, must not be stored. Reports of
    /// a user who sends more than one a second in the long run are left out; the log and the metrics show them.
    ///
    /// - Throws: `CoordinatorError` when the store cannot take them now. The sender must then send them again.
    package func store(_ reports: [RefusedReport]) async throws {
        let now = coordinator.now()
        let taken = reports.filter { rates.spendRequest("\($0.user.rawValue)", at: now) == 0 }
        if taken.isEmpty { return }
        let masked = taken.map { report in
            var report = report
            report.body = SecretMask.masking(report.body)
            return report
        }
        try await coordinator.edit(by: nil) { directory, draft in
            for report in masked where directory.users[report.user] != nil { try draft.transaction.put(report) }
        }
    }

    /// The text without control characters.
    private static func plain(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? " " : $0 }))
    }
}
