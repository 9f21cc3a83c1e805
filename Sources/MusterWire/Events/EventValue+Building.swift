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
        guard let object, let members = (try? JSONValue(parsing: [UInt8](object.utf8)))?.members else { return }
        let fitting = members.lazy.filter { member in
            let length = member.value.string?.unicodeScalars.count ?? 0
            return (1...20).contains(member.key.unicodeScalars.count) && (1...valueLimit).contains(length)
        }.prefix(most)
        guard !fitting.isEmpty else { return }
        append(.init(key, .object(fitting.map { EventValue.Member($0.key, EventValue($0.value)) })))
    }
}
