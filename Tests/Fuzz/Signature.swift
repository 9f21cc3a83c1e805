import MusterCore
import MusterWire

/// A signature that is read survives being written and read; the canonical form of a request needs no well-formed path.
///
/// The first line is the `Authorization` header, the second the date, the third a path with its query.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
    let text = String(decoding: UnsafeRawBufferPointer(start: data, count: size), as: UTF8.self)
    let lines = text.split(separator: "\n", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
    if let signature = try? SignatureV4(authorization: lines[0]) {
        guard (try? SignatureV4(authorization: signature.authorization)) == signature else {
            fatalError("not the same when read again")
        }
    }
    if lines.count > 1, let instant = Instant(amazonDate: lines[1]) {
        precondition(Instant(amazonDate: instant.amazonDate) == instant)
    }
    if lines.count > 2 {
        let parts = lines[2].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        _ = SignatureV4.canonicalRequest(
            method: "POST", path: parts[0], query: parts.count > 1 ? parts[1] : nil, signedHeaders: ["host"],
            bodyDigest: "", values: { _ in [lines[0]] })
    }
    return 0
}
