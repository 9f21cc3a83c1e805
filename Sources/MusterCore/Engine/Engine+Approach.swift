import MusterGeometry

/// Prefetches the memory that the next observations need. It changes no result, only the time.
extension Engine {
    /// How many observations `approach` prefetches at once: their memory loads overlap, and the data stays in the
    /// nearest caches until the engine decides them.
    static var approachCount: Int { 64 }

    /// Prefetches the memory that the decisions of the next observations read: states, presences, and leaves of
    /// indexes. Where devices are scattered, a decision waits for memory longer than it computes. No result changes.
    ///
    /// - Returns: a number without meaning, so that the compiler keeps the reads.
    @inline(never)
    func approach(_ observations: [Observation], from first: Int) -> Int {
        let end = min(first + Self.approachCount, observations.count)
        var touched = 0
        withUnsafeTemporaryAllocation(of: Coordinate.self, capacity: Self.approachCount) { places in
            var count = 0
            var user: UserNumber?
            for index in first..<end {
                guard case .position(let position, let device) = observations[index],
                    devices.indices.contains(Int(device.rawValue))
                else { continue }
                places[count] = position.coordinate
                count += 1
                user = user ?? devices[Int(device.rawValue)].user
                touched &+= devices[Int(device.rawValue)].presences.count
            }
            touched &+= catalog.approach(UnsafeBufferPointer(rebasing: places[..<count]), for: tracker(of: user))
        }
        return touched
    }
}
