package import MusterCore

/// A fault in one member of a request, which it names as Amazon's model does.
package struct AmazonFieldFault: Hashable, Sendable {
    /// The path of the member, such as `Updates.3.DeviceId`, counted from 0.
    package var name: String
    /// The fault, in AWS's words.
    package var message: String
    /// Whether the member is missing.
    package var isMissing: Bool
}

/// The faults of a request by Amazon's model of the service.
package struct AmazonFaults: Error, Hashable, Sendable {
    /// The faults in the order in which they were found.
    package private(set) var fields: [AmazonFieldFault] = []

    private static let limit = 100

    /// Creates an empty list of faults.
    package init() {}

    package mutating func addFault(_ name: String, _ message: String, isMissing: Bool = false) {
        guard fields.count < Self.limit else { return }
        fields.append(AmazonFieldFault(name: name, message: message, isMissing: isMissing))
    }

    /// Throws the faults, if there are any.
    package func finish() throws(AmazonFaults) {
        if !fields.isEmpty { throw self }
    }
}

/// The members of an object of a request, which the caller reads one by one and checks against the model. A wrong
/// member adds a fault, and is nil or a default for the caller. As AWS does, the reader ignores members that the caller
/// does not read.
package struct AmazonMembers {
    private let members: [JSONValue.Member]
    private let path: String

    /// Reads a request's body. An empty body is an empty object.
    ///
    /// - Throws: `JSONError` when the body is no JSON.
    package init(parsing body: UnsafeRawBufferPointer, noting faults: inout AmazonFaults) throws(JSONError) {
        let value: JSONValue = body.isEmpty ? .object([]) : try JSONValue(parsing: body, depthLimit: 16)
        self.init(value, path: "", noting: &faults)
    }

    private init(_ value: JSONValue, path: String, noting faults: inout AmazonFaults) {
        self.path = path
        members = value.members ?? []
        if value.members == nil { faults.addFault(path.isEmpty ? "" : String(path.dropLast()), "Must be a structure") }
    }

    /// Returns the path of a member for a fault.
    package func name(_ key: String) -> String { path + key }

    /// Returns the value of a member; nil when it is absent or null, which is a fault if it is required.
    package func value(_ key: String, required: Bool = false, _ faults: inout AmazonFaults) -> JSONValue? {
        switch members.first(where: { $0.key == key })?.value {
        case nil, .null?:
            if required { faults.addFault(name(key), "Member must not be null", isMissing: true) }
            return nil
        case let value: return value
        }
    }

    /// Returns a text that a rule allows; nil when it is absent or at fault.
    package func text(
        _ key: String, _ rule: AmazonText, required: Bool = false, _ faults: inout AmazonFaults
    ) -> String? {
        guard let value = value(key, required: required, &faults) else { return nil }
        guard let text = value.string else { return wrong(key, "Must be a string", &faults) }
        if let fault = rule.fault(in: text) { return wrong(key, fault, &faults) }
        return text
    }

    /// Returns a member that must be the name of a case of an enumeration; nil when it is absent or at fault.
    package func word<Word: RawRepresentable & CaseIterable>(
        _ key: String, _ faults: inout AmazonFaults
    ) -> Word? where Word.RawValue == String {
        guard let value = value(key, &faults) else { return nil }
        guard let word = value.string.flatMap({ Word(rawValue: $0) }) else {
            let words = Word.allCases.map(\.rawValue).joined(separator: ", ")
            return wrong(key, "Member must satisfy enum value set: [\(words)]", &faults)
        }
        return word
    }

    /// Returns a number within a range; nil when it is absent or at fault.
    package func number(
        _ key: String, in range: ClosedRange<Double>, required: Bool = false, _ faults: inout AmazonFaults
    ) -> Double? {
        guard let value = value(key, required: required, &faults) else { return nil }
        guard let number = value.number else { return wrong(key, "Must be a number", &faults) }
        if number < range.lowerBound {
            let least = JSONWriter.text(range.lowerBound)
            return wrong(key, "Member must have value greater than or equal to \(least)", &faults)
        }
        if number > range.upperBound {
            let most = JSONWriter.text(range.upperBound)
            return wrong(key, "Member must have value less than or equal to \(most)", &faults)
        }
        return number
    }

    /// Returns the member `MaxResults`: how many items a page holds; by default `most`.
    package func pageSize(most: Int, _ faults: inout AmazonFaults) -> Int {
        guard let number = number("MaxResults", in: 1...Double(most), &faults) else { return most }
        guard let whole = Int(exactly: number) else {
            faults.addFault(name("MaxResults"), "Must be a whole number")
            return most
        }
        return whole
    }

    package func boolean(_ key: String, _ faults: inout AmazonFaults) -> Bool? {
        guard let value = value(key, &faults) else { return nil }
        return value.boolean ?? wrong(key, "Must be a boolean", &faults)
    }

    /// Returns a time, ISO 8601; nil when it is absent or at fault.
    package func time(_ key: String, required: Bool = false, _ faults: inout AmazonFaults) -> Instant? {
        guard let value = value(key, required: required, &faults) else { return nil }
        guard let text = value.string, let time = try? Instant(rfc3339: text) else {
            return wrong(key, "Must be an ISO 8601 timestamp, YYYY-MM-DDThh:mm:ss.sssZ", &faults)
        }
        return time
    }

    package func object(_ key: String, required: Bool = false, _ faults: inout AmazonFaults) -> AmazonMembers? {
        value(key, required: required, &faults).map { AmazonMembers($0, path: name(key) + ".", noting: &faults) }
    }

    /// Returns the elements of a list whose length is within a range.
    package func list(
        _ key: String, _ counts: ClosedRange<Int>, required: Bool = false, _ faults: inout AmazonFaults
    ) -> [JSONValue]? {
        guard let value = value(key, required: required, &faults) else { return nil }
        guard let elements = value.elements else { return wrong(key, "Must be a list", &faults) }
        if let fault = Self.countFault(elements.count, counts) { return wrong(key, fault, &faults) }
        return elements
    }

    /// Returns the members of each object of a list.
    package func objects(
        _ key: String, _ counts: ClosedRange<Int>, _ faults: inout AmazonFaults
    ) -> [AmazonMembers] {
        var objects: [AmazonMembers] = []
        for (index, element) in (list(key, counts, required: true, &faults) ?? []).enumerated() {
            objects.append(AmazonMembers(element, path: "\(name(key)).\(index).", noting: &faults))
        }
        return objects
    }

    /// Returns a list of texts that a rule allows.
    package func texts(
        _ key: String, _ counts: ClosedRange<Int>, _ rule: AmazonText, _ faults: inout AmazonFaults
    ) -> [String] {
        var texts: [String] = []
        for (index, element) in (list(key, counts, required: true, &faults) ?? []).enumerated() {
            if let text = element.string {
                if let fault = rule.fault(in: text) { faults.addFault("\(name(key)).\(index)", fault) }
                texts.append(text)
            } else {
                faults.addFault("\(name(key)).\(index)", "Must be a string")
            }
        }
        return texts
    }

    /// Returns a map from texts to texts.
    package func map(
        _ key: String, most: Int, keys: AmazonText, values: AmazonText, required: Bool = false,
        _ faults: inout AmazonFaults
    ) -> [(key: String, value: String)]? {
        guard let value = value(key, required: required, &faults) else { return nil }
        guard let members = value.members else { return wrong(key, "Must be a map", &faults) }
        if let fault = Self.countFault(members.count, 0...most) { return wrong(key, fault, &faults) }
        var pairs: [(key: String, value: String)] = []
        for member in members {
            let place = "\(name(key)).\(member.key)"
            guard let text = member.value.string else {
                faults.addFault(place, "Must be a string")
                continue
            }
            if let fault = keys.fault(in: member.key) ?? values.fault(in: text) { faults.addFault(place, fault) }
            pairs.append((member.key, text))
        }
        return pairs
    }

    private static func countFault(_ count: Int, _ counts: ClosedRange<Int>) -> String? {
        if count < counts.lowerBound {
            return "Member must have length greater than or equal to \(counts.lowerBound)"
        }
        return count > counts.upperBound ? "Member must have length less than or equal to \(counts.upperBound)" : nil
    }

    private func wrong<Value>(_ key: String, _ message: String, _ faults: inout AmazonFaults) -> Value? {
        faults.addFault(name(key), message)
        return nil
    }
}
