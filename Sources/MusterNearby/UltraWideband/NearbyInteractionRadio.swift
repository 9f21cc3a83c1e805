#if canImport(NearbyInteraction) && !os(macOS)
    import Dispatch
    import Foundation
    import NearbyInteraction

    extension UltraWidebandRanging {
        /// A source that measures with this device's ultra-wideband chip. On a device without one it supports nothing.
        /// The app's Info.plist needs `NSNearbyInteractionUsageDescription`; the system asks the person when the first
        /// session runs.
        public static func nearbyInteraction(clock: NearbyClock = .system) -> UltraWidebandRanging {
            let device = NISession.deviceCapabilities
            return UltraWidebandRanging(
                capabilities: RangingCapabilities(
                    distance: device.supportsPreciseDistanceMeasurement ? .precise : nil,
                    direction: device.supportsDirectionMeasurement, reach: 50),
                clock: clock
            ) { NearbyInteractionRadio() }
        }
    }

    /// A session of Apple's NearbyInteraction with one peer.
    ///
    /// `@unchecked`: `queue` protects `session`, whose delegate's methods the system calls on it. The other properties
    /// never change.
    final class NearbyInteractionRadio: NSObject, UltraWidebandSession, NISessionDelegate, @unchecked Sendable {
        private let queue = DispatchQueue(label: "muster.nearby-interaction")
        private let session = NISession()
        private let stream: AsyncStream<UltraWidebandEvent>
        private let continuation: AsyncStream<UltraWidebandEvent>.Continuation

        override init() {
            (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(16))
            super.init()
            session.delegateQueue = queue
            session.delegate = self
        }

        var token: [UInt8]? {
            queue.sync {
                session.discoveryToken.flatMap {
                    try? NSKeyedArchiver.archivedData(withRootObject: $0, requiringSecureCoding: true)
                }.map(Array.init)
            }
        }

        func events() -> AsyncStream<UltraWidebandEvent> { stream }

        func run(withPeer token: [UInt8]) throws {
            guard
                let peer = try? NSKeyedUnarchiver.unarchivedObject(
                    ofClass: NIDiscoveryToken.self, from: Data(token))
            else { throw MeasurementError.report("it is not a discovery token") }
            queue.sync { session.run(NINearbyPeerConfiguration(peerToken: peer)) }
        }

        func invalidate() {
            queue.sync { session.invalidate() }
            continuation.finish()
        }

        func session(_ session: NISession, didUpdate nearbyObjects: [NINearbyObject]) {
            for object in nearbyObjects {
                continuation.yield(
                    .measured(
                        distance: object.distance.map(Double.init), direction: object.direction.map(SIMD3<Double>.init),
                        horizontalAngle: object.horizontalAngle.map(Double.init)))
            }
        }

        func session(
            _ session: NISession, didRemove nearbyObjects: [NINearbyObject], reason: NINearbyObject.RemovalReason
        ) {
            continuation.yield(reason == .peerEnded ? .peerEnded : .timedOut)
        }

        func sessionWasSuspended(_ session: NISession) { continuation.yield(.suspended) }

        func sessionSuspensionEnded(_ session: NISession) { continuation.yield(.suspensionEnded) }

        func session(_ session: NISession, didInvalidateWith error: any Error) {
            let code = (error as? NIError)?.code.rawValue
            let kind = code.flatMap { NearbyError.Kind(rawValue: $0) } ?? .sessionFailed
            continuation.yield(.invalidated(NearbyError(kind, error.localizedDescription)))
            continuation.finish()
        }
    }
#endif
