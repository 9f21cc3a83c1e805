import MusterWire

/// A multipart body has the same parts however it is cut on its way.
///
/// The first byte says how long the pieces are, the first line behind it is the boundary.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
    let bytes = Array(UnsafeRawBufferPointer(start: data, count: size))
    guard let length = bytes.first else { return 0 }
    let lines = bytes.dropFirst().split(separator: UInt8(ascii: "\n"), maxSplits: 1, omittingEmptySubsequences: false)
    guard lines.count == 2, lines[0].count <= MultipartReader.boundaryLimitBytes else { return 0 }
    let boundary = String(decoding: lines[0], as: UTF8.self)
    let whole = parts(of: lines[1], boundary, pieceLength: size)
    let inPieces = parts(of: lines[1], boundary, pieceLength: Int(length % 16) + 1)
    precondition(whole == inPieces, "\(whole.debugDescription) and \(inPieces.debugDescription)")
    return 0
}

/// One part of a body, and whether its end was seen.
private struct Part: Equatable {
    var headers: [String: String]
    var bytes: [UInt8] = []
    var hasEnded = false
}

/// All parts; nil if the body is faulty.
private func parts(of body: ArraySlice<UInt8>, _ boundary: String, pieceLength: Int) -> [Part]? {
    var reader = MultipartReader(boundary: boundary)
    var parts: [Part] = []
    var rest = body
    while !rest.isEmpty {
        guard let events = try? reader.parse(rest.prefix(pieceLength)) else { return nil }
        rest = rest.dropFirst(pieceLength)
        for event in events {
            switch event {
            case .part(let headers): parts.append(Part(headers: headers))
            case .bytes(let bytes): parts[parts.count - 1].bytes += bytes
            case .endOfPart: parts[parts.count - 1].hasEnded = true
            case .end: precondition(reader.isAtEnd)
            }
        }
    }
    return parts
}
