// What Scripts/apple-check must refuse. Each of these is newer than the oldest iOS, and nothing asks for the version.

import ActivityKit
import CoreLocation
import Synchronization

func newerThanTheOldestSystem<Attributes: ActivityAttributes>(_ activity: Activity<Attributes>.Type) {
    _ = CLServiceSession(authorization: .always)
    _ = Mutex(0)
    _ = UInt128(0)
    _ = activity.pushToStartTokenUpdates
}
