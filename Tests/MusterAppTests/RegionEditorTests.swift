import MusterKit
import Testing

@testable import MusterApp

/// Drawing a region by finger, before the server is asked.
@MainActor @Suite struct RegionEditorTests {
    private let place = MapModel.Place(latitude: 52, longitude: 13)

    private func begin() async -> RegionEditorModel {
        let editor = RegionEditorModel(collection: "yards", region: nil, ServerClient { nil }, Wording(.english)) {}
        await editor.load(around: place)
        return editor
    }

    @Test func `a circle is drawn by its rim or a slider, and what the slider did is one step of undo`() async throws {
        let editor = await begin()
        #expect(editor.handles.map(\.id) == [.vertex(0), .rim])
        #expect(editor.radiusText == "50 m" && editor.corners.isEmpty)
        let rim = try #require(editor.handles.last?.place)
        #expect(rim.longitude > 13 && abs(rim.latitude - 52) < 1e-5)
        editor.drag(.rim, to: MapModel.Place(latitude: 52.001, longitude: 13))
        #expect(editor.radiusMetres == 111)
        for radius in [120.2, 130, 140.4] { editor.slidRadiusMetres = radius }
        #expect(editor.radiusMetres == 140)
        editor.undo()
        #expect(editor.radiusMetres == 111)
        editor.undo()
        #expect(editor.radiusMetres == 50)
        editor.redo()
        editor.slidRadiusMetres = 200
        editor.undo()
        #expect(editor.radiusMetres == 111, "after something else a slider begins anew")
        editor.drag(.vertex(0), to: MapModel.Place(latitude: 52.1, longitude: 13))
        #expect(editor.vertices.map(\.latitude) == [52.1])
    }

    @Test func `the vertices of a polygon are listed in words, and each can be removed`() async {
        let editor = await begin()
        editor.choose(.polygon)
        for step in 1...3 { editor.tap(MapModel.Place(latitude: 52, longitude: 13 + Double(step) / 1_000)) }
        #expect(editor.corners.map(\.title) == (1...4).map { "Vertex \($0) of 4" })
        #expect(editor.handles.count == 4 && editor.radiusText == nil)
        editor.slidRadiusMetres = 70
        #expect(editor.tool == .polygon, "a slider makes no circle of it")
        editor.remove(1)
        #expect(editor.vertices.map(\.longitude) == [13, 13.002, 13.003])
        editor.undo()
        #expect(editor.corners.count == 4)
    }
}
