import CoreLocation
import MapKit
import MusterApp
import SwiftUI

/// Draws and edits a region by finger: a tap sets the centre or adds a vertex; a vertex, the centre and the rim of a
/// circle are dragged. VoiceOver has the radius as a slider and the vertices as a list, each with a button that removes
/// it.
struct RegionEditorView: View {
    @Bindable var editor: RegionEditorModel
    let regions: RegionsModel
    @Environment(\.dismiss) private var dismiss

    var body: some View {
        Form {
            Section {
                RegionDrawing(editor: editor).frame(height: 360)
                TextLines([editor.hint, editor.foreignText ?? "", editor.fault ?? "", editor.narrowText ?? ""])
                HStack {
                    Button(editor.undoTitle, systemImage: "arrow.uturn.backward") { editor.undo() }
                        .disabled(!editor.canUndo)
                    Spacer()
                    Button(editor.redoTitle, systemImage: "arrow.uturn.forward") { editor.redo() }
                        .disabled(!editor.canRedo)
                }
                .buttonStyle(.bordered)
                ForEach(RegionEditorModel.Tool.allCases, id: \.self) { tool in
                    Button(
                        editor.title(of: tool), systemImage: editor.tool == tool ? "largecircle.fill.circle" : "circle"
                    ) { editor.choose(tool) }
                }
                if let text = editor.radiusText {
                    LabeledContent(editor.radiusTitle, value: text)
                    Slider(value: $editor.slidRadiusMetres, in: RegionEditorModel.slidRadii) {
                        Text(editor.radiusTitle)
                    }
                    .accessibilityValue(text)
                }
            }
            Section {
                TextField(editor.nameTitle, text: $editor.name)
                Picker(editor.collectionTitle, selection: $editor.collection) {
                    ForEach(regions.writable, id: \.self) { name in Text(name).tag(name) }
                }
                Toggle(editor.musterTitle, isOn: $editor.isMuster)
            } footer: {
                Text(editor.musterHint)
            }
            Section {
                TextLines((editor.effects ?? []) + [editor.problem ?? ""])
                ActionButton(editor.tryOutTitle, "questionmark.circle") { await editor.tryOut() }
                ActionButton(editor.saveTitle, "checkmark") { await editor.save() }
                QuestionButton(editor.removeTitle, "trash", editor.removeQuestion) { _ in await editor.remove() }
            }
            .disabled(!editor.canSave)
            Section {
                ForEach(editor.corners) { corner in
                    HStack {
                        Text(corner.title)
                        Spacer()
                        Button(editor.removeVertexTitle, systemImage: "minus.circle", role: .destructive) {
                            editor.remove(corner.id)
                        }
                        .buttonStyle(.bordered)
                    }
                }
            }
        }
        .navigationTitle(editor.title)
        .navigationBarTitleDisplayMode(.inline)
        .task { await editor.load() }
        .onChange(of: editor.isDone) { dismiss() }
    }
}

/// The map on which a region is drawn.
struct RegionDrawing: View {
    let editor: RegionEditorModel
    @State private var camera = MapCameraPosition.userLocation(fallback: .automatic)

    var body: some View {
        MapReader { proxy in
            Map(position: $camera) {
                UserAnnotation()
                MapPolygon(coordinates: editor.outline.map(\.coordinate)).foregroundStyle(.green.opacity(0.2))
                    .stroke(.green, lineWidth: 2)
                ForEach(editor.handles) { handle in
                    Annotation("", coordinate: handle.place.coordinate) {
                        Circle().fill(.white).frame(width: 22, height: 22)
                            .overlay { Circle().stroke(.green, lineWidth: 3) }
                            // A finger is wider than the handle.
                            .frame(width: 44, height: 44)
                            .contentShape(Circle())
                            .gesture(drag(handle.id, proxy))
                    }
                }
            }
            .gesture(tap(proxy))
        }
        .accessibilityHidden(true)
    }

    private func tap(_ proxy: MapProxy) -> some Gesture {
        SpatialTapGesture().onEnded { tap in
            if let place = proxy.place(at: tap.location, from: .local) { editor.tap(place) }
        }
    }

    /// The point is moved when the finger is lifted, so that one drag is one step of undo.
    private func drag(_ point: RegionEditorModel.Handle.ID, _ proxy: MapProxy) -> some Gesture {
        DragGesture(minimumDistance: 4, coordinateSpace: .global).onEnded { drag in
            if let place = proxy.place(at: drag.location, from: .global) { editor.drag(point, to: place) }
        }
    }
}

extension MapProxy {
    /// The place on the map under a point; nil beyond the map.
    fileprivate func place(at point: CGPoint, from space: some CoordinateSpaceProtocol) -> MapModel.Place? {
        convert(point, from: space).map { MapModel.Place(latitude: $0.latitude, longitude: $0.longitude) }
    }
}
