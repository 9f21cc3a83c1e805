import MusterApp
import MusterNearby
import SwiftUI

/// The people nearby: how far each is, and an arrow towards them. It measures while it is shown.
struct NearbyView: View {
    let nearby: NearbyModel
    @Environment(\.scenePhase) private var phase

    var body: some View {
        List {
            Text(nearby.explanation)
            TextLines([nearby.problem ?? "", nearby.nobodyText ?? ""])
            ForEach(nearby.requests) { request in NearbyRequest(request: request, nearby: nearby) }
            ForEach(nearby.rows) { row in NearbyRow(row: row) }
        }
        .navigationTitle(nearby.title)
        .task { await nearby.run(measuringBy: [UltraWidebandRanging.nearbyInteraction()]) }
        .onChange(of: phase) { nearby.setSeen(phase == .active) }
    }
}

/// Somebody who wants to take part. Both compare the digits on their screens.
struct NearbyRequest: View {
    let request: NearbyModel.Request
    let nearby: NearbyModel

    var body: some View {
        Section {
            Text(request.text).font(.headline)
            Text(request.digits).font(.callout.monospacedDigit())
            Button(nearby.allowTitle, systemImage: "checkmark") { nearby.answer(request.id, isAllowed: true) }
            Button(nearby.refuseTitle, systemImage: "xmark", role: .cancel) {
                nearby.answer(request.id, isAllowed: false)
            }
        }
    }
}

/// Somebody nearby.
struct NearbyRow: View {
    let row: NearbyModel.Row

    var body: some View {
        HStack(spacing: 16) {
            if let degrees = row.arrowDegrees {
                Image(systemName: "location.north.fill").font(.largeTitle).rotationEffect(.degrees(degrees))
            }
            VStack(alignment: .leading) {
                Text(row.name).font(.headline)
                Text(row.distanceText)
                TextLines([row.directionText]).foregroundStyle(.secondary)
            }
        }
        .accessibilityElement(children: .ignore)
        .accessibilityLabel(row.spoken)
        .accessibilityAddTraits(.updatesFrequently)
    }
}
