public import Foundation
public import MusterReplication

extension Muster {
    /// How a `Muster` records and sends.
    public struct Options: Sendable {
        /// The key that encrypts recorded documents on this device: 16, 24 or 32 bytes, always the same for one store;
        /// nil for no encryption.
        public var key: Data?
        /// The filter that selects the locations to record while the app is in the foreground.
        public var foreground = LocationFilter.foreground
        /// The filter that selects the locations to record while the app is in the background.
        public var background = LocationFilter.background
        /// Seconds between two transactions that write tracked locations to this device's disk.
        public var recordSeconds = 5.0
        /// Seconds between two attempts to send documents that the server does not have, and to request incidents.
        /// Regions are requested with such an attempt at most every 15 minutes, or once the server names an unknown
        /// one.
        public var sendSeconds = 20.0
        /// Whether open datasets are synchronized as soon as the server's live feed reports a change. The feed holds a
        /// connection open, which a background session of URLSession cannot do. An app that receives pushes sets this
        /// to false, and calls `Dataset.synchronize` itself.
        public var followsDatasets = true
        /// The name of this run. It is part of the ids of recorded documents: two locations with one run name and one
        /// time are one document.
        public var run = UUID().uuidString.lowercased()
        /// The connections that carry all requests.
        public var connections = HTTPConnections.shared
        /// The clock, the waits and the randomness of retries.
        public var pacing = ReplicationPacing()

        /// The defaults of every property.
        public init() {}

        var pace: LocationTracker.Pace {
            var pace = LocationTracker.Pace()
            pace.readSeconds = recordSeconds
            pace.emitSeconds = sendSeconds
            pace.sleep = pacing.sleep
            return pace
        }
    }
}
