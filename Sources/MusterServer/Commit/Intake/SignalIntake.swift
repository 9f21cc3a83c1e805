import MusterCoding
package import MusterCore
import MusterWire

/// Translates the signals that endpoints receive into observations.
package enum SignalIntake {
    /// An id for a signal whose sender chose none.
    package static func makeID() -> String { SecretToken.randomBytes(12).hexadecimal }

    /// The signal as an observation of a device that the caller may report for.
    package static func observation(of signal: Signal, of device: DeviceNumber, by access: Access) -> Observation {
        var signal = signal
        signal.reporter = access.reporter(of: device)
        return .signal(signal, of: device)
    }

    /// The times that a signal may have.
    package struct Window {
        private let earliest: Instant
        private let latest: Instant

        package init(now: Instant, retentionDays: Double) {
            earliest = now.advanced(bySeconds: -retentionDays * 86_400)
            latest = now.advanced(bySeconds: ReportLimits.futureToleranceSeconds)
        }

        /// Why a signal may not have this sample time, in words that follow the place; nil when it may.
        package func fault(of sampleTime: Instant) -> String? {
            if sampleTime > latest { return "is more than 60 s ahead of the server's clock" }
            if sampleTime < earliest { return "is before \(earliest.rfc3339), the oldest stored time" }
            return nil
        }
    }
}
