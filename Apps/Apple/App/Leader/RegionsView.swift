import MusterApp
import SwiftUI

/// The regions that a leader may see.
struct RegionsView: View {
    let regions: RegionsModel

    var body: some View {
        List {
            TextLines([regions.problem ?? "", regions.emptyText ?? ""])
            if regions.isLoading { ProgressView() }
            ForEach(regions.rows) { row in
                NavigationLink(value: Navigation.Route.region(collection: row.collection, id: row.region)) {
                    VStack(alignment: .leading) {
                        Text(row.title)
                        Text("\(row.collection) · \(row.detail)").font(.footnote).foregroundStyle(.secondary)
                    }
                }
                .disabled(!row.mayChange)
            }
        }
        .navigationTitle(regions.title)
        .toolbar {
            ToolbarItem(placement: .primaryAction) {
                NavigationLink(value: Navigation.Route.newRegion) { Label(regions.newTitle, systemImage: "plus") }
                    .disabled(regions.writable.isEmpty)
            }
        }
        .task { await regions.load() }
        .refreshable { await regions.load() }
    }
}

/// The editor of a region.
struct RegionView: View {
    let regions: RegionsModel
    let collection: String
    let id: String
    @State private var editor: RegionEditorModel?

    var body: some View {
        Group { if let editor { RegionEditorView(editor: editor, regions: regions) } }
            .task { if editor == nil { editor = regions.editor(of: regions.row(collection: collection, id: id)) } }
    }
}

/// The editor of a new region.
struct NewRegionView: View {
    let regions: RegionsModel
    @State private var editor: RegionEditorModel?

    var body: some View {
        Group { if let editor { RegionEditorView(editor: editor, regions: regions) } }
            .task { if editor == nil { editor = regions.editor(of: nil) } }
    }
}
