package import MusterCore
package import MusterStore

extension Store {
    /// The fix that decided a crossing: a device's position of a sample time; nil where there is none.
    package func fix(of device: DeviceNumber, at sampleTime: Instant) throws -> Position? {
        try positions(
            of: device, from: sampleTime, to: sampleTime.advanced(bySeconds: 0.001), after: nil, limit: 1
        ).first
    }
}
