/// The schema of the list of map tiles.
extension Schema {
    static let maps: [(String, String)] = [
        (
            "MapIndex",
            object([("tiles", list(of: reference("TileFile")))], optional: [("style", text)])
        ),
        (
            "TileFile",
            object(
                [
                    ("name", name), ("kind", words("vector", "raster")),
                    ("type", words("mvt", "png", "jpeg", "webp", "avif")), ("minZoom", integer), ("maxZoom", integer),
                    ("bounds", #"{"type":"array","minItems":4,"maxItems":4,"items":{"type":"number"}}"#),
                    ("layers", list(of: object([("id", text), ("fields", list(of: text))]))),
                ], optional: [("attribution", text)])
        ),
    ]
}
