package import MusterCore
package import MusterGeometry

/// A device's position as an update reports it. What the model cannot say, such as a place off the globe, is this
/// update's own fault and not the whole request's.
package struct AmazonPositionUpdate: Hashable, Sendable {
    /// The device's id.
    package var deviceID: String
    /// When the fix was taken.
    package var sampleTime: Instant
    /// Where; nil when it is off the globe.
    package var coordinate: Coordinate?
    /// The radius that holds the true place, metres; nil when unknown.
    package var accuracyMetres: Double?
    /// What else is said, as the text of one JSON object; nil when nothing is.
    package var properties: String?

    /// Reads the updates of a request, from one to ten.
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

    /// The position, received at a moment; nil when it is off the globe. An accuracy of 0 is unknown.
    package func position(receivedAt: Instant) -> Position? {
        guard let coordinate else { return nil }
        return Position(
            coordinate: coordinate, sampleTime: sampleTime, receivedTime: receivedAt,
            accuracy: accuracyMetres.flatMap { $0 > 0 ? Metres($0) : nil }, source: .amazonLocation,
            attributes: properties)
    }
}

extension AmazonMembers {
    /// Two numbers, longitude first.
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
    /// The pair that a list of two numbers is; nil when it is none.
    init?(_ elements: [JSONValue]) {
        guard elements.count == 2, let longitude = elements[0].number, let latitude = elements[1].number else {
            return nil
        }
        self.init(longitude: longitude, latitude: latitude)
    }

    /// The place, if it is on the globe.
    package var coordinate: Coordinate? { try? Coordinate(latitude: latitude, longitude: longitude) }
}

extension JSONWriter {
    /// Writes the members of a position of a device.
    ///
    /// - Parameter withReceivedTime: whether the model has it there.
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

/// Properties of geofences and positions: texts by keys, which Muster keeps as the text of one JSON object.
package enum AmazonProperties {
    /// The text of an object; nil where there are none.
    package static func text(of pairs: [(key: String, value: String)]) -> String? {
        if pairs.isEmpty { return nil }
        var writer = JSONWriter()
        writer.amazonMap(pairs)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// The properties of an object that Amazon's could be: texts that are short enough, the first few.
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
