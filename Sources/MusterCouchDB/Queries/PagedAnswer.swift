import HTTPTypes
import Hummingbird
import MusterDocuments
import MusterServer
import MusterWire
import NIOCore

/// A long answer that is read and sent a page at a time, so that it costs no more memory than a page.
protocol PagedAnswer: Sendable {
    /// Whether all of it was given.
    var isComplete: Bool { get }

    /// The next bytes of it. Blocks.
    mutating func next(_ reader: any DocumentReader) throws -> [UInt8]
}

/// How many documents make a page: as many as make about a megabyte, by what the last page had.
struct PageSize: Hashable, Sendable {
    /// How many to read next. Few at first, for nobody knows how large they are.
    private(set) var count = 16

    /// Notes how large a page was.
    mutating func note(_ documents: Int, bytes: Int) {
        guard documents > 0 else { return }
        let fitting = CouchLimits.pageBytes / max(1, bytes / documents)
        count = max(1, min(fitting, count * 8, CouchLimits.pageDocuments))
    }
}

extension CouchCall {
    /// Sends a long answer. What is wrong with its first page is still told as a fault.
    func send(_ answer: some PagedAnswer, headers: HTTPFields = [:]) async throws -> Response {
        let coordinator = coordinator
        var headers = headers
        headers[.contentType] = "application/json"
        let (begun, first) = try await coordinator.page(of: answer)
        guard !begun.isComplete else {
            return Response(status: .ok, headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: first)))
        }
        return Response(
            status: .ok, headers: headers,
            body: ResponseBody { writer in
                try await writer.write(ByteBuffer(bytes: first))
                var answer = begun
                while !answer.isComplete {
                    let (advanced, bytes) = try await coordinator.page(of: answer)
                    answer = advanced
                    try await writer.write(ByteBuffer(bytes: bytes))
                }
                try await writer.finish(nil)
            })
    }
}

extension StoreCoordinator {
    /// Reads a page of an answer, where reading may block.
    func page<Answer: PagedAnswer>(of answer: Answer) async throws -> (Answer, [UInt8]) {
        try await readDocuments { reader in
            var answer = answer
            let bytes = try answer.next(reader)
            return (answer, bytes)
        }
    }
}
