package import MusterCore

extension PeerRange.Source {
    /// The source's name in the API.
    package var wireName: StaticString {
        switch self {
        case .ultraWideband: "uwb"
        case .channelSounding: "channelSounding"
        case .bluetooth: "ble"
        case .fixes: "gps"
        case .fused: "fused"
        case .simulated: "simulated"
        }
    }
}

extension JSONWriter {
    /// Writes a range object.
    ///
    /// - Parameter peer: the name of the device to which the distance was measured.
    package mutating func value(_ range: PeerRange, peer: String) {
        beginObject()
        member("peer", peer)
        member("sampleTime", range.sampleTime)
        member("receivedTime", range.receivedTime)
        member("metres", range.metres)
        member("deviationMetres", range.deviationMetres)
        member("source", range.source.wireName.description)
        endObject()
    }
}
