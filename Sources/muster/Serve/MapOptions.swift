import ArgumentParser
import MusterServer

/// The maps beneath the people on the console (docs/maps.md).
struct MapOptions: ParsableArguments {
    @Option(
        name: .customLong("tiles"),
        help: ArgumentHelp(
            "A file of map tiles, PMTiles or MBTiles, to draw above the map of the world; may be repeated.",
            valueName: "[name=]file"),
        completion: .file())
    var tiles: [String] = []
    @Option(help: "The address of a MapLibre style to draw instead, such as https://maps.example/style.json.")
    var mapStyle: String?

    func validate() throws {
        var names: Set<String> = []
        for setting in try tileSettings where !names.insert(setting.name).inserted {
            throw ValidationError("--tiles: two files have the name '\(setting.name)'; NAME=FILE gives one another")
        }
        if let mapStyle, style == nil {
            throw ValidationError("--map-style: '\(mapStyle)' is not of the form https://maps.example/style.json")
        }
    }

    /// The files with their names, in the order of the options.
    var tileSettings: [Configuration.Tiles] {
        get throws {
            try tiles.map { text in
                do throws(TilesSettingError) {
                    return try Configuration.Tiles(text)
                } catch {
                    throw ValidationError("--tiles: \(error)")
                }
            }
        }
    }

    var style: MapStyle? { mapStyle.flatMap { MapStyle($0) } }
}
