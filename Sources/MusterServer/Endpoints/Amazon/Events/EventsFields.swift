import MusterCore
import MusterWire
import NIOCore

/// The members of a request to EventBridge, or of an object in it.
struct EventsFields {
    private let members: [JSONValue.Member]
    /// Where it stands: `Targets.1.member`, for messages.
    private let place: String

    /// Reads a body.
    ///
    /// - Throws: `JSONFault`, `AmazonFault`.
    init(_ body: ByteBuffer) throws {
        let value = try body.withUnsafeReadableBytes { try JSONValue(parsing: $0) }
        try self.init(value, at: "")
    }

    /// Takes an object of a request.
    init(_ value: JSONValue, at place: String) throws(AmazonFault) {
        guard let members = value.members else { throw .validation(place, "must be an object.") }
        self.members = members
        self.place = place
    }

    private func named(_ key: String) -> String { place.isEmpty ? key : "\(place).\(key)" }

    /// The value of a member, unless it is null.
    func value(_ key: String) -> JSONValue? {
        members.first { $0.key == key && $0.value != .null }?.value
    }

    /// The keys that are there and mean something here nobody asked for.
    func keys(besides known: Set<String>) -> [String] {
        members.filter { $0.value != .null && !known.contains($0.key) }.map(\.key)
    }

    /// A text.
    func text(_ key: String, limit: Int) throws(AmazonFault) -> String? {
        guard let value = value(key) else { return nil }
        guard let text = value.string else { throw .validation(named(key), "must be a string.") }
        guard text.unicodeScalars.count <= limit else {
            throw .validation(named(key), "must have at most \(limit) characters.")
        }
        return text
    }

    /// A text that must be there.
    func requiredText(_ key: String, limit: Int) throws(AmazonFault) -> String {
        guard let text = try text(key, limit: limit), !text.isEmpty else {
            throw .validation(named(key), "must not be absent or empty.")
        }
        return text
    }

    /// The name of a rule, or the id of a target.
    func name(_ key: String) throws(AmazonFault) -> String {
        let name = try requiredText(key, limit: 64)
        guard RuleEditing.isName(name) else {
            throw .validation(named(key), "must be letters, digits and any of . - _")
        }
        return name
    }

    /// A list.
    func list(_ key: String, _ range: ClosedRange<Int>) throws(AmazonFault) -> [JSONValue] {
        guard let list = value(key)?.elements else { throw .validation(named(key), "must be a list.") }
        guard range.contains(list.count) else {
            throw .validation(
                named(key), "must have \(range.lowerBound) to \(range.upperBound) members, has \(list.count).")
        }
        return list
    }

    /// How many items an answer may hold.
    func limit() throws(AmazonFault) -> Int {
        guard let value = value("Limit") else { return 100 }
        guard let limit = value.integer, (1...100).contains(limit) else {
            throw .validation("Limit", "must be 1 to 100.")
        }
        return Int(limit)
    }

    /// Where an answer begins: behind the item of this number.
    func nextToken() throws(AmazonFault) -> Int64 {
        guard let token = try text("NextToken", limit: 2_048) else { return 0 }
        guard let numbers = Cursor.decode(token, count: 1) else {
            throw .validation("NextToken", "is none that an answer held.")
        }
        return numbers[0]
    }

    /// Makes sure that no other bus is asked for than the one that there is.
    func requireDefaultBus() throws(AmazonFault) {
        guard let bus = try text("EventBusName", limit: 1_600) else { return }
        guard bus == EventsService.bus || bus.hasSuffix(":event-bus/\(EventsService.bus)") else {
            throw AmazonFault(400, "ResourceNotFoundException", "Event bus \(bus) does not exist.")
        }
    }
}

/// One page of a list, and what the next is asked with.
struct EventsPage<Element> {
    let items: [Element]
    let token: JSONValue.Member?

    /// The elements behind a number, at most so many.
    init(of elements: some Swift.Sequence<Element>, after last: Int64, limit: Int, number: (Element) -> Int64) {
        var items = Array(elements.filter { number($0) > last }.prefix(limit + 1))
        let hasMore = items.count > limit
        if hasMore { items.removeLast() }
        self.items = items
        token = hasMore ? items.last.map { .init("NextToken", .string(Cursor.encode([number($0)]))) } : nil
    }

    /// An answer that holds these items under a key.
    func answer(_ key: String, _ write: (Element) -> JSONValue) -> JSONValue {
        .object([.init(key, .array(items.map(write)))] + (token.map { [$0] } ?? []))
    }
}
