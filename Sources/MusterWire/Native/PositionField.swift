/// The members of a native position object that the decoder knows.
enum PositionField: UInt8, CaseIterable {
    case device, latitude, longitude, sampleTime, accuracy, altitude, speed, heading, battery, attributes
    case accuracyPercent

    /// Returns the field with this name; nil when there is none.
    @inline(__always)
    static func named(_ key: JSONText) -> PositionField? {
        let candidates: (PositionField, PositionField?, PositionField?)
        switch key.isPlain ? key.bytes.count : -1 {
        case 5: candidates = (.speed, nil, nil)
        case 6: candidates = (.device, nil, nil)
        case 7: candidates = (.heading, .battery, nil)
        case 8: candidates = (.latitude, .accuracy, .altitude)
        case 9: candidates = (.longitude, nil, nil)
        case 10: candidates = (.sampleTime, .attributes, nil)
        case 15: candidates = (.accuracyPercent, nil, nil)
        case -1: return allCases.first { key == $0.name }
        default: return nil
        }
        if key == candidates.0.name { return candidates.0 }
        if let second = candidates.1, key == second.name { return second }
        if let third = candidates.2, key == third.name { return third }
        return nil
    }

    /// The key in JSON.
    @inline(__always)
    var name: StaticString {
        switch self {
        case .device: "device"
        case .latitude: "latitude"
        case .longitude: "longitude"
        case .sampleTime: "sampleTime"
        case .accuracy: "accuracy"
        case .altitude: "altitude"
        case .speed: "speed"
        case .heading: "heading"
        case .battery: "battery"
        case .attributes: "attributes"
        case .accuracyPercent: "accuracyPercent"
        }
    }

    /// The range of a number. No device measures beyond it, and storing a number within it cannot overflow.
    var range: ClosedRange<Double> {
        switch self {
        case .latitude: -90...90
        case .longitude: -180...180
        case .accuracy: 0...1e8
        case .altitude: -1e7...1e7
        case .speed: 0...1e6
        case .heading: 0...360
        case .battery: 0...100
        case .accuracyPercent: 68...95
        case .device, .sampleTime, .attributes: 0...0
        }
    }
}

/// The fields that a position already had, to find one that is given twice.
struct PositionFieldSet {
    private var bits: UInt16 = 0

    func contains(_ field: PositionField) -> Bool { bits & 1 << field.rawValue != 0 }

    /// Adds a field.
    ///
    /// - Returns: whether the set did not have it before.
    mutating func insert(_ field: PositionField) -> Bool {
        let bit: UInt16 = 1 << field.rawValue
        defer { bits |= bit }
        return bits & bit == 0
    }
}
