import MusterServer
import MusterWire
import NIOCore

/// The members of a request to EventBridge, or of an object in it.
struct EventsFields {
    private let members: [JSONValue.Member]
    /// The path of the object within the request, such as `Targets.1.member`, for messages.
    private let place: String

    /// Parses a request's body.
    ///
    /// - Throws: `JSONError`, `AmazonError`.
    init(_ body: ByteBuffer) throws {
        let value = try body.withUnsafeReadableBytes { try JSONValue(parsing: $0) }
        try self.init(value, at: "")
    }

    /// Wraps an object within a request.
    init(_ value: JSONValue, at place: String) throws(AmazonError) {
        guard let members = value.members else { throw .validation(place, "must be an object.") }
        self.members = members
        self.place = place
    }

    private func named(_ key: String) -> String { place.isEmpty ? key : "\(place).\(key)" }

    /// The value of a member; nil if it is absent or null.
    func value(_ key: String) -> JSONValue? {
        members.first { $0.key == key && $0.value != .null }?.value
    }

    /// The keys that are present, except the known ones.
    func keys(besides known: Set<String>) -> [String] {
        members.filter { $0.value != .null && !known.contains($0.key) }.map(\.key)
    }

    /// A text member; nil if it is absent.
    func text(_ key: String, least: Int = 0, limit: Int) throws(AmazonError) -> String? {
        guard let value = value(key) else { return nil }
        guard let text = value.string else { throw .validation(named(key), "must be a string.") }
        let count = text.unicodeScalars.count
        guard count >= least else { throw .validation(named(key), "must not be empty.") }
        guard count <= limit else { throw .validation(named(key), "must have at most \(limit) characters.") }
        return text
    }

    /// A text member that must be present.
    func requiredText(_ key: String, limit: Int) throws(AmazonError) -> String {
        guard let text = try text(key, limit: limit), !text.isEmpty else {
            throw .validation(named(key), "must not be absent or empty.")
        }
        return text
    }

    /// The name of a rule, or the id of a target.
    func name(_ key: String) throws(AmazonError) -> String { try name(of: value(key), at: named(key)) }

    /// The prefix of rule names to list; nil if the request has none.
    func namePrefix() throws(AmazonError) -> String? {
        guard let prefix = value("NamePrefix") else { return nil }
        return try name(of: prefix, at: named("NamePrefix"))
    }

    /// A list of target ids.
    func names(_ key: String, _ range: ClosedRange<Int>) throws(AmazonError) -> [String] {
        var names: [String] = []
        for (index, value) in try list(key, range).enumerated() {
            names.append(try name(of: value, at: "\(named(key)).\(index + 1).member"))
        }
        return names
    }

    private func name(of value: JSONValue?, at place: String) throws(AmazonError) -> String {
        guard let name = value?.string, !name.isEmpty else {
            throw .validation(place, "must be a string, not absent or empty.")
        }
        guard RuleEditing.isName(name) else {
            throw .validation(place, "must be 1 to 64 letters, digits and any of . - _")
        }
        return name
    }

    /// A list member.
    func list(_ key: String, _ range: ClosedRange<Int>) throws(AmazonError) -> [JSONValue] {
        guard let list = value(key)?.elements else { throw .validation(named(key), "must be a list.") }
        guard range.contains(list.count) else {
            throw .validation(
                named(key), "must have \(range.lowerBound) to \(range.upperBound) members, has \(list.count).")
        }
        return list
    }

    /// The largest number of items in the answer.
    func limit() throws(AmazonError) -> Int {
        guard let value = value("Limit") else { return 100 }
        guard let limit = value.integer, (1...100).contains(limit) else {
            throw .validation("Limit", "must be 1 to 100.")
        }
        return Int(limit)
    }

    /// The number of the item after which the answer begins.
    func nextToken() throws(AmazonError) -> Int64 {
        guard let token = try text("NextToken", least: 1, limit: 2_048) else { return 0 }
        guard let numbers = Cursor.decode(token, count: 1) else {
            throw .validation("NextToken", "must be a token of an earlier response.")
        }
        return numbers[0]
    }

    /// Checks that the request names no event bus but the default one.
    func requireDefaultBus() throws(AmazonError) {
        guard let bus = try busName() else { return }
        guard bus == EventsService.bus || bus.hasSuffix(":event-bus/\(EventsService.bus)") else {
            throw AmazonError(400, "ResourceNotFoundException", "Event bus \(bus) does not exist.")
        }
    }

    /// The name or ARN of an event bus, if it is well formed.
    ///
    /// - Parameter mayBePartners: whether the name may contain slashes, as the names of partner buses do.
    @discardableResult
    func busName(mayBePartners: Bool = true) throws(AmazonError) -> String? {
        guard let bus = try text("EventBusName", least: 1, limit: 1_600) else { return nil }
        guard EventBusName.isFormed(bus, mayBePartners: mayBePartners) else {
            throw .validation(named("EventBusName"), "must be the name or the ARN of an event bus.")
        }
        return bus
    }
}

/// The pattern of event bus names in the API model:
/// `(arn:aws[\w-]*:events:[a-z]+-[a-z]+-[\w-]+:[0-9]{12}:event-bus\/)?[/\.\-_A-Za-z0-9]+`.
private enum EventBusName {
    static func isFormed(_ text: String, mayBePartners: Bool) -> Bool {
        var name = text[...]
        if text.hasPrefix("arn:") {
            let parts = text.split(separator: ":", omittingEmptySubsequences: false)
            guard parts.count == 6, parts[1].hasPrefix("aws"), parts[1].utf8.allSatisfy(isWordOrHyphen),
                parts[2] == "events", isRegion(parts[3]), parts[4].utf8.count == 12,
                parts[4].utf8.allSatisfy({ (0x30...0x39).contains($0) }), parts[5].hasPrefix("event-bus/")
            else { return false }
            name = parts[5].dropFirst("event-bus/".count)
        }
        return !name.isEmpty
            && name.utf8.allSatisfy { byte in
                isWordOrHyphen(byte) || byte == UInt8(ascii: ".") || (mayBePartners && byte == UInt8(ascii: "/"))
            }
    }

    private static func isRegion(_ text: Substring) -> Bool {
        let parts = text.split(separator: "-", maxSplits: 2, omittingEmptySubsequences: false)
        return parts.count == 3 && !parts[2].isEmpty && parts[2].utf8.allSatisfy(isWordOrHyphen)
            && parts[..<2].allSatisfy { part in
                !part.isEmpty && part.utf8.allSatisfy { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
            }
    }

    private static func isWordOrHyphen(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}

/// One page of a list, and the token to request the next with.
struct EventsPage<Element> {
    let items: [Element]
    let token: JSONValue.Member?

    /// Takes at most `limit` of the elements whose number is greater than `last`.
    init(of elements: some Sequence<Element>, after last: Int64, limit: Int, number: (Element) -> Int64) {
        var items = Array(elements.filter { number($0) > last }.prefix(limit + 1))
        let hasMore = items.count > limit
        if hasMore { items.removeLast() }
        self.items = items
        token = hasMore ? items.last.map { .init("NextToken", .string(Cursor.encode([number($0)]))) } : nil
    }

    /// The answer with the items under a key, and the token.
    func json(_ key: String, _ write: (Element) -> JSONValue) -> JSONValue {
        .object([.init(key, .array(items.map(write)))] + (token.map { [$0] } ?? []))
    }
}
