/// What an advertisement says, as far as it is in one of the formats of beacons.
package struct Advertisement: Hashable, Sendable {
    /// The frames of a known format, in the order in which they were sent.
    package var frames: [BeaconFrame] = []
    /// How many structures carry a manufacturer's or a service's data in a format that no decoder here knows. Nothing
    /// is guessed about them.
    package var unknownCount = 0
    /// How many structures begin as a known format does, and do not have its length or its values.
    package var malformedCount = 0

    /// Reads an advertisement's payload.
    ///
    /// - Throws: `AdvertisementError` when the structures do not fit into the payload; then nothing of it is believed.
    package init(reading payload: [UInt8]) throws(AdvertisementError) {
        var reader = try AdvertisementReader(payload)
        while let structure = try reader.nextStructure() { take(structure) }
    }

    /// The frame that names the beacon that sent this; nil when there is none.
    package var identifyingFrame: BeaconFrame? { frames.first { $0.beacon != nil } }

    private mutating func take(_ structure: AdvertisementReader.Structure) {
        let data = structure.data
        switch structure.type {
        case Self.manufacturerData, Self.serviceData:
            guard data.count >= 2 else { return malformedCount += 1 }
            let owner = UInt16(data[data.startIndex]) | UInt16(data[data.startIndex + 1]) << 8
            let content = Array(data.dropFirst(2))
            let reading =
                structure.type == Self.manufacturerData
                ? BeaconFrame.read(content, ofManufacturer: owner) : BeaconFrame.read(content, ofService: owner)
            switch reading {
            case .frame(let frame): frames.append(frame)
            case .unknown: unknownCount += 1
            case .malformed: malformedCount += 1
            }
        default:
            // Flags, names, lists of services: they say nothing of a beacon.
            return
        }
    }

    private static let manufacturerData: UInt8 = 0xFF
    private static let serviceData: UInt8 = 0x16
}
