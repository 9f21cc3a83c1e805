import SwiftUI
import WidgetKit

/// The widgets and the Live Activity.
@main struct MusterWidgets: WidgetBundle {
    var body: some Widget {
        StatusWidget()
        WayWidget()
        IncidentActivity()
    }
}

/// A moment, and what is shown from then on.
struct GlanceEntry: TimelineEntry {
    var date: Date
    var status: Glance.Face
    var way: Glance.Face

    /// What a glance shows from a moment on.
    init(_ glance: Glance, at date: Date) {
        self.date = date
        (status, way) = glance.faces(at: date)
    }
}

/// Shows what the app stored, and marks it as old once it is. The app asks for a new timeline whenever something
/// changes.
struct GlanceProvider: TimelineProvider {
    func placeholder(in context: Context) -> GlanceEntry { GlanceEntry(.empty, at: Date()) }

    func getSnapshot(in context: Context, completion: @escaping (GlanceEntry) -> Void) {
        completion(GlanceEntry(Glance.load() ?? .empty, at: Date()))
    }

    func getTimeline(in context: Context, completion: @escaping (Timeline<GlanceEntry>) -> Void) {
        let glance = Glance.load() ?? .empty
        let moments = [Date(), glance.freshUntil].sorted().filter { $0 < .distantFuture }
        completion(Timeline(entries: moments.map { GlanceEntry(glance, at: $0) }, policy: .never))
    }
}

/// The person's own state, for the Lock Screen and the Home Screen.
struct StatusWidget: Widget {
    var body: some WidgetConfiguration {
        StaticConfiguration(kind: "status", provider: GlanceProvider()) { entry in
            FaceView(face: entry.status).widgetURL(URL(string: "muster://now"))
        }
        .configurationDisplayName("widgetStatus")
        .description("widgetStatusWhat")
        .supportedFamilies([.accessoryInline, .accessoryCircular, .accessoryRectangular, .systemSmall])
    }
}

/// The way to the nearest assembly point, for the Home Screen.
struct WayWidget: Widget {
    var body: some WidgetConfiguration {
        StaticConfiguration(kind: "way", provider: GlanceProvider()) { entry in
            FaceView(face: entry.way).widgetURL(URL(string: "muster://way"))
        }
        .configurationDisplayName("widgetWay")
        .description("widgetWayWhat")
        .supportedFamilies([.accessoryRectangular, .systemSmall, .systemMedium])
    }
}
