import MusterGeometry

extension Engine {
    /// So many observations are brought near at once: the memory of all of them is on its way at the same time, and
    /// stays in the nearest caches until their turn comes.
    static var approachCount: Int { 64 }

    /// Asks for the memory that the next observations will be decided from: states, presences, and leaves of indexes.
    /// Where people are scattered a decision waits for memory longer than it computes. Changes no answer.
    ///
    /// - Returns: a number without meaning, so that reading is not left out.
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
