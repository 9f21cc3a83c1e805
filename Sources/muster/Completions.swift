import ArgumentParser

/// The values that shell completion offers for options whose values the server checks, not the command line.
extension CompletionKind {
    static let roles = list(["admin", "leader", "member", "analyst", "gateway"])
    static let policies = list(["confident", "raw"])
    static let filters = list(["none", "timeBased", "distanceBased", "accuracyBased"])
    static let rollStates = list(["safe", "offSite", "needsHelp", "unaccounted"])
    static let noteKinds = list(["waypoint", "card", "steps", "status", "lwt", "clock", "properties"])
    static let targetKinds = list(["webhook", "slack", "sms", "log"])
    static let reportFormats = list(["json", "csv", "html"])
    static let geoJSONFiles = file(extensions: ["geojson", "json"])
    static let regionFiles = file(extensions: ["geojson", "json", "kml"])
    static let gpxFiles = file(extensions: ["gpx"])
    static let csvFiles = file(extensions: ["csv"])
}
