package import MusterCore
package import MusterGeometry

/// Adds members to the object of an event.
extension [EventValue.Member] {
    /// Adds a text; adds nothing for nil.
    package mutating func add(_ key: String, _ text: String?) {
        if let text { append(.init(key, .string(text))) }
    }

    /// Adds a moment as RFC 3339 with milliseconds; adds nothing for nil.
    package mutating func add(_ key: String, _ moment: Instant?) { add(key, moment?.rfc3339) }

    /// Adds a place as Amazon does: longitude, then latitude.
    package mutating func add(_ key: String, _ place: Coordinate?) {
        guard let place else { return }
        append(.init(key, .array([.number(place.longitude), .number(place.latitude)])))
    }

    /// Adds the first `most` properties of a JSON object that Amazon's properties could be: texts that are short
    /// enough.
    package mutating func add(_ key: String, propertiesOf object: String?, most: Int, valueLimit: Int) {
        let fitting = AmazonProperties.fitting(object, most: most, valueLimit: valueLimit)
        guard !fitting.isEmpty else { return }
        append(.init(key, .object(fitting.map { EventValue.Member($0.key, .string($0.value)) })))
    }
}
