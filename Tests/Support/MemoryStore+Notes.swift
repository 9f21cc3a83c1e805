package import MusterCore
package import MusterStore
import Synchronization

extension MemoryStore {
    package func sightings(
        of device: DeviceNumber, from: Instant, to: Instant, after cursor: SightingKey?, limit: Int
    ) throws -> [Sighting] {
        guard limit > 0, from < to else { return [] }
        let history = contents.withLock { $0.sightings[device] ?? [] }
        let start = history.partitioningIndex { sighting in
            sighting.sampleTime >= from && cursor.map { SightingKey(sighting) > $0 } ?? true
        }
        return Array(history[start...].prefix(limit).prefix { $0.sampleTime < to })
    }

    package func latestSightings(before end: Instant) throws -> [(device: DeviceNumber, sampleTime: Instant)] {
        let (sightings, devices) = contents.withLock { ($0.sightings, $0.devices) }
        return devices.keys.sorted().compactMap { device in
            sightings[device]?.last { $0.sampleTime < end }.map { (device, $0.sampleTime) }
        }
    }

    package func notes(
        of device: DeviceNumber, kind: DeviceNote.Kind?, after cursor: DeviceNote.Name?, limit: Int
    ) throws -> [DeviceNote] {
        let notes = contents.withLock { $0.notes[device] ?? [] }
        let wanted = notes.lazy.filter { note in
            (kind.map { note.name.kind == $0 } ?? true) && (cursor.map { $0.precedes(note.name) } ?? true)
        }
        return Array(wanted.prefix(max(0, limit)))
    }

    package func cards(of devices: [DeviceNumber]) throws -> [DeviceNumber: DeviceNote] {
        let notes = contents.withLock { $0.notes }
        var cards: [DeviceNumber: DeviceNote] = [:]
        for device in devices { cards[device] = notes[device]?.note(DeviceNote.Name(.card)) }
        return cards
    }
}
