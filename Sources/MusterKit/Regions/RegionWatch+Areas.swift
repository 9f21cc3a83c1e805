package import MusterGeometry
import MusterMutex

extension RegionWatch {
    /// A region with its area, for a map and for the way to it.
    package struct Area: Hashable, Sendable {
        /// The region's name.
        package var region: Name
        /// The title that the app shows to a person.
        package var title: String
        /// The area; nil for a beacon region without a place.
        package var shape: Shape?
        /// Whether people are safe in it.
        package var isMuster: Bool
        /// Whether a radio decides who is inside, and no position does.
        package var isByBeacon: Bool

        /// A region with its area.
        package init(region: Name, title: String, shape: Shape?, isMuster: Bool, isByBeacon: Bool) {
            self.region = region
            self.title = title
            self.shape = shape
            self.isMuster = isMuster
            self.isByBeacon = isByBeacon
        }
    }

    /// Returns the regions of the team with their areas, by the server's last response. It needs no network.
    ///
    /// - Complexity: O(regions).
    package func areas() -> [Area] {
        state.withLock { state in
            state.device.directory.regions.all.compactMap { region in
                state.device.name(of: region.number).map { name in
                    Area(
                        region: name, title: region.name, shape: region.shape, isMuster: region.isMuster,
                        isByBeacon: region.beacon != nil)
                }
            }
        }
    }

    /// A number that grows whenever the regions may have changed.
    package var regionsVersion: Int { state.withLock { $0.device.knownVersion } }
}

extension Muster {
    /// The regions of the team with their areas; an empty list while nobody is signed in.
    package func areas() -> [RegionWatch.Area] { state.withLock { $0.run }?.watch.areas() ?? [] }

    /// A number that grows whenever `areas()` may have changed.
    package var regionsVersion: Int { state.withLock { $0.run }?.watch.regionsVersion ?? 0 }

    /// Requests the regions from the server now.
    ///
    /// - Throws: `ReplicationError`; `LocalStoreError` if they cannot be stored.
    package func refreshRegions() async throws { try await state.withLock { $0.run }?.watch.refresh() }
}
