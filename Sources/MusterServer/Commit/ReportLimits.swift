/// What the server believes of a report, whichever endpoint received it.
package enum ReportLimits {
    /// How far in the future the time of a fix may be, in seconds.
    package static let futureToleranceSeconds: Double = 60
}
