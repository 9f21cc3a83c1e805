import Crypto
import MusterCoding
package import MusterCore
package import MusterWire

/// The content of one push: data for the app, and a notice where people are to see it.
package struct PushMessage: Hashable, Sendable {
    /// The subject of the message. A newer message replaces an older one of the same topic.
    package var topic: String
    /// The time of the event that the message reports.
    package var createdAt: Instant
    /// The time after which the message is no longer sent.
    package var expiresAt: Instant
    /// The members of the object `data`, in order.
    package var data: [Member]
    /// The text that people read; nil for a message to the app alone.
    package var notice: Notice?
    /// How the message changes Live Activities; nil for a message to devices.
    var activity: ActivityEvent?

    /// The text that people read.
    package struct Notice: Hashable, Sendable {
        package var title: String
        package var body: String
        /// Text after the body. It is sent only where the push service cannot read the message.
        package var confidential: String?
    }

    /// A member of `data`.
    package struct Member: Hashable, Sendable {
        package var key: String
        package var value: Value

        package init(_ key: String, _ value: Value) {
            self.key = key
            self.value = value
        }
    }

    /// The value of a member.
    package enum Value: Hashable, Sendable {
        case text(String)
        case number(Int64)
    }

    package init(
        topic: String, createdAt: Instant, lastingSeconds: Double, data: [Member], notice: Notice? = nil
    ) {
        self.topic = topic
        self.createdAt = createdAt
        expiresAt = createdAt.advanced(bySeconds: lastingSeconds)
        self.data = data
        self.notice = notice
    }

    /// Whether the message calls people to evacuate, because an incident was started or reopened.
    var isCallToEvacuate: Bool {
        data.contains(Member("kind", .text("incident"))) && data.contains(Member("state", .text("open")))
    }

    /// The seconds for which a service should keep the message for a device that it cannot reach, at least 1.
    package func secondsToLive(at now: Instant) -> Int { max(1, Int(expiresAt.seconds(since: now))) }

    /// The key by which a push service replaces a waiting message with a newer one: 32 characters of base64url, which
    /// RFC 8030 allows (section 5.4). It does not reveal the topic.
    package var collapseID: String {
        Base64.encodeUnpadded(Array(SHA256.hash(data: Array(topic.utf8))).prefix(24), .forURLs)
    }

    /// Returns a text for a push service, with the longest body with which it stays within the service's limit.
    ///
    /// - Parameters:
    ///   - limit: the service's limit, in bytes.
    ///   - write: writes the text; receives the largest number of bytes of the body.
    /// - Returns: the text. It exceeds the limit where the text exceeds it without a body.
    static func fit(_ limit: Int, _ write: (_ bodyBytes: Int) -> [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        for bodyBytes in [1_500, 700, 300, 3] {
            text = write(bodyBytes)
            if text.count <= limit { break }
        }
        return text
    }

    /// The largest number of bytes of a title.
    static let titleBytes = 300

    /// Cuts a text at a character, so that a JSON string of it has at most so many bytes between its quotes.
    static func cut(_ text: String, toBytes limit: Int) -> String {
        guard text.utf8.reduce(0, { $0 + jsonBytes(of: $1) }) > limit else { return text }
        var cut = ""
        var count = 0
        for character in text {
            count += character.utf8.reduce(0) { $0 + jsonBytes(of: $1) }
            if count > limit - 3 { break }
            cut.append(character)
        }
        return cut + "…"
    }

    /// The largest number of bytes that a byte of a text takes in a JSON string: a control character is written as
    /// `\u0001`.
    private static func jsonBytes(of byte: UInt8) -> Int {
        switch byte {
        case 0..<0x20: 6
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): 2
        default: 1
        }
    }
}

extension JSONWriter {
    /// Writes the object of a message's data.
    package mutating func pushData(_ members: [PushMessage.Member], asTexts: Bool = false) {
        beginObject()
        for member in members {
            key(member.key)
            switch member.value {
            case .text(let text): value(text)
            case .number(let number): if asTexts { value("\(number)") } else { value(number) }
            }
        }
        endObject()
    }
}

// MARK: Storing

extension PushMessage {
    /// The message as it waits in the store.
    var stored: [UInt8] {
        JSONWriter.object { writer in
            writer.member("at", createdAt.milliseconds)
            writer.member("end", expiresAt.milliseconds)
            writer.key("data")
            writer.pushData(data)
            writer.member("title", notice?.title)
            writer.member("body", notice?.body)
            writer.member("confidential", notice?.confidential)
            writer.member("activity", activity?.rawValue)
        }
    }

    /// Reads a message that waited in the store; nil for anything else.
    init?(stored bytes: [UInt8], topic: String) {
        guard let value = try? JSONValue(parsing: bytes), let createdAt = value["at"]?.integer,
            let end = value["end"]?.integer, let members = value["data"]?.members
        else { return nil }
        self.topic = topic
        self.createdAt = Instant(milliseconds: createdAt)
        expiresAt = Instant(milliseconds: end)
        data = members.compactMap { member in
            if let text = member.value.string { return Member(member.key, .text(text)) }
            return member.value.integer.map { Member(member.key, .number($0)) }
        }
        notice = value["title"]?.string.map {
            Notice(title: $0, body: value["body"]?.string ?? "", confidential: value["confidential"]?.string)
        }
        activity = value["activity"]?.string.flatMap { ActivityEvent(rawValue: $0) }
    }
}
