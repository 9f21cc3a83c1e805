import MusterCore
import MusterWire

/// What an edit changes, field by field, as an entry of the audit log keeps it. The fields have the names that they
/// have in the API. Secrets and people's addresses are never among the values.
struct EditDetails {
    /// The largest value that is kept, in bytes of JSON. Of a longer one only the field is named, and of a shape its
    /// type and the number of its vertices.
    static let valueBytes = 1_000
    /// The most bytes that one entry keeps. The fields beyond are named without their values.
    static let byteLimit = 4_000

    /// One field of what is edited. `isPrivate` names it in the log without its value.
    private struct Field {
        var name: String
        var value: JSONValue
        var isPrivate = false

        init(_ name: String, _ value: JSONValue, isPrivate: Bool = false) {
            self.name = name
            self.value = value
            self.isPrivate = isPrivate
        }

        init(_ name: String, _ text: String?) { self.init(name, text.map { .string($0) } ?? .null) }
    }

    /// The fields before and after the edit; empty for what did not exist, or does not any more.
    private let before: [Field]
    private let after: [Field]

    /// Compares what an edit stores with what a directory has; nil for edits of which nothing is told.
    init?(_ edit: Edit, over directory: Directory) {
        switch edit {
        case .putRegion(let region):
            before = directory.regions[region.number].map { Self.fields(of: $0) } ?? []
            after = Self.fields(of: region)
        case .removeRegion(let number, from: _):
            before = directory.regions[number].map { Self.fields(of: $0) } ?? []
            after = []
        case .putUser(let user):
            before = directory.users[user.number].map { Self.fields(of: $0, in: directory) } ?? []
            after = Self.fields(of: user, in: directory)
        case .putTeam(let team):
            before = directory.teams[team.number].map { Self.fields(of: $0) } ?? []
            after = Self.fields(of: team)
        case .putTracker(let tracker):
            before = directory.trackers[tracker.number].map { Self.fields(of: $0, in: directory) } ?? []
            after = Self.fields(of: tracker, in: directory)
        case .putCollection(let collection):
            before = directory.collections[collection.number].map { Self.fields(of: $0) } ?? []
            after = Self.fields(of: collection)
        case .putRule(let rule):
            before = directory.rules[rule.number].map { Self.fields(of: $0, in: directory) } ?? []
            after = Self.fields(of: rule, in: directory)
        default: return nil
        }
    }

    /// The fields that differ, as a JSON array of objects with a `field`, and its value `before` and `after` where it
    /// had one and is not too long; nil if none differ.
    var json: String? {
        var writer = JSONWriter()
        var isEmpty = true
        writer.beginArray()
        let gone = before.filter { field in !after.contains { $0.name == field.name } }
        for field in after + gone {
            let old = before.first { $0.name == field.name }
            let new = after.first { $0.name == field.name }
            guard (old?.value ?? .null) != (new?.value ?? .null) else { continue }
            isEmpty = false
            writer.beginObject()
            writer.member("field", field.name)
            if !field.isPrivate {
                for (key, value) in [("before", old?.value), ("after", new?.value)] {
                    guard let kept = value.flatMap(Self.kept), kept != .null else { continue }
                    guard writer.bytes.count + kept.bytes.count <= Self.byteLimit else { continue }
                    writer.key(key)
                    writer.value(kept)
                }
            }
            writer.endObject()
        }
        writer.endArray()
        return isEmpty ? nil : String(decoding: writer.bytes, as: UTF8.self)
    }

    /// A value as it is kept; nil for one that is too long.
    private static func kept(_ value: JSONValue) -> JSONValue? {
        guard value.bytes.count > valueBytes else { return value }
        guard let type = value["type"], let coordinates = value["coordinates"] else { return nil }
        return .object([.init("type", type), .init("vertices", .integer(vertices(of: coordinates)))])
    }

    /// The number of vertices in the coordinates of a geometry, each ring's closing one not counted.
    private static func vertices(of coordinates: JSONValue) -> Int64 {
        guard let elements = coordinates.elements, let first = elements.first?.elements else { return 0 }
        if first.first?.number != nil { return Int64(max(elements.count - 1, 0)) }
        return elements.reduce(0) { $0 + vertices(of: $1) }
    }
}

// MARK: The fields of each kind

extension EditDetails {
    private static func fields(of region: Region) -> [Field] {
        var writer = JSONWriter()
        writer.feature(region)
        guard let feature = try? JSONValue(parsing: writer.bytes), let properties = feature["properties"]?.members
        else {
            return []
        }
        return [Field("geometry", feature["geometry"] ?? .null)] + properties.map { Field($0.key, $0.value) }
    }

    private static func fields(of user: User, in directory: Directory) -> [Field] {
        [
            Field("name", user.name), Field("role", user.role.rawValue),
            Field("team", user.team.flatMap { directory.teams[$0]?.name }),
            Field("crew", user.crew.flatMap { directory.crews[$0]?.name }),
            Field("databaseRoles", .array(user.databaseRoles.map { .string($0) }), isPrivate: true),
            Field("email", user.email.map { .string($0) } ?? .null, isPrivate: true),
            Field("phone", user.phone.map { .string($0) } ?? .null, isPrivate: true),
        ]
    }

    private static func fields(of team: Team) -> [Field] {
        let settings = team.incidents
        return [
            Field("name", team.name), Field("silenceSeconds", .number(team.silenceSeconds)),
            Field("closesDrills", .boolean(settings.closesDrills)),
            Field("closesRealIncidents", .boolean(settings.closesRealIncidents)),
            Field("closesAfterSeconds", .number(settings.closesAfterSeconds)),
            Field("declaredHoldsSeconds", .number(settings.declaredHoldsSeconds)),
            Field("showsSafetyAlways", .boolean(settings.showsSafetyAlways)),
            Field("parEverySeconds", settings.parEverySeconds.map { .number($0) } ?? .null),
            Field("allowsPause", .boolean(settings.allowsPause)),
        ]
    }

    private static func fields(of tracker: Tracker, in directory: Directory) -> [Field] {
        [
            Field("name", tracker.name), Field("filter", tracker.filter.rawValue),
            Field(
                "collections",
                .array(tracker.collections.compactMap { directory.collections[$0].map { .string($0.name) } })),
            Field("worksAtZero", .boolean(tracker.worksAtZero)),
        ]
    }

    private static func fields(of collection: RegionCollection) -> [Field] {
        [Field("name", collection.name), Field("policy", collection.policy.rawValue)]
    }

    private static func fields(of rule: Rule, in directory: Directory) -> [Field] {
        let targets = rule.targets.compactMap { RuleEditing.name(of: $0.destination, in: directory) }
        return [
            Field("name", rule.name), Field("description", rule.description),
            Field("pattern", (try? JSONValue(parsing: Array(rule.pattern.utf8))) ?? .string(rule.pattern)),
            Field("enabled", .boolean(rule.isEnabled)),
            Field("targets", .array(targets.map { .string($0) })),
            // A constant or a template may contain a secret of the receiver.
            Field("input", .array(rule.targets.map { .string(String(describing: $0.input)) }), isPrivate: true),
        ]
    }
}
