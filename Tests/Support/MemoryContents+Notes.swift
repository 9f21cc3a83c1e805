import MusterCore
import MusterStore

/// The sightings and notes of a memory store.
extension MemoryContents {
    func holds(_ sighting: Sighting, of device: DeviceNumber) -> Bool {
        let key = SightingKey(sighting)
        guard let history = sightings[device] else { return false }
        let index = history.partitioningIndex { SightingKey($0) >= key }
        return index < history.count && SightingKey(history[index]) == key
    }

    mutating func insert(_ sighting: Sighting, of device: DeviceNumber) {
        let key = SightingKey(sighting)
        var history = sightings.removeValue(forKey: device) ?? []
        let index = history.partitioningIndex { SightingKey($0) >= key }
        if index == history.count || SightingKey(history[index]) != key { history.insert(sighting, at: index) }
        sightings[device] = history
    }

    /// Deletes at most `limit` sightings older than the horizon. Returns their number.
    mutating func forgetSightings(before horizon: Instant, limit: Int) -> Int {
        var left = limit
        for device in sightings.keys.sorted() where left > 0 {
            let history = sightings[device] ?? []
            let count = min(left, history.partitioningIndex { $0.sampleTime >= horizon })
            sightings[device] = count == history.count ? nil : Array(history.dropFirst(count))
            left -= count
        }
        return limit - left
    }
}

extension [DeviceNote] {
    /// The index of the first note that is not before the name, in the order of names.
    func firstIndex(notBefore name: DeviceNote.Name) -> Int {
        partitioningIndex { !$0.name.precedes(name) }
    }

    func note(_ name: DeviceNote.Name) -> DeviceNote? {
        let index = firstIndex(notBefore: name)
        return index < count && !name.precedes(self[index].name) ? self[index] : nil
    }

    /// Inserts or replaces a note by its name. Where a device has too many waypoints, replaces the one received first.
    mutating func put(_ note: DeviceNote) {
        if self.note(note.name) != nil {
            self[firstIndex(notBefore: note.name)] = note
            return
        }
        let waypoints = lazy.filter { $0.name.kind == .waypoint }
        if note.name.kind == .waypoint, waypoints.count >= DeviceNote.waypointLimit,
            let first = waypoints.min(by: { $0.receivedTime < $1.receivedTime })
        {
            remove(at: firstIndex(notBefore: first.name))
        }
        insert(note, at: firstIndex(notBefore: note.name))
    }
}

extension DeviceNote.Name {
    /// Whether this name precedes another in a list: by kind, then by the bytes of the key. Two texts that look alike
    /// and are encoded differently are two keys.
    func precedes(_ other: Self) -> Bool {
        if kind != other.kind { return kind.rawValue < other.kind.rawValue }
        return key.utf8.lexicographicallyPrecedes(other.key.utf8)
    }
}
