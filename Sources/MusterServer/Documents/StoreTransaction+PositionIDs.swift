import MusterCore
import MusterDocuments
import MusterStore
import MusterWire

/// The ids of a device's positions are its owner's: in the union nobody else's document stands under one, whoever wrote
/// first.
extension StoreTransaction {
    /// Has documents that were written stand qualified, where they have ids of positions that are another user's.
    ///
    /// - Parameter owner: whose a device is; nil where there is none of that number.
    func keepPositionIDs(
        _ ids: [String], in database: DatabaseNumber, _ owner: (DeviceNumber) -> UserNumber?
    ) throws {
        guard let user = database.user else { return }
        for id in ids {
            guard let device = PositionDocument.device(ofID: id) else { continue }
            // No byte is lower than this one.
            try documents.setQualified(owner(device) != user, idsFrom: id, below: id + "\u{0}", in: database)
        }
    }

    /// Lets the ids of a device's positions be those of whom it came to.
    ///
    /// - Parameter former: who had it; nil for a new one.
    func movePositionIDs(of device: Device, from former: UserNumber?) throws {
        guard former != device.user else { return }
        let ids = PositionDocument.ids(of: device.number)
        if let former {
            try documents.setQualified(true, idsFrom: ids.start, below: ids.end, in: .locations(of: former))
        }
        try documents.setQualified(false, idsFrom: ids.start, below: ids.end, in: .locations(of: device.user))
    }
}
