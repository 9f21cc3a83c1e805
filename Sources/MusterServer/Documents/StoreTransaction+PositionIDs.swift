import MusterCore
import MusterDocuments
import MusterStore
import MusterWire

/// The id of a position's document belongs to the owner of the device. In the union, another user's document with that
/// id has a qualified id instead, even if it was written first.
extension StoreTransaction {
    /// Decides for documents just written whether their ids are qualified in the union: they are where the id is that
    /// of another user's position.
    ///
    /// - Parameter owner: returns the owner of a device; nil where the device does not exist.
    func keepPositionIDs(
        _ ids: [String], in database: DatabaseNumber, _ owner: (DeviceNumber) -> UserNumber?
    ) throws {
        guard let user = database.user else { return }
        for id in ids {
            guard let device = PositionDocument.device(ofID: id) else { continue }
            // The zero byte is the lowest, so the range holds this id alone.
            try documents.setQualified(owner(device) != user, idsFrom: id, below: id + "\u{0}", in: database)
        }
    }

    /// Gives the ids of a device's positions to the device's current owner.
    ///
    /// - Parameter former: the previous owner; nil for a new device.
    func movePositionIDs(of device: Device, from former: UserNumber?) throws {
        guard former != device.user else { return }
        let ids = PositionDocument.ids(of: device.number)
        if let former {
            try documents.setQualified(true, idsFrom: ids.start, below: ids.end, in: .locations(of: former))
        }
        try documents.setQualified(false, idsFrom: ids.start, below: ids.end, in: .locations(of: device.user))
    }
}
