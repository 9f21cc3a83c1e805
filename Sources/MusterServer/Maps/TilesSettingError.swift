/// Why a setting that names a file of map tiles cannot be used.
package enum TilesSettingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file's own name is no name for addresses.
    case name(String)
    /// The name is that of the map that comes with the page.
    case isOfTheWorld

    package var description: String {
        switch self {
        case .name(let name):
            "'\(name)' is no name: use a–z, A–Z, 0–9 and ._-@, 64 at most; NAME=FILE gives the file another"
        case .isOfTheWorld:
            "'\(TileCatalog.world)' is the name of the map that comes with the page; NAME=FILE gives the file another"
        }
    }
}
