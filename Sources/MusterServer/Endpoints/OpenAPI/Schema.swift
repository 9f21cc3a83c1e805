/// The JSON Schemas (2020-12) of the native API, by name, as OpenAPI 3.1 shows them.
enum Schema {
    /// How many items a page holds.
    static let limit = #"{"type":"integer","minimum":1,"maximum":1000,"default":100}"#
    /// Where a page begins.
    static let cursor = #"{"type":"string","maxLength":200}"#
    /// A time.
    static let time = #"{"type":"string","format":"date-time"}"#
    /// A number of the log.
    static let since = #"{"type":"integer","minimum":0,"maximum":9223372036854775807,"default":0}"#
    /// The form of an export.
    static let exportForm = #"{"type":"string","enum":["json","geojson","gpx","csv","ndjson"]}"#
    /// A name.
    static let name = #"{"type":"string","pattern":"\#(EntityName.pattern)","minLength":1,"maxLength":64}"#
}
