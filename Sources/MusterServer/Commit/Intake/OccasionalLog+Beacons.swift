import Logging
package import MusterCore

/// Warnings about what beacons send.
extension OccasionalLog {
    /// Counts and warns of encrypted BTHome frames, which the server cannot read.
    package func warnOfEncryption(_ metrics: Metrics, heardBy gateway: Device, in directory: Directory) {
        metrics.count(event: "beacon_encrypted")
        warn(
            "beacon_encrypted",
            "A tag sends encrypted BTHome, of which only its Bluetooth address counts: switch its encryption off"
        ) { ["gateway": .string(directory.qualifiedName(of: gateway.number) ?? "")] }
    }
}
