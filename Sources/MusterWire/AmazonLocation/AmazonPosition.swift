package import MusterCore
package import MusterGeometry

/// A device's position in an update. A fault that the model cannot express, such as a place off the globe, is a fault
/// of this update alone and not of the whole request.
package struct AmazonPositionUpdate: Hashable, Sendable {
    /// The device's id.
    package var deviceID: String
    /// When the device took the fix.
    package var sampleTime: Instant
    /// The coordinate; nil when it is off the globe.
    package var coordinate: Coordinate?
    /// The radius that holds the true place, metres; nil when unknown.
    package var accuracyMetres: Double?
    /// The position's properties, as the text of one JSON object; nil when there are none.
    package var properties: String?

    /// Reads the updates of a request, which must be one to ten.
    package static func list(
        _ key: String, of request: AmazonMembers, _ faults: inout AmazonFaults
    ) -> [AmazonPositionUpdate] {
        request.objects(key, 1...10, &faults).compactMap { AmazonPositionUpdate($0, &faults) }
    }

    private init?(_ members: AmazonMembers, _ faults: inout AmazonFaults) {
        let deviceID = members.text("DeviceId", .deviceID, required: true, &faults)
        let sampleTime = members.time("SampleTime", required: true, &faults)
        let position = members.position("Position", required: true, &faults)
        accuracyMetres = members.object("Accuracy", &faults).flatMap { accuracy in
            accuracy.number("Horizontal", in: 0...10_000_000, required: true, &faults)
        }
        properties = members.map(
            "PositionProperties", most: 4, keys: .propertyKey, values: .positionProperty, &faults
        ).flatMap(AmazonProperties.text)
        guard let deviceID, let sampleTime, let position else { return nil }
        self.deviceID = deviceID
        self.sampleTime = sampleTime
        coordinate = position.coordinate
    }

    /// Returns the update as a position; nil when it is off the globe. An accuracy of 0 becomes unknown.
    package func position(receivedAt: Instant) -> Position? {
        guard let coordinate else { return nil }
        return Position(
            coordinate: coordinate, sampleTime: sampleTime, receivedTime: receivedAt,
            accuracy: accuracyMetres.flatMap { $0 > 0 ? Metres($0) : nil }, source: .amazonLocation,
            attributes: properties)
    }
}

extension AmazonMembers {
    /// Returns two numbers, longitude first.
    package func position(_ key: String, required: Bool = false, _ faults: inout AmazonFaults) -> RawVertex? {
        guard let elements = list(key, 2...2, required: required, &faults) else { return nil }
        return RawVertex(elements)
            ?? {
                faults.addFault(name(key), "Must be two numbers, longitude and latitude")
                return nil
            }()
    }
}

extension RawVertex {
    /// Reads a list of two numbers; nil for any other list.
    init?(_ elements: [JSONValue]) {
        guard elements.count == 2, let longitude = elements[0].number, let latitude = elements[1].number else {
            return nil
        }
        self.init(longitude: longitude, latitude: latitude)
    }

    /// The coordinate; nil when it is off the globe.
    package var coordinate: Coordinate? { try? Coordinate(latitude: latitude, longitude: longitude) }
}

extension JSONWriter {
    /// Writes the members of a position of a device.
    ///
    /// - Parameter withReceivedTime: whether the model includes the time of receipt here.
    package mutating func amazonMembers(_ position: Position, deviceID: String, withReceivedTime: Bool) {
        member("DeviceId", deviceID)
        member("SampleTime", position.sampleTime)
        if withReceivedTime { member("ReceivedTime", position.receivedTime) }
        key("Position")
        amazonPosition(position.coordinate)
        if let accuracy = position.accuracy {
            key("Accuracy")
            beginObject()
            member("Horizontal", accuracy.value)
            endObject()
        }
        let properties = AmazonProperties.fitting(position.attributes, most: 4, valueLimit: 150)
        if !properties.isEmpty {
            key("PositionProperties")
            amazonMap(properties)
        }
    }

    /// Writes a place, longitude first.
    package mutating func amazonPosition(_ coordinate: Coordinate) {
        beginArray()
        value(coordinate.longitude)
        value(coordinate.latitude)
        endArray()
    }

    /// Writes a map of texts.
    package mutating func amazonMap(_ pairs: [(key: String, value: String)]) {
        beginObject()
        for pair in pairs {
            key(pair.key)
            value(pair.value)
        }
        endObject()
    }
}

/// The properties of geofences and positions: texts by keys, which Muster keeps as the text of one JSON object.
package enum AmazonProperties {
    /// Returns the text of an object; nil when there are no properties.
    package static func text(of pairs: [(key: String, value: String)]) -> String? {
        if pairs.isEmpty { return nil }
        var writer = JSONWriter()
        writer.amazonMap(pairs)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// Returns the first properties of an object that Amazon's properties could be: texts that are short enough.
    package static func fitting(
        _ text: String?, most: Int, valueLimit: Int
    ) -> [(key: String, value: String)] {
        guard var text, let value = text.withUTF8({ try? JSONValue(parsing: UnsafeRawBufferPointer($0)) }) else {
            return []
        }
        let fitting = (value.members ?? []).lazy.compactMap { member -> (key: String, value: String)? in
            guard let text = member.value.string, AmazonText.propertyKey.allows(member.key),
                (1...valueLimit).contains(text.unicodeScalars.count)
            else { return nil }
            return (member.key, text)
        }
        return Array(fitting.prefix(most))
    }
}
