import CoreLocation
import Foundation
import MusterApp

/// Where the phone points, by Core Location's compass, while somebody reads it and the app is seen.
struct Compass: HeadingSource {
    /// The headings.
    func headings() -> AsyncStream<PhoneHeading> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let task = Task { @MainActor in
                let reader = CompassReader { continuation.yield($0) }
                CompassSwitch.shared.add(reader)
                defer { CompassSwitch.shared.remove(reader) }
                // Ends when the reader of the headings stops.
                let (never, ending) = AsyncStream<Never>.makeStream()
                for await _ in never {}
                ending.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }
}

/// Switches the compass off while the app is not seen, where nobody looks at an arrow.
@MainActor final class CompassSwitch {
    /// The one of this process.
    static let shared = CompassSwitch()

    private var readers: [CompassReader] = []
    /// Whether the app is seen.
    var isOn = false {
        didSet { for reader in readers { isOn ? reader.start() : reader.stop() } }
    }

    fileprivate func add(_ reader: CompassReader) {
        readers.append(reader)
        if isOn { reader.start() }
    }

    fileprivate func remove(_ reader: CompassReader) {
        reader.stop()
        readers.removeAll { $0 === reader }
    }
}

/// Reads the compass on the main thread, where its manager is made and calls back. Headings are of the phone's upper
/// edge, as the arrow is: the app is shown upright only.
@MainActor private final class CompassReader: NSObject, CLLocationManagerDelegate {
    private let manager = CLLocationManager()
    private let tell: @Sendable (PhoneHeading) -> Void

    init(_ tell: @escaping @Sendable (PhoneHeading) -> Void) {
        self.tell = tell
        super.init()
        manager.delegate = self
    }

    func start() { if CLLocationManager.headingAvailable() { manager.startUpdatingHeading() } }
    func stop() { manager.stopUpdatingHeading() }

    nonisolated func locationManager(_ manager: CLLocationManager, didUpdateHeading newHeading: CLHeading) {
        // True north needs a position. Without one the heading is negative, and no arrow turns by it.
        guard newHeading.trueHeading >= 0 else { return }
        tell(PhoneHeading(degrees: newHeading.trueHeading, accuracyDegrees: newHeading.headingAccuracy))
    }
}
