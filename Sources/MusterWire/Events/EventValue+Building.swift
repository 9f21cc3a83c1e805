package import MusterCore
package import MusterGeometry

extension [EventValue.Member] {
    /// Adds a text.
    package mutating func add(_ key: String, _ text: String?) {
        if let text { append(.init(key, .string(text))) }
    }

    /// Adds a moment, with milliseconds.
    package mutating func add(_ key: String, _ moment: Instant?) { add(key, moment?.rfc3339) }

    /// Adds a place as Amazon tells it: longitude, latitude.
    package mutating func add(_ key: String, _ place: Coordinate?) {
        guard let place else { return }
        append(.init(key, .array([.number(place.longitude), .number(place.latitude)])))
    }

    /// Adds the properties of a JSON object that Amazon's could be: texts that are short enough, the first few.
    package mutating func add(_ key: String, propertiesOf object: String?, most: Int, valueLimit: Int) {
        let fitting = AmazonProperties.fitting(object, most: most, valueLimit: valueLimit)
        guard !fitting.isEmpty else { return }
        append(.init(key, .object(fitting.map { EventValue.Member($0.key, .string($0.value)) })))
    }
}
