import MusterCore
import Synchronization

/// Sightings and notes of devices.
extension SQLiteTransaction {
    func holds(_ sighting: Sighting, of device: DeviceNumber) throws -> Bool {
        if isGone(device) { return false }
        return try run { try SightingTable.holds(SightingKey(sighting), of: device, in: database) }
    }

    func deviceNote(_ name: DeviceNote.Name, of device: DeviceNumber) throws -> DeviceNote? {
        try run { try NoteTable.deviceNote(name, of: device, in: database) }
    }

    func put(_ note: DeviceNote, of device: DeviceNumber) throws {
        try run {
            if note.name.kind == .waypoint, try NoteTable.deviceNote(note.name, of: device, in: database) == nil,
                try NoteTable.count(.waypoint, of: device, in: database) >= DeviceNote.waypointLimit
            {
                try NoteTable.deleteOldest(.waypoint, of: device, in: database)
            }
            try NoteTable.put(note, of: device, in: database)
        }
    }
}
