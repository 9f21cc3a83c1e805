package import MusterCore
import MusterGeometry

/// The server's messages to an OwnTracks app, which the app shows or carries out: an array of them in response to a
/// request, or one alone.
package struct OwnTracksReply {
    private var writer = JSONWriter()
    private let isArray: Bool

    /// Creates an empty array of messages.
    package init() {
        isArray = true
        writer.beginArray()
    }

    private init(alone: Void) { isArray = false }

    /// The bytes of one message that `append` appends.
    package static func message(_ append: (inout OwnTracksReply) -> Void) -> [UInt8] {
        var reply = OwnTracksReply(alone: ())
        append(&reply)
        return reply.writer.bytes
    }

    /// The array so far as JSON text.
    package var bytes: [UInt8] {
        var closed = writer
        if isArray { closed.endArray() }
        return closed.bytes
    }

    /// Appends a friend's location. Apps keep accuracy, altitude, speed (km/h) and the other numbers as whole numbers.
    ///
    /// - Parameters:
    ///   - trackerID: the two characters that the app shows at the friend's place.
    ///   - topic: `owntracks/alice/phone`, by which the app distinguishes friends.
    package mutating func append(_ position: Position, trackerID: String, topic: String) {
        begin("location", trackerID: trackerID, topic: topic)
        writer.member("lat", position.coordinate.latitude)
        writer.member("lon", position.coordinate.longitude)
        writer.member("tst", Self.seconds(position.sampleTime))
        if let accuracy = position.accuracy { whole("acc", accuracy.value.rounded(.up)) }
        if let altitude = position.altitude { whole("alt", altitude.value.rounded()) }
        if let speed = position.speed { whole("vel", (speed * 3.6).rounded()) }
        if let heading = position.heading { whole("cog", heading.rounded()) }
        if let battery = position.battery { whole("batt", battery.rounded()) }
        writer.endObject()
    }

    /// Appends a friend's card.
    ///
    /// - Parameter face: a picture in base 64.
    package mutating func append(cardNamed name: String, face: String? = nil, trackerID: String, topic: String) {
        begin("card", trackerID: trackerID, topic: topic)
        writer.member("name", name)
        if let face { writer.member("face", face) }
        writer.endObject()
    }

    /// Appends a message that a friend entered or left a region.
    package mutating func append(
        transition isEntering: Bool, of region: String, at time: Instant, from position: Position?, trackerID: String,
        topic: String
    ) {
        begin("transition", trackerID: trackerID, topic: topic)
        writer.member("event", isEntering ? "enter" : "leave")
        writer.member("desc", region)
        writer.member("t", "c")
        writer.member("tst", Self.seconds(time))
        writer.member("wtst", Self.seconds(time))
        if let position {
            writer.member("lat", position.coordinate.latitude)
            writer.member("lon", position.coordinate.longitude)
        }
        whole("acc", position?.accuracy?.value.rounded(.up) ?? 0)
        writer.endObject()
    }

    /// Appends the command that asks the app to report its location at once, if its user allows commands.
    package mutating func appendReportLocation() {
        writer.beginObject()
        writer.member("_type", "cmd")
        writer.member("action", "reportLocation")
        writer.endObject()
    }

    private mutating func begin(_ type: String, trackerID: String, topic: String) {
        writer.beginObject()
        writer.member("_type", type)
        writer.member("tid", trackerID)
        writer.member("topic", topic)
    }

    private mutating func whole(_ key: StaticString, _ number: Double) {
        if let integer = Int64(exactly: number) { writer.member(key, integer) }
    }

    /// Seconds since 1970, rounded down.
    private static func seconds(_ instant: Instant) -> Int64 {
        let (quotient, remainder) = instant.milliseconds.quotientAndRemainder(dividingBy: 1000)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
