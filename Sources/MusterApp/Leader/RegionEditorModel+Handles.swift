import MusterGeometry

/// What a finger takes hold of on the map, and the same in words.
extension RegionEditorModel {
    /// A point of the shape that is dragged.
    public struct Handle: Hashable, Sendable, Identifiable {
        /// Which point it is.
        public var id: Point
        /// Where it is.
        public var place: MapModel.Place

        /// A point of a shape.
        public enum Point: Hashable, Sendable {
            /// A vertex of a polygon by its index, or the centre of a circle.
            case vertex(Int)
            /// The rim of a circle.
            case rim
        }
    }

    /// A vertex of a polygon in words, for those who do not drag it.
    public struct Corner: Hashable, Sendable, Identifiable {
        /// Its index.
        public var id: Int
        /// "Vertex 2 of 5".
        public var title: String
    }

    /// The points that can be dragged; none for a shape that cannot be drawn here.
    public var handles: [Handle] {
        guard foreignText == nil else { return [] }
        let points = vertices.enumerated().map { Handle(id: .vertex($0.offset), place: $0.element) }
        return points + (rim.map { [Handle(id: .rim, place: $0)] } ?? [])
    }

    /// Moves a point: a vertex or the centre there, the rim so that it goes through the place.
    public func drag(_ point: Handle.ID, to place: MapModel.Place) {
        switch point {
        case .vertex(let index): move(index, to: place)
        case .rim: resize(to: place)
        }
    }

    /// The vertices of a polygon that is drawn here.
    public var corners: [Corner] {
        guard foreignText == nil, tool == .polygon else { return [] }
        return vertices.indices.map { index in
            Corner(
                id: index,
                title: words.text(
                    .regionsVertexOne, ["number": String(index + 1), "of": String(vertices.count)]))
        }
    }
    /// The title of the button that removes a vertex.
    public var removeVertexTitle: String { words.text(.regionsVerticesRemove) }
    /// The radius in words; nil for a polygon.
    public var radiusText: String? { radiusMetres.map { lengthText($0) } }

    /// The place on the rim to the east of the centre; nil for a polygon.
    private var rim: MapModel.Place? {
        guard let radiusMetres, let centre = vertices.first,
            let from = try? Coordinate(latitude: centre.latitude, longitude: centre.longitude)
        else { return nil }
        let place = from.destination(bearing: Degrees(90), distance: Metres(radiusMetres))
        return MapModel.Place(latitude: place.latitude, longitude: place.longitude)
    }
}
