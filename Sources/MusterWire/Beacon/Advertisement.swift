/// A Bluetooth advertisement, decoded as far as its structures are in a known beacon format.
package struct Advertisement: Hashable, Sendable {
    /// The decoded frames, in the order in which they were sent.
    package var frames: [BeaconFrame] = []
    /// The number of structures with a manufacturer's or a service's data in a format that no decoder here knows. They
    /// are not decoded.
    package var unknownCount = 0
    /// How many of `unknownCount` are encrypted BTHome.
    package var encryptedCount = 0
    /// The number of structures that start like a known beacon format but have the wrong length or invalid values.
    package var malformedCount = 0

    /// Decodes an advertisement's payload.
    ///
    /// - Throws: `AdvertisementError` when a structure is longer than the payload. The whole payload is then rejected.
    package init(reading payload: [UInt8]) throws(AdvertisementError) {
        var reader = try AdvertisementReader(payload)
        while let structure = try reader.nextStructure() { addStructure(structure) }
    }

    /// The frame that identifies the beacon; nil when no frame does.
    package var identifyingFrame: BeaconFrame? { frames.first { $0.beacon != nil } }

    private mutating func addStructure(_ structure: AdvertisementReader.Structure) {
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
            case .encrypted:
                unknownCount += 1
                encryptedCount += 1
            case .malformed: malformedCount += 1
            }
        default:
            // Flags, names and lists of services do not identify a beacon.
            return
        }
    }

    private static let manufacturerData: UInt8 = 0xFF
    private static let serviceData: UInt8 = 0x16
}
