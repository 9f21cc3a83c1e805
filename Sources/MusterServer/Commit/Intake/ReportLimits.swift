/// Limits of reported data that hold for every endpoint.
package enum ReportLimits {
    /// How far a reported time may lie in the future, in seconds.
    package static let futureToleranceSeconds: Double = 60
}
