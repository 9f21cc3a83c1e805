import Foundation
import MusterGeometry
import MusterKit
import MusterReplication
import MusterWire
public import Observation

/// Draws and edits a region by finger: a circle, or a polygon. What it would change for the people who stand there
/// now is said before it is saved, and an edit of somebody else is never overwritten unseen.
@MainActor @Observable public final class RegionEditorModel {
    /// What a tap on the map does.
    public enum Tool: String, CaseIterable, Sendable {
        /// Moves the centre, or draws a circle around it.
        case circle
        /// Adds a vertex.
        case polygon
    }

    /// The collection that the region is in.
    public var collection: String
    /// What the region is called.
    public var name: String {
        get { draft.name }
        set { edit { $0.name = newValue } }
    }
    /// Whether people are safe in it.
    public var isMuster: Bool {
        get { draft.isMuster }
        set { edit { $0.isMuster = newValue } }
    }
    /// The radius of a circle, metres; nil for a polygon. Setting it is undone by `undo`.
    public var radiusMetres: Double? {
        get { draft.radiusMetres }
        set { edit { $0.radiusMetres = newValue.map { min(100_000, max(1, $0)) } } }
    }
    /// The radius of a circle as a slider sets it, metres: changes in a row are one step for `undo`.
    public var slidRadiusMetres: Double {
        get { draft.radiusMetres ?? Self.newRadiusMetres }
        set {
            guard tool == .circle else { return }
            edit(goesOn: true) { $0.radiusMetres = min(100_000, max(1, newValue.rounded())) }
        }
    }
    /// Why the last request failed; nil if it did not.
    public private(set) var problem: String?
    /// What saving would change, as the server computed it; nil before `tryOut`.
    public private(set) var effects: [String]?
    /// Whether the region was saved or removed, so that a view leaves the editor.
    public private(set) var isDone = false
    /// Whether a request is under way.
    public private(set) var isBusy = false

    private let region: String?
    private let server: ServerClient
    private let wording: Wording
    private var draft = RegionDraft(around: nil)
    private var undone: [RegionDraft] = []
    private var done: [RegionDraft] = []
    private var tag: String?
    /// Whether the last edit was one of a slider, which the next may go on with.
    @ObservationIgnored private var isSliding = false
    @ObservationIgnored private let onSaved: () async -> Void

    /// How many steps can be undone.
    private static let undoLimit = 100
    /// The radius of a circle that was just begun, metres.
    private static let newRadiusMetres = 50.0
    /// The radii that a slider offers, metres. A larger circle is drawn by its rim.
    public static let slidRadii = 5.0...1_000.0

    init(
        collection: String, region: String?, _ server: ServerClient, _ wording: Wording,
        onSaved: @escaping () async -> Void
    ) {
        self.collection = collection
        (self.region, self.server, self.wording) = (region, server, wording)
        self.onSaved = onSaved
    }

    /// The title of the editor.
    public var title: String { region == nil ? words.text(.regionsNew) : wording.legible(draft.name) }
    /// The title of the field for the name.
    public var nameTitle: String { words.text(.regionsSettingsName) }
    /// The title of the switch `isMuster`.
    public var musterTitle: String { words.text(.regionsSettingsMuster) }
    /// What that switch means.
    public var musterHint: String { words.text(.regionsSettingsMusterHint) }
    /// The title of the field for the radius.
    public var radiusTitle: String { words.text(.regionsRadius) }
    /// The title of the choice of a collection.
    public var collectionTitle: String { words.text(.regionsCollectionName) }
    /// The title of the button that saves.
    public var saveTitle: String { words.text(.regionsSave) }
    /// The title of the button that tries it out.
    public var tryOutTitle: String { words.text(.regionsTryOut) }
    /// The title of the button that removes the region.
    public var removeTitle: String { words.text(.regionsRemoveNow) }
    /// The title of the button that takes a step back.
    public var undoTitle: String { words.text(.regionsToolsUndo) }
    /// The title of the button that takes it again.
    public var redoTitle: String { words.text(.regionsToolsRedo) }
    /// The title of a tool.
    public func title(of tool: Tool) -> String {
        words.text(tool == .circle ? .regionsToolsCircle : .regionsToolsPolygon)
    }
    /// What to do now.
    public var hint: String {
        words.text(tool == .circle ? .regionsDrawingCircleHint : .regionsDrawingHint)
    }

    /// Which shape is drawn.
    public var tool: Tool { draft.radiusMetres == nil ? .polygon : .circle }
    /// The vertices of the polygon, or the centre of the circle.
    public var vertices: [MapModel.Place] { draft.vertices }
    /// The outline as a map draws it; empty for a shape that is not valid yet.
    public var outline: [MapModel.Place] {
        guard case .circle(let circle)? = try? draft.shape() else {
            return draft.radiusMetres == nil ? draft.vertices : []
        }
        return (0...48).map { index in
            let there = circle.centre.destination(bearing: Degrees(Double(index % 48) * 7.5), distance: circle.radius)
            return MapModel.Place(latitude: there.latitude, longitude: there.longitude)
        }
    }
    /// Why this shape cannot be edited by finger; nil if it can. Its name and purpose can be changed all the same.
    public var foreignText: String? { draft.isForeign ? words.text(.regionsForeign) : nil }
    /// What is wrong with the shape; nil if nothing is.
    public var fault: String? {
        if draft.isForeign { return nil }
        if draft.vertices.isEmpty { return words.text(.regionsVerticesNone) }
        if tool == .polygon, draft.vertices.count < 3 { return words.text(.regionsSaidTooFew) }
        do {
            _ = try draft.shape()
            return nil
        } catch {
            return words.text(.regionsInvalid)
        }
    }
    /// That phones are often less exact than such a small assembly point; nil for a larger one.
    public var narrowText: String? {
        guard draft.isMuster, let radius = draft.radiusMetres, radius < 20 else { return nil }
        return words.text(.regionsSettingsIsNarrow)
    }
    /// Whether it can be saved.
    public var canSave: Bool {
        !isBusy && fault == nil && draft.name.trimmed(toBytes: 200) != nil && !collection.isEmpty
    }
    /// Whether there is something to undo.
    public var canUndo: Bool { !done.isEmpty }
    /// Whether there is something to do again.
    public var canRedo: Bool { !undone.isEmpty }

    // MARK: Drawing

    /// Chooses what is drawn. A polygon keeps the circle's centre as its first vertex, and the other way round.
    public func choose(_ tool: Tool) {
        guard tool != self.tool, !draft.isForeign else { return }
        edit { draft in
            draft.radiusMetres = tool == .circle ? Self.newRadiusMetres : nil
            if tool == .circle { draft.vertices = Array(draft.vertices.prefix(1)) }
        }
    }

    /// A tap: adds a vertex, or moves the circle's centre there.
    public func tap(_ place: MapModel.Place) {
        guard !draft.isForeign, draft.vertices.count < RegionDraft.vertexLimit else { return }
        edit { draft in
            if draft.radiusMetres == nil { draft.vertices.append(place) } else { draft.vertices = [place] }
        }
    }

    /// Moves a vertex, or the circle's centre.
    public func move(_ index: Int, to place: MapModel.Place) {
        guard draft.vertices.indices.contains(index), !draft.isForeign else { return }
        edit { $0.vertices[index] = place }
    }

    /// Sets the radius so that the circle goes through a place.
    public func resize(to place: MapModel.Place) {
        guard tool == .circle, let centre = draft.vertices.first,
            let from = try? Coordinate(latitude: centre.latitude, longitude: centre.longitude),
            let to = try? Coordinate(latitude: place.latitude, longitude: place.longitude)
        else { return }
        radiusMetres = from.distance(to: to).value.rounded()
    }

    /// Removes a vertex.
    public func remove(_ index: Int) {
        guard draft.vertices.indices.contains(index), tool == .polygon, !draft.isForeign else { return }
        edit { $0.vertices.remove(at: index) }
    }

    /// Takes the last step back.
    public func undo() {
        guard let before = done.popLast() else { return }
        isSliding = false
        undone.append(draft)
        draft = before
        effects = nil
    }

    /// Takes it again.
    public func redo() {
        guard let after = undone.popLast() else { return }
        isSliding = false
        done.append(draft)
        draft = after
        effects = nil
    }

    // MARK: At the server

    /// Reads the region; for a new one begins with a circle around a place.
    public func load(around place: MapModel.Place? = nil) async {
        guard let region else {
            if draft.vertices.isEmpty { draft = RegionDraft(around: place) }
            return
        }
        await run { [self] in
            let answer = try await server.send("GET", path(of: region))
            guard let draft = RegionDraft(answer.body) else { return }
            (self.draft, tag, done, undone, effects) = (draft, answer.tag, [], [], nil)
            isSliding = false
        }
    }

    /// Asks the server what saving would change for the people who stand there now; it stores nothing.
    public func tryOut() async {
        guard canSave else { return }
        await run { [self] in
            let answer = try await server.send("PUT", path(of: id) + "?dryRun=true", feature, headers: conditions)
            effects = effects(in: answer.body)
        }
    }

    /// Saves the region, unless somebody else changed it meanwhile.
    public func save() async {
        guard canSave else { return }
        await run { [self] in
            _ = try await server.send("PUT", path(of: id), feature, headers: conditions)
            isDone = true
            await onSaved()
        }
    }

    /// What is asked before the region is removed.
    public var removeQuestion: Question {
        Question(
            title: words.text(.regionsRemove, ["name": wording.legible(draft.name)]), lines: effects ?? [],
            button: words.text(.regionsRemoveNow), cancel: words.text(.cancel), isDestructive: true)
    }

    /// Removes the region, unless somebody else changed it meanwhile.
    public func remove() async {
        guard let region else { return }
        await run { [self] in
            _ = try await server.send("DELETE", path(of: region), headers: conditions)
            isDone = true
            await onSaved()
        }
    }

    // MARK: Pieces

    var words: Words { wording.words }

    func lengthText(_ metres: Double) -> String { wording.length(metres) }

    /// The id of the region; of a new one made of its name.
    private var id: String {
        if let region { return region }
        let letters = draft.name.lowercased().unicodeScalars.map { scalar -> Character in
            CharacterSet.alphanumerics.contains(scalar) ? Character(scalar) : "-"
        }
        let joined = String(letters).split(separator: "-").joined(separator: "-")
        return joined.trimmed(toBytes: 60) ?? "region"
    }

    private var feature: JSONValue {
        var draft = draft
        draft.id = id
        draft.name = draft.name.trimmed(toBytes: 200) ?? id
        return draft.feature
    }

    private var conditions: [HTTPHeaderField] {
        if let tag { return [HTTPHeaderField("If-Match", tag)] }
        return region == nil ? [HTTPHeaderField("If-None-Match", "*")] : []
    }

    private func path(of region: String) -> String {
        "collections/\(ServerClient.encoded(collection))/regions/\(ServerClient.encoded(region))"
    }

    /// - Parameter goesOn: whether it is one step with the edit before it, if that was the same.
    private func edit(goesOn: Bool = false, _ change: (inout RegionDraft) -> Void) {
        var after = draft
        change(&after)
        guard after != draft else { return }
        if !goesOn || !isSliding { done = (done + [draft]).suffix(Self.undoLimit) }
        isSliding = goesOn
        undone = []
        draft = after
        effects = nil
    }

    private func run(_ body: @escaping () async throws -> Void) async {
        guard !isBusy else { return }
        isBusy = true
        defer { isBusy = false }
        do {
            problem = nil
            try await body()
        } catch {
            problem = ErrorWords(wording: wording).text(ServerFault(error))
        }
    }

    private func effects(in answer: JSONValue) -> [String] {
        let people = answer["people"]
        func number(_ value: JSONValue?) -> Int { Int(value?.integer ?? 0) }
        let pairs: [(Word, Int)] = [
            (.regionsEffectEntering, number(people?["entering"])), (.regionsEffectLeaving, number(people?["leaving"])),
            (.regionsEffectBecomeSafe, number(answer["safety"]?["wouldBecomeSafe"])),
            (.regionsEffectEndSafe, number(answer["safety"]?["wouldEndSafe"])),
        ]
        var lines = pairs.filter { $0.1 > 0 }.map { words.text($0.0, count: $0.1) }
        if lines.isEmpty { lines = [words.text(.regionsEffectNone)] }
        if answer["isComplete"]?.boolean == false { lines.append(words.text(.regionsEffectMore)) }
        return lines
    }
}
