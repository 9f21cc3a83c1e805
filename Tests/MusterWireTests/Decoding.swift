import MusterCore
import MusterWire

extension PositionDecoder {
    /// Reads the positions of one request from an array.
    static func decode(
        _ bytes: [UInt8], as form: Form = .json, receivedAt: Instant, source: Position.Source = .native,
        limits: Limits = Limits()
    ) throws(JSONFaults) -> ReportedPositions {
        try bytes.withUnsafeBytes { buffer in
            Result { () throws(JSONFaults) in
                try decode(buffer, as: form, receivedAt: receivedAt, source: source, limits: limits)
            }
        }.get()
    }
}

extension RegionDraft {
    /// Reads a Feature or a FeatureCollection from an array.
    static func decode(_ bytes: [UInt8], limits: Limits = Limits()) throws(RegionFaults) -> [RegionDraft] {
        try bytes.withUnsafeBytes { buffer in
            Result { () throws(RegionFaults) in try decode(buffer, limits: limits) }
        }.get()
    }
}
