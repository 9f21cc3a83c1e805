package import MusterGeometry

/// A request to `_geo`, with Cloudant's parameters.
package struct GeoQuery: Sendable {
    /// The geometry to search with.
    package var area: Area
    /// The relation that `area` must have to the geometry of a document.
    package var relation = GeoRelation.intersects
    /// Whether the results are ordered by distance, the nearest first.
    package var isNearest = false
    /// The most documents on a page.
    package var limit = Self.defaultLimit
    /// The number of documents to skip first.
    package var skip = 0
    /// The end of the previous page; nil for the first page.
    package var bookmark: String?
    /// Whether the results contain the whole documents.
    package var includesDocuments = false
    /// The format of the response.
    package var format = Format.view

    /// The page size if the request names none.
    package static let defaultLimit = 100
    /// The largest page size.
    package static let largestLimit = 200
    /// The largest number of documents to skip.
    package static let largestSkip = 100_000

    /// The geometries that a query may name.
    package enum Area: Hashable, Sendable {
        /// A circle: centre and geodesic radius.
        case circle(Coordinate, Metres)
        /// An ellipse: centre, half width from east to west, and half height from north to south.
        case ellipse(Coordinate, Metres, Metres)
        /// A box in longitude and latitude. It crosses the antimeridian if west is greater than east.
        case box(BoundingBox)
        /// Any other geometry, given as WKT.
        case geometry(PlainGeometry)
    }

    /// The formats of a response.
    package enum Format: String, Sendable {
        case view
        case legacy
        case geojson
    }

    /// Reads a query.
    ///
    /// - Parameter parameters: names and values, percent-decoded.
    /// - Throws: `MangoError` for an unknown parameter, a value out of range, and not exactly one geometry.
    package init(_ parameters: [(name: String, value: String)]) throws(MangoError) {
        func value(_ name: String) -> String? { parameters.first { $0.name == name }?.value }
        let known: Set<String> = [
            "bbox", "lat", "lon", "radius", "rangex", "rangey", "g", "relation", "nearest", "limit", "skip", "bookmark",
            "stale", "include_docs", "format", "update",
        ]
        if let stranger = parameters.first(where: { !known.contains($0.name) }) {
            throw Self.fault("there is no parameter \(stranger.name.prefix(50))")
        }
        area = try Self.area(value)
        if let text = value("relation") {
            guard let relation = GeoRelation(rawValue: text) else { throw Self.fault("there is no relation \(text)") }
            self.relation = relation
        }
        isNearest = try Self.boolean("nearest", value)
        includesDocuments = try Self.boolean("include_docs", value)
        if let text = value("limit") { limit = try Self.count("limit", text, Self.largestLimit) }
        if let text = value("skip") { skip = try Self.count("skip", text, Self.largestSkip) }
        if let text = value("bookmark"), !text.isEmpty { bookmark = text }
        if let text = value("format") {
            guard let format = text == "application/vnd.geo+json" ? .geojson : Format(rawValue: text) else {
                throw Self.fault("format is view, legacy, geojson or application/vnd.geo+json")
            }
            self.format = format
        }
        if let text = value("stale"), text != "ok" { throw Self.fault("stale is ok or absent") }
    }

    private static func area(_ value: (String) -> String?) throws(MangoError) -> Area {
        let kinds = ["bbox", "g", "radius", "rangex"].filter { value($0) != nil }
        guard kinds.count == 1 else {
            throw fault("give one geometry: bbox, g, lat and lon with radius, or with rangex and rangey")
        }
        if let text = value("bbox") { return .box(try box(text)) }
        if let text = value("g") {
            do throws(GeometryTextError) {
                let geometry = try PlainGeometry(wkt: text)
                guard !geometry.isEmpty, !geometry.isMixed else {
                    throw .malformed("the geometry must have parts, all points, all lines or all polygons")
                }
                return .geometry(geometry)
            } catch {
                throw fault("g: \(error)")
            }
        }
        guard let latitude = value("lat").flatMap(Double.init), let longitude = value("lon").flatMap(Double.init),
            let centre = try? Coordinate(latitude: latitude, longitude: longitude)
        else { throw fault("lat and lon are numbers on the globe") }
        if let text = value("radius") { return .circle(centre, try length("radius", text)) }
        return .ellipse(
            centre, try length("rangex", value("rangex") ?? ""), try length("rangey", value("rangey") ?? ""))
    }

    private static func box(_ text: String) throws(MangoError) -> BoundingBox {
        let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) ?? .nan }
        guard numbers.count == 4, let low = try? Coordinate(latitude: numbers[1], longitude: numbers[0]),
            let high = try? Coordinate(latitude: numbers[3], longitude: numbers[2]), low.latitude <= high.latitude
        else { throw fault("bbox is west,south,east,north in degrees") }
        return BoundingBox(south: low.latitude, west: low.longitude, north: high.latitude, east: high.longitude)
    }

    private static func length(_ name: String, _ text: String) throws(MangoError) -> Metres {
        guard let metres = Double(text), metres > 0, metres <= 21_000_000 else {
            throw fault("\(name) is a number of metres")
        }
        return Metres(metres)
    }

    private static func boolean(_ name: String, _ value: (String) -> String?) throws(MangoError) -> Bool {
        switch value(name) {
        case nil, "false": return false
        case "true": return true
        default: throw fault("\(name) is true or false")
        }
    }

    private static func count(_ name: String, _ text: String, _ limit: Int) throws(MangoError) -> Int {
        guard let count = Int(text), (0...limit).contains(count) else { throw fault("\(name) is 0 to \(limit)") }
        return count
    }

    private static func fault(_ reason: String) -> MangoError { MangoError("bad_request", reason) }
}

/// The relations of the query's geometry to a document's, named as in the OGC's Simple Features and by Cloudant.
package enum GeoRelation: String, CaseIterable, Sendable {
    case contains
    case containsProperly = "contains_properly"
    case coveredBy = "covered_by"
    case covers
    case crosses
    case disjoint
    case intersects
    case overlaps
    case touches
    case within
}
