#if canImport(CoreLocation)
    import CoreLocation
    import Foundation

    /// The permission that Core Location asks the user for.
    public enum LocationAuthorization: Hashable, Sendable {
        /// Asks for none: the app has it already, or asks by itself.
        case none
        /// While the app is in use.
        case whenInUse
        /// Always, also after the system has ended the app.
        case always

        /// Asks for the permission: from iOS 18 on by a `CLServiceSession`, which keeps it until the returned function
        /// is called, before by a location manager.
        ///
        /// - Parameter tell: called on iOS 17 with what the permission allows, at the start and after each change. From
        ///   iOS 18 on it is not called, because each update says that.
        /// - Returns: ends the session, or the manager.
        func request(
            _ tell: @escaping @Sendable (LocationAvailability) -> Void
        ) async -> @Sendable () -> Void {
            if #available(iOS 18, *) {
                let session = CLServiceSession(authorization: requirement)
                return { session.invalidate() }
            }
            let watch = await PermissionWatch(self, tell)
            return { withExtendedLifetime(watch) {} }
        }

        @available(iOS 18, *)
        private var requirement: CLServiceSession.AuthorizationRequirement {
            switch self {
            case .none: .none
            case .whenInUse: .whenInUse
            case .always: .always
            }
        }
    }

    /// Asks for the permission and follows what the user answers, as long as it exists.
    @MainActor private final class PermissionWatch: NSObject, CLLocationManagerDelegate {
        private typealias Permission = (status: CLAuthorizationStatus, accuracy: CLAccuracyAuthorization)

        private let manager = CLLocationManager()
        private let changes: AsyncStream<Permission>.Continuation

        init(_ authorization: LocationAuthorization, _ tell: @escaping @Sendable (LocationAvailability) -> Void) {
            let (stream, continuation) = AsyncStream.makeStream(
                of: Permission.self, bufferingPolicy: .bufferingNewest(1))
            changes = continuation
            super.init()
            // Away from the main thread, which must not wait for `locationServicesEnabled()`.
            Task.detached { for await permission in stream { tell(Self.availability(permission)) } }
            // The system calls the delegate at once.
            manager.delegate = self
            switch authorization {
            case .none: break
            case .whenInUse: manager.requestWhenInUseAuthorization()
            case .always: manager.requestAlwaysAuthorization()
            }
        }

        deinit { changes.finish() }

        nonisolated func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
            changes.yield((manager.authorizationStatus, manager.accuracyAuthorization))
        }

        /// A question that the user has not answered refuses nothing.
        nonisolated private static func availability(_ permission: Permission) -> LocationAvailability {
            switch permission.status {
            case .denied: return CLLocationManager.locationServicesEnabled() ? .denied : .deniedForAllApps
            case .restricted: return .restricted
            default: return permission.accuracy == .reducedAccuracy ? .reducedAccuracy : .available
            }
        }
    }
#endif
