import MusterWire

/// The reader returns the same frames for the same bytes, in whatever pieces they arrive. A frame that is encoded and
/// decoded again is equal to the original, and its names can be shown at a terminal.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
    let bytes = Array(UnsafeRawBufferPointer(start: data, count: size))
    let whole = frames(bytes, pieces: max(1, size))
    guard frames(bytes, pieces: 3) == whole else { fatalError("pieces of three are read differently") }
    for frame in whole {
        guard frames(frame.bytes, pieces: 100_000) == [frame] else {
            fatalError("a frame that is encoded and decoded again differs from the original")
        }
        switch frame {
        case .hello(let name, _):
            guard RelayFrame.isName(name) else { fatalError("a hello has no name") }
        case .appeared(let peer):
            guard RelayFrame.isName(peer.name) else { fatalError("a peer has no name") }
        default: break
        }
    }
    return 0
}

/// Returns the frames that the reader finds before the first fault, when `pieces` bytes arrive at a time.
private func frames(_ bytes: [UInt8], pieces: Int) -> [RelayFrame] {
    var reader = RelayFrameReader()
    var (found, rest) = ([RelayFrame](), bytes[...])
    while !rest.isEmpty {
        reader.append(rest.prefix(pieces))
        rest = rest.dropFirst(pieces)
        do throws(RelayError) {
            while let frame = try reader.next() { found.append(frame) }
        } catch {
            return found
        }
    }
    return found
}
