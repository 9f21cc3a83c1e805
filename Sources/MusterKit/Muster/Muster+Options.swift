public import Foundation
public import MusterReplication

extension Muster {
    /// How a `Muster` records and sends.
    public struct Options: Sendable {
        /// The key that recorded documents are sealed with on this device: 16, 24 or 32 bytes, always the same for one
        /// store. Nil: they are not sealed.
        public var key: Data?
        /// Which locations are recorded while someone looks at the app.
        public var foreground = LocationFilter.foreground
        /// Which locations are recorded while nobody does.
        public var background = LocationFilter.background
        /// Seconds between two writes of what was tracked to this device's disk.
        public var recordSeconds = 5.0
        /// Seconds between two attempts to send documents that the server does not have, and to ask for regions and
        /// incidents.
        public var sendSeconds = 20.0
        /// Whether open datasets are synchronized as soon as the server's live feed tells of a change. It holds a
        /// connection open, which a background session of URLSession cannot do. An app that is told by pushes sets it
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
