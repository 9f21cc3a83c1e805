import Dispatch
import Foundation
import MusterCore
import Synchronization

/// Records the newest change that is on the disk, in a file beside the database. If an older database, or none, lies in
/// the database's place, the mark shows that acknowledged changes are lost.
///
/// The mark is written after the commit that it names, at most once a second and when the store closes. So it is never
/// ahead of the database, and at most a second behind. If the disk refuses the new mark, the old one stays, which names
/// an earlier change.
final class HighWaterMark: Sendable {
    /// The content of the file.
    struct Value: Equatable {
        /// The store's UUID.
        var store: String
        /// The sequence of the newest change.
        var sequence: Int64
        /// The commit time of that change.
        var at: Instant
    }

    static let fileName = "newest-change"
    /// The shortest time between two marks, in seconds.
    private static let interval = 1.0

    private struct State {
        var newest: Value?
        /// Whether a write of the mark is scheduled.
        var isScheduled = false
        var isFinished = false
        /// The system's uptime at the last write, in seconds.
        var writtenAt = -HighWaterMark.interval
    }

    private let directory: String
    private let store: String
    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "muster-newest-change", qos: .utility)

    init(in directory: String, of store: String) {
        self.directory = directory
        self.store = store
    }

    /// Records that a change is on the disk, and schedules a write of the mark within a second. Never waits for the
    /// disk itself.
    func advance(to sequence: Int64, at moment: Instant) {
        let delay = state.withLock { state -> Double? in
            state.newest = Value(store: store, sequence: sequence, at: moment)
            guard !state.isScheduled else { return nil }
            state.isScheduled = true
            return max(0, state.writtenAt + Self.interval - ProcessInfo.processInfo.systemUptime)
        }
        guard let delay else { return }
        queue.asyncAfter(deadline: .now() + delay) { [weak self] in self?.write() }
    }

    /// Writes the last mark of a store that closes. Later calls write nothing.
    func finish() {
        queue.sync {
            write()
            state.withLock { $0.isFinished = true }
        }
    }

    private func write() {
        let value = state.withLock { state -> Value? in
            state.isScheduled = false
            state.writtenAt = ProcessInfo.processInfo.systemUptime
            return state.isFinished ? nil : state.newest
        }
        if let value { Self.store(value, in: directory) }
    }

    /// Writes the mark. If the disk refuses it, the former mark stays.
    private static func store(_ value: Value, in directory: String) {
        let path = directory + "/" + fileName
        let next = directory + "/." + fileName
        let text = "\(value.store) \(value.sequence) \(value.at.milliseconds)\n"
        _ = DataFile.create(next, exclusively: false)
        guard (try? Data(text.utf8).write(to: URL(filePath: next))) != nil, DataFile.synchronise(next) == 0 else {
            return
        }
        rename(next, path)
    }

    /// Reads the mark of a folder; nil if there is none, or it cannot be read.
    static func read(in directory: String) -> Value? {
        guard let data = FileManager.default.contents(atPath: directory + "/" + fileName) else { return nil }
        let words = String(decoding: data, as: UTF8.self).split(whereSeparator: \.isWhitespace)
        guard words.count == 3, let sequence = Int64(words[1]), let at = Int64(words[2]) else { return nil }
        return Value(store: String(words[0]), sequence: sequence, at: Instant(milliseconds: at))
    }

    static func remove(from directory: String) {
        try? FileManager.default.removeItem(atPath: directory + "/" + fileName)
    }
}

extension SQLiteStore {
    /// Files that lie beside every database that a server has used. If one of them exists and the database does not,
    /// the database was lost.
    private static let companions = ["secrets.key", HighWaterMark.fileName]

    /// Checks that the database of a folder exists, if the files beside it show that there was one.
    ///
    /// - Throws: `StoreError.lost`.
    package static func requireDatabase(in directory: String) throws {
        let path = directory + "/" + fileName
        guard try DataFile.size(of: path) == 0 else { return }
        let log = try DataFile.size(of: path + "-wal")
        let files = companions.filter { FileManager.default.fileExists(atPath: directory + "/" + $0) }
        guard !files.isEmpty || log > 0 else { return }
        let isThere = FileManager.default.fileExists(atPath: path)
        let mark = HighWaterMark.read(in: directory)
        let known = mark.map { " It had \($0.sequence) changes, the newest of \(Self.describe($0.at))." } ?? ""
        let beside =
            files.isEmpty
            ? "muster.sqlite-wal is"
            : files.joined(separator: " and ")
                + (files.count > 1 ? " are" : " is")
        throw StoreError.lost(
            path: path, reason: "\(isThere ? "it is empty" : "it is not there"), but \(beside) beside it.\(known)")
    }

    /// Checks that the database is the one that the mark names, and has all of its changes.
    ///
    /// - Throws: `StoreError.lost`.
    static func requireChanges(_ mark: HighWaterMark.Value?, in path: String, of store: String, upTo last: Int64) throws
    {
        guard let mark else { return }
        guard mark.store == store else {
            throw StoreError.lost(
                path: path,
                reason: "it is another store than the one served here until \(describe(mark.at)), which had "
                    + "\(mark.sequence) changes.")
        }
        guard last < mark.sequence else { return }
        throw StoreError.lost(
            path: path,
            reason: "\(mark.sequence - last) acknowledged changes are missing: its newest is \(last), and "
                + "\(mark.sequence) was stored by \(describe(mark.at)).")
    }

    static func describe(_ moment: Instant) -> String {
        Date(timeIntervalSince1970: moment.seconds).formatted(.iso8601)
    }
}
