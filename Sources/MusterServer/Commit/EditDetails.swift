import MusterCore
import MusterGeometry
import MusterWire

/// What an edit changes, field by field, as an entry of the audit log keeps it. The fields have the names that they
/// have in the API. The log names some of them without their values: what is secret, people's addresses, and whatever a
/// region's editor wrote beside the fields that Muster knows.
struct EditDetails {
    /// The largest value that is kept, in bytes of JSON. Of a longer one only the field is named.
    static let valueBytes = 1_000
    /// An entry keeps at most this many bytes of values, and the names of all its fields.
    static let byteLimit = 2_000

    /// A field that the edit changes, with its values as the log shows them; nil where it has none, or keeps none.
    private struct Change {
        var field: String
        var before: JSONValue?
        var after: JSONValue?
    }

    private var changes: [Change] = []

    /// Compares what an edit stores with what there is; empty for edits of which nothing is told.
    ///
    /// - Parameters:
    ///   - before: the directory before the edit and those made with it.
    ///   - after: the directory after all of them.
    init(_ edit: Edit, over before: Directory, to after: Directory) {
        switch edit {
        case .putRegion(let region): compare(before.regions[region.number], region, before, after)
        case .removeRegion(let number, from: _): compare(before.regions[number], nil as Region?, before, after)
        case .putUser(let user): compare(before.users[user.number], user, before, after)
        case .putTeam(let team): compare(before.teams[team.number], team)
        case .removeTeam(let number): compare(before.teams[number], nil as Team?)
        case .putTracker(let tracker): compare(before.trackers[tracker.number], tracker, before, after)
        case .removeTracker(let number): compare(before.trackers[number], nil as Tracker?, before, after)
        case .putCollection(let collection): compare(before.collections[collection.number], collection)
        case .removeCollection(let number): compare(before.collections[number], nil as RegionCollection?)
        case .putRule(let rule): compare(before.rules[rule.number], rule, before, after)
        case .removeRule(let number): compare(before.rules[number], nil as Rule?, before, after)
        // Of who is removed nothing is told: the log would keep what the removal erases.
        default: break
        }
    }

    /// The fields that differ, as a JSON array of objects with a `field`, and its value `before` and `after` where it
    /// had one that is kept; nil if none differ.
    var json: String? {
        guard !changes.isEmpty else { return nil }
        var writer = JSONWriter()
        var room = Self.byteLimit
        writer.beginArray()
        for change in changes {
            writer.beginObject()
            writer.member("field", change.field)
            for (key, value) in [("before", change.before), ("after", change.after)] {
                guard let value, value != .null else { continue }
                let bytes = value.bytes
                guard bytes.count <= min(Self.valueBytes, room) else { continue }
                room -= bytes.count
                writer.key(key)
                writer.raw(bytes)
            }
            writer.endObject()
        }
        writer.endArray()
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// Notes a field if its values differ. `show` makes of a value what the log keeps of it.
    private mutating func note<Value: Equatable>(
        _ field: String, _ old: Value?, _ new: Value?, _ show: (Value) -> JSONValue?
    ) {
        guard old != new else { return }
        changes.append(Change(field: field, before: old.flatMap(show), after: new.flatMap(show)))
    }

    /// Notes that a field differs, without its values.
    private mutating func noteSilently<Value: Equatable>(_ field: String, _ old: Value?, _ new: Value?) {
        note(field, old, new) { _ in nil }
    }
}

// MARK: The fields of each kind

extension EditDetails {
    private mutating func compare(_ old: Region?, _ new: Region?, _ before: Directory, _ after: Directory) {
        note("name", old?.name, new?.name) { .string($0) }
        // Of a circle that stays where it is only the radius changes.
        let centre = old?.shape?.circle?.centre
        if centre == nil || centre != new?.shape?.circle?.centre {
            note("geometry", old?.shape, new?.shape) { $0.kept }
        }
        note("muster", old?.isMuster, new?.isMuster) { .boolean($0) }
        note("crossingMode", old?.mode, new?.mode) { .string($0.wireName.description) }
        note("dwell", old?.dwellSeconds, new?.dwellSeconds) { .number($0) }
        note("exitDelay", old?.exitDelaySeconds, new?.exitDelaySeconds) { .number($0) }
        note("radius", old?.shape?.circle?.radius.value, new?.shape?.circle?.radius.value) { .number($0) }
        note("beacon", old?.beacon, new?.beacon) { $0.kept(in: after) ?? $0.kept(in: before) }
        noteSilently("properties", old?.ownProperties ?? [], new?.ownProperties ?? [])
    }

    private mutating func compare(_ old: User?, _ new: User, _ before: Directory, _ after: Directory) {
        // The entry itself names the user, for as long as there is one.
        noteSilently("name", old?.name, new.name)
        note("role", old?.role, new.role) { .string($0.rawValue) }
        note("team", old?.team.flatMap { before.teams[$0]?.name }, new.team.flatMap { after.teams[$0]?.name }) {
            .string($0)
        }
        note("crew", old?.crew.flatMap { before.crews[$0]?.name }, new.crew.flatMap { after.crews[$0]?.name }) {
            .string($0)
        }
        noteSilently("databaseRoles", old?.databaseRoles ?? [], new.databaseRoles)
        noteSilently("email", old?.email, new.email)
        noteSilently("phone", old?.phone, new.phone)
        noteSilently("displayName", old?.displayName, new.displayName)
    }

    private mutating func compare(_ old: Team?, _ new: Team?) {
        let (before, after) = (old?.incidents, new?.incidents)
        note("name", old?.name, new?.name) { .string($0) }
        note("silenceSeconds", old?.silenceSeconds, new?.silenceSeconds) { .number($0) }
        note("closesDrills", before?.closesDrills, after?.closesDrills) { .boolean($0) }
        note("closesRealIncidents", before?.closesRealIncidents, after?.closesRealIncidents) { .boolean($0) }
        note("closesAfterSeconds", before?.closesAfterSeconds, after?.closesAfterSeconds) { .number($0) }
        note("declaredHoldsSeconds", before?.declaredHoldsSeconds, after?.declaredHoldsSeconds) { .number($0) }
        note("showsSafetyAlways", before?.showsSafetyAlways, after?.showsSafetyAlways) { .boolean($0) }
        note("parEverySeconds", before?.parEverySeconds, after?.parEverySeconds) { .number($0) }
        note("allowsPause", before?.allowsPause, after?.allowsPause) { .boolean($0) }
    }

    private mutating func compare(_ old: Tracker?, _ new: Tracker?, _ before: Directory, _ after: Directory) {
        note("name", old?.name, new?.name) { .string($0) }
        note("filter", old?.filter, new?.filter) { .string($0.rawValue) }
        note(
            "collections", old?.collections.compactMap { before.collections[$0]?.name },
            new?.collections.compactMap { after.collections[$0]?.name }
        ) { .array($0.map { .string($0) }) }
        note("positionEvents", old?.emitsPositionEvents, new?.emitsPositionEvents) { .boolean($0) }
        note("worksAtZero", old?.worksAtZero, new?.worksAtZero) { .boolean($0) }
        compare(old?.particulars, new?.particulars)
    }

    private mutating func compare(_ old: RegionCollection?, _ new: RegionCollection?) {
        note("name", old?.name, new?.name) { .string($0) }
        note("policy", old?.policy, new?.policy) { .string($0.rawValue) }
        compare(old?.particulars, new?.particulars)
    }

    private mutating func compare(_ old: Particulars?, _ new: Particulars?) {
        note("description", old?.description ?? "", new?.description ?? "") { .string($0) }
        noteSilently("tags", old?.tags ?? [:], new?.tags ?? [:])
    }

    private mutating func compare(_ old: Rule?, _ new: Rule?, _ before: Directory, _ after: Directory) {
        func names(_ rule: Rule?, _ directory: Directory) -> [String]? {
            rule?.targets.compactMap { RuleEditing.name(of: $0.destination, in: directory) }
        }
        note("name", old?.name, new?.name) { .string($0) }
        note("description", old?.description ?? "", new?.description ?? "") { .string($0) }
        note("pattern", old?.pattern, new?.pattern) { text in
            text.utf8.count > Self.valueBytes ? nil : try? JSONValue(parsing: Array(text.utf8))
        }
        note("enabled", old?.isEnabled, new?.isEnabled) { .boolean($0) }
        note("targets", names(old, before), names(new, after)) { .array($0.map { .string($0) }) }
        // A constant or a template may contain a secret of the receiver.
        noteSilently("input", old?.targets.map(\.input) ?? [], new?.targets.map(\.input) ?? [])
    }
}

extension Shape {
    /// What the log keeps: a circle's centre as a GeoJSON geometry, and of any other shape its type and the number of
    /// its vertices.
    fileprivate var kept: JSONValue {
        func counted(_ type: String, _ polygons: [Polygon]) -> JSONValue {
            // A ring ends with its first vertex.
            let count = polygons.reduce(0) { sum, polygon in
                ([polygon.exterior] + polygon.holes).reduce(sum) { $0 + max($1.count - 1, 0) }
            }
            return .object([.init("type", .string(type)), .init("vertices", .integer(Int64(count)))])
        }
        switch self {
        case .polygon(let polygon): return counted("Polygon", [polygon])
        case .multiPolygon(let polygons): return counted("MultiPolygon", polygons)
        case .circle(let circle):
            let centre: [JSONValue] = [.number(circle.centre.longitude), .number(circle.centre.latitude)]
            return .object([.init("type", .string("Point")), .init("coordinates", .array(centre))])
        }
    }
}

extension BeaconArea {
    /// The beacon as the API has it; nil for a scanner that the directory does not have.
    fileprivate func kept(in directory: Directory) -> JSONValue? {
        var scanner: String?
        if case .scanner(let device) = source {
            scanner = directory.qualifiedName(of: device)
            if scanner == nil { return nil }
        }
        var writer = JSONWriter()
        writer.value(self, scanner: scanner)
        return try? JSONValue(parsing: writer.bytes)
    }
}
