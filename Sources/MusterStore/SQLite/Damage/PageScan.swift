import CPageChecksums
import Foundation

/// Verifies every page of a file on the disk, free pages included.
struct PageScan {
    /// The number of pages in the file.
    private(set) var count = 0
    /// The numbers of the damaged or missing pages, at most the first 10,000.
    private(set) var damaged: [Int] = []

    private static let mostDamaged = 10_000
    private static let pagesAtOnce = 256
    /// A running server may write a page while the scan reads it, so the scan reads a page that does not match up to
    /// this many more times.
    private static let looks = 3

    /// Reads the whole file. The scan leaves out pages of which the write-ahead log has a newer version, because SQLite
    /// does not read them from the file.
    ///
    /// - Throws: `StoreError.unavailable` if the file cannot be read.
    /// - Precondition: the pages of the file have checksums.
    init(of path: String) throws {
        guard let file = FileHandle(forReadingAtPath: path) else {
            throw StoreError.unavailable(reason: "\(path) cannot be read")
        }
        defer { try? file.close() }
        let size = PageChecksums.pageSize
        let declaredCount = try Self.pageCount(file)
        while let bytes = try file.read(upToCount: size * Self.pagesAtOnce), !bytes.isEmpty {
            bytes.withUnsafeBytes { bytes in
                for start in stride(from: 0, to: bytes.count, by: size) {
                    count += 1
                    // SQLite never uses the page at 1 GiB, where its locks are.
                    guard count != (1 << 30) / size + 1, damaged.count < Self.mostDamaged else { continue }
                    let page = UnsafeRawBufferPointer(rebasing: bytes[start..<min(start + size, bytes.count)])
                    if !Self.isSound(page, number: count) { damaged.append(count) }
                }
            }
        }
        if count < declaredCount { damaged += (count + 1...declaredCount).prefix(Self.mostDamaged) }
        guard !damaged.isEmpty else { return }
        for look in 1...Self.looks where FileManager.default.fileExists(atPath: path + "-wal") {
            let renewed = Self.pages(inLogOf: path)
            damaged = try damaged.filter { number in
                guard !renewed.contains(number) else { return false }
                try file.seek(toOffset: UInt64(number - 1) * UInt64(size))
                let page = try file.read(upToCount: size) ?? Data()
                return !page.withUnsafeBytes { Self.isSound($0, number: number) }
            }
            if damaged.isEmpty { return }
            if look < Self.looks { usleep(50_000) }
        }
    }

    static func isSound(_ page: UnsafeRawBufferPointer, number: Int) -> Bool {
        guard page.count == PageChecksums.pageSize, let start = page.bindMemory(to: UInt8.self).baseAddress else {
            return false
        }
        return page_checksums_verify(start, Int32(page.count), UInt32(truncatingIfNeeded: number)) != 0
    }

    /// Returns the page count in the file's header; 0 if the header says that the count is not valid. Leaves the file
    /// at its start.
    private static func pageCount(_ file: FileHandle) throws -> Int {
        let header = try file.read(upToCount: 100) ?? Data()
        try file.seek(toOffset: 0)
        guard header.count == 100, header[24..<28] == header[92..<96] else { return 0 }
        return header[28..<32].reduce(0) { $0 << 8 | Int($1) }
    }

    /// Returns the numbers of the pages that the write-ahead log of a database has; see
    /// https://sqlite.org/fileformat2.html#walformat.
    private static func pages(inLogOf path: String) -> Set<Int> {
        guard let log = FileHandle(forReadingAtPath: path + "-wal"), let header = try? log.read(upToCount: 32),
            header.count == 32
        else { return [] }
        defer { try? log.close() }
        let salts = header[16..<24]
        var pages: Set<Int> = []
        while let frame = try? log.read(upToCount: 24), frame.count == 24, frame[8..<16].elementsEqual(salts) {
            pages.insert(frame[0..<4].reduce(0) { $0 << 8 | Int($1) })
            let size = UInt64(PageChecksums.pageSize)
            guard let place = try? log.offset(), (try? log.seek(toOffset: place + size)) != nil else { break }
        }
        return pages
    }
}
