import Foundation
package import MusterCore
import MusterWire

/// Advertisements from a btsnoop capture, with the times of the capture.
package struct CaptureSource: AdvertisementSource {
    package let name: String
    package let isLive = false
    private let shiftMilliseconds: Int64

    /// Opens a capture.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - end: the time to move the last packet to, with all others by as much; nil to keep the recorded times.
    /// - Throws: `RadioError.unreadable`.
    package init(path: String, movedToEndAt end: Instant? = nil) throws(RadioError) {
        name = path
        guard let end else {
            shiftMilliseconds = 0
            return
        }
        var last: Instant?
        try Self.read(path) { record in last = max(last ?? record.time, record.time) }
        shiftMilliseconds = last.map { end.milliseconds &- $0.milliseconds } ?? 0
    }

    package func listen() -> AsyncThrowingStream<RadioNews, any Error> {
        let (stream, continuation) = AsyncThrowingStream<RadioNews, any Error>.makeStream()
        let (path, shift) = (name, shiftMilliseconds)
        Thread.detachNewThread {
            var reading = AdvertisementReading()
            continuation.yield(.listening)
            do throws(RadioError) {
                try Self.read(path) { record in
                    let time = Instant(milliseconds: record.time.milliseconds &+ shift)
                    for heard in reading.advertisements(in: record.event, at: time) {
                        continuation.yield(.heard(heard))
                    }
                }
                continuation.finish()
            } catch {
                continuation.finish(throwing: error)
            }
        }
        return stream
    }

    private static func read(_ path: String, _ take: (BtsnoopReader.Record) -> Void) throws(RadioError) {
        func fault(_ cause: String) -> RadioError { .unreadable(path: path, cause: cause) }
        guard let file = FileHandle(forReadingAtPath: path) else { throw fault(String(cString: strerror(errno))) }
        defer { try? file.close() }
        var reader = BtsnoopReader()
        do {
            while let piece = try file.read(upToCount: 1 << 16), !piece.isEmpty {
                reader.append(piece)
                while let record = try reader.next() { take(record) }
            }
        } catch let cause as BtsnoopError {
            throw fault(cause.description)
        } catch {
            throw fault(error.localizedDescription)
        }
        // A capture of a process that was killed may end within a packet, so only a file without its header is refused.
        guard !reader.isWithinHeader else { throw fault(BtsnoopError.noCapture.description) }
    }
}
