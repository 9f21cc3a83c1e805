import GRDB

/// The sightings in a device's store that the server does not have yet.
struct LocalSightings: SightingQueue {
    let file: LocalStoreFile

    /// The table in the store's file.
    static let table = "sightings"
    /// The largest number of rows; beyond it the oldest tenth is removed. One row a second fills it in 14 hours.
    static let rowLimit = 50_000

    func page(rowLimit: Int) async throws(SightingOutboxError) -> SightingPage? {
        try await SightingOutboxError.naming { [file] in
            try await file.read { _, database in
                try SightingRows(database, table: Self.table, seal: file.seal).page(rowLimit: rowLimit)
            }
        }
    }

    func remove(_ page: SightingPage) async throws(SightingOutboxError) {
        try await SightingOutboxError.naming { [file] in
            try await file.write(announces: false) { try $0.sightings.remove(page) }
        }
    }
}
