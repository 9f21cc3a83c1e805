/// The properties that clients of Meshblu set for a device: any members but those that identify it.
package struct MeshbluProperties: Hashable, Sendable {
    /// The properties, in the order in which they were set first.
    package private(set) var members: [JSONValue.Member] = []

    private static let reserved: Set<String> = ["uuid", "token", "owner", "name"]
    private static let limit = 64
    private static let limitBytes = 4_096

    /// Creates the properties of a device that has none.
    package init() {}

    /// Reads the properties among the parameters of a request.
    ///
    /// - Throws: `MeshbluPropertiesError` when there are too many.
    package init(_ parameters: MeshbluParameters) throws(MeshbluPropertiesError) {
        members = parameters.members.filter { !Self.reserved.contains($0.key) && !$0.key.isEmpty }
        try check()
    }

    package init(stored text: String) {
        members = (try? JSONValue(parsing: Array(text.utf8)))?.members ?? []
    }

    /// Sets further properties; null removes one.
    ///
    /// - Throws: `MeshbluPropertiesError` when there are too many.
    package mutating func merge(_ others: MeshbluProperties) throws(MeshbluPropertiesError) {
        for member in others.members {
            let index = members.firstIndex { $0.key == member.key }
            switch (index, member.value) {
            case (let index?, .null): members.remove(at: index)
            case (nil, .null): break
            case (let index?, let value): members[index].value = value
            case (nil, _): members.append(member)
            }
        }
        try check()
    }

    /// The properties as the text of one JSON object.
    package var text: String { String(decoding: JSONValue.object(members).bytes, as: UTF8.self) }

    /// Whether a device with these properties has every value that a query asks for. A token is not a property, and is
    /// ignored.
    ///
    /// - Parameter identity: the device's `uuid`, `owner` and `name`.
    package func match(_ wanted: MeshbluParameters, identity: [String: String]) -> Bool {
        wanted.members.allSatisfy { member in
            if member.key == "token" { return true }
            if let own = identity[member.key] {
                // UUIDs are compared as they are spelled in answers, in lower case.
                return member.value.string == own || (member.key != "name" && member.value.string?.lowercased() == own)
            }
            let property = members.first { $0.key == member.key }?.value
            return property?.signalText == member.value.signalText
        }
    }

    private func check() throws(MeshbluPropertiesError) {
        guard members.count <= Self.limit, text.utf8.count <= Self.limitBytes else { throw MeshbluPropertiesError() }
    }
}

/// A device would have more properties than it may.
package struct MeshbluPropertiesError: Error, CustomStringConvertible {
    package var description: String { "A device has at most 64 properties, of 4,096 bytes together." }
}
