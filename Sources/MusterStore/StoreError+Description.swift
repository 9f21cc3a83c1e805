import MusterCore

/// The store's errors in words.
extension StoreError: CustomStringConvertible {
    /// The failure and its remedy, for the person who runs the server.
    package var description: String {
        switch self {
        case .unavailable(let reason):
            "the store cannot be used now: \(reason). What is stored is safe."
        case .unwritable(let reason):
            """
            nothing can be stored now: \(reason). What is stored is safe. Make room on the disk of the data folder, or \
            make it writable (see docs/operations.md).
            """
        case .corrupt(let path, let reason):
            """
            \(path) is damaged, or no database of Muster: \(reason). Nothing was changed. `muster restore` puts a file \
            that `muster backup` made in its place (see docs/operations.md).
            """
        case .tooNew(let path, let version, let known):
            """
            a newer Muster wrote \(path): it has version \(version), this program reads up to \(known). Nothing was \
            changed. Use the newer program, or a file that `muster backup` made before.
            """
        case .trimmed(let oldest):
            "changes before \(oldest.rawValue) are no longer kept"
        case .backup(let path, let reason):
            "the backup to \(path) failed: \(reason)"
        case .missing(let path):
            "there is no \(path)"
        case .restore(let path, let reason):
            "\(path) could not be restored: \(reason). Nothing was lost. Remove the cause and try again."
        case .lost(let path, let reason):
            """
            \(path) was lost: \(reason) Nothing was changed. `muster restore` puts a file that `muster backup` made in \
            its place; `muster serve --accept-loss`, once, starts with the data that is there (see docs/operations.md).
            """
        case .inUse(let path):
            "\(path) is in use by another Muster. Stop it first, or use another folder."
        }
    }
}
