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
    /// - Throws: `JSONError`, `AmazonError`.
    init(_ body: ByteBuffer) throws {
        let value = try body.withUnsafeReadableBytes { try JSONValue(parsing: $0) }
        try self.init(value, at: "")
    }

    /// Takes an object of a request.
    init(_ value: JSONValue, at place: String) throws(AmazonError) {
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
    func text(_ key: String, least: Int = 0, limit: Int) throws(AmazonError) -> String? {
        guard let value = value(key) else { return nil }
        guard let text = value.string else { throw .validation(named(key), "must be a string.") }
        let count = text.unicodeScalars.count
        guard count >= least else { throw .validation(named(key), "must not be empty.") }
        guard count <= limit else { throw .validation(named(key), "must have at most \(limit) characters.") }
        return text
    }

    /// A text that must be there.
    func requiredText(_ key: String, limit: Int) throws(AmazonError) -> String {
        guard let text = try text(key, limit: limit), !text.isEmpty else {
            throw .validation(named(key), "must not be absent or empty.")
        }
        return text
    }

    /// The name of a rule, or the id of a target.
    func name(_ key: String) throws(AmazonError) -> String { try name(of: value(key), at: named(key)) }

    /// The beginning of a rule's name; nil where there is none.
    func namePrefix() throws(AmazonError) -> String? {
        guard let prefix = value("NamePrefix") else { return nil }
        return try name(of: prefix, at: named("NamePrefix"))
    }

    /// A list of ids of targets.
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

    /// A list.
    func list(_ key: String, _ range: ClosedRange<Int>) throws(AmazonError) -> [JSONValue] {
        guard let list = value(key)?.elements else { throw .validation(named(key), "must be a list.") }
        guard range.contains(list.count) else {
            throw .validation(
                named(key), "must have \(range.lowerBound) to \(range.upperBound) members, has \(list.count).")
        }
        return list
    }

    /// How many items an answer may hold.
    func limit() throws(AmazonError) -> Int {
        guard let value = value("Limit") else { return 100 }
        guard let limit = value.integer, (1...100).contains(limit) else {
            throw .validation("Limit", "must be 1 to 100.")
        }
        return Int(limit)
    }

    /// Where an answer begins: behind the item of this number.
    func nextToken() throws(AmazonError) -> Int64 {
        guard let token = try text("NextToken", least: 1, limit: 2_048) else { return 0 }
        guard let numbers = Cursor.decode(token, count: 1) else {
            throw .validation("NextToken", "is none that an answer held.")
        }
        return numbers[0]
    }

    /// Makes sure that no other bus is asked for than the one that there is.
    func requireDefaultBus() throws(AmazonError) {
        guard let bus = try busName() else { return }
        guard bus == EventsService.bus || bus.hasSuffix(":event-bus/\(EventsService.bus)") else {
            throw AmazonError(400, "ResourceNotFoundException", "Event bus \(bus) does not exist.")
        }
    }

    /// The name of an event bus, or its ARN, if it can be one.
    ///
    /// - Parameter mayBePartners: whether slashes are taken, as buses of partners have them.
    @discardableResult
    func busName(mayBePartners: Bool = true) throws(AmazonError) -> String? {
        guard let bus = try text("EventBusName", least: 1, limit: 1_600) else { return nil }
        guard EventBusName.isFormed(bus, mayBePartners: mayBePartners) else {
            throw .validation(named("EventBusName"), "must be the name or the ARN of an event bus.")
        }
        return bus
    }
}

/// What the model allows in the name of an event bus:
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

/// One page of a list, and what the next is asked with.
struct EventsPage<Element> {
    let items: [Element]
    let token: JSONValue.Member?

    /// The elements behind a number, at most so many.
    init(of elements: some Sequence<Element>, after last: Int64, limit: Int, number: (Element) -> Int64) {
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
