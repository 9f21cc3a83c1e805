package import MusterCore
import Synchronization

/// Reads sightings, and notes that devices reported about themselves.
extension SQLiteStore {
    package func sightings(
        of device: DeviceNumber, from: Instant, to: Instant, after cursor: SightingKey?, limit: Int
    ) throws -> [Sighting] {
        guard limit > 0, from < to, !removals.withLock({ $0.devices.contains(device) }) else { return [] }
        return try onReader { database in
            try SightingTable.sightings(
                of: device, from: from, after: cursor, before: to, limit: limit, in: database)
        }
    }

    package func latestSightings(before end: Instant) throws -> [(device: DeviceNumber, sampleTime: Instant)] {
        let removed = removals.withLock { $0.devices }
        return try onReader { try SightingTable.latest(before: end, in: $0) }.filter { !removed.contains($0.device) }
    }

    package func notes(
        of device: DeviceNumber, kind: DeviceNote.Kind?, after cursor: DeviceNote.Name?, limit: Int
    ) throws -> [DeviceNote] {
        guard limit > 0 else { return [] }
        return try onReader { database in
            try NoteTable.notes(of: device, kind: kind, after: cursor, limit: limit, in: database)
        }
    }

    package func cards(of devices: [DeviceNumber]) throws -> [DeviceNumber: DeviceNote] {
        try onReader { database in
            var cards: [DeviceNumber: DeviceNote] = [:]
            for device in devices {
                cards[device] = try NoteTable.deviceNote(DeviceNote.Name(.card), of: device, in: database)
            }
            return cards
        }
    }
}
