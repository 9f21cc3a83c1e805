import HTTPTypes
import Hummingbird
import MusterDocuments
import MusterServer
import NIOCore

/// A long response that the server reads and sends a page at a time, so that it uses no more memory than a page.
protocol PagedAnswer: Sendable {
    /// Whether all bytes were returned.
    var isComplete: Bool { get }

    /// Reads the next page, and returns its bytes. Blocks.
    mutating func next(_ reader: any DocumentReader) throws -> [UInt8]
}

/// The number of documents on the next page, chosen from the size of the last one so that a page has about a megabyte.
struct PageSize: Hashable, Sendable {
    /// The number of documents to read next. It starts small, because their size is unknown.
    private(set) var count = 16

    /// Adjusts the number to the size of the page that was read.
    mutating func adjust(_ documents: Int, bytes: Int) {
        guard documents > 0 else { return }
        let fitting = CouchLimits.pageBytes / max(1, bytes / documents)
        count = max(1, min(fitting, count * 8, CouchLimits.pageDocuments))
    }
}

extension CouchCall {
    /// Sends a long response. An error on the first page becomes the response's status.
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
    /// Reads a page of a response on a reader thread.
    func page<Answer: PagedAnswer>(of answer: Answer) async throws -> (Answer, [UInt8]) {
        try await readDocuments { reader in
            var answer = answer
            let bytes = try answer.next(reader)
            return (answer, bytes)
        }
    }
}
