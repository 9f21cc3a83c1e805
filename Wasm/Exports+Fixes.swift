// Functions that the WebAssembly module exports to its host: reporting fixes, and reading what the engine decided.

/// Evaluates a fix as the server does on receipt. Sets `answer` to the changes that follow: `Phone.changeNumbers`.
///
/// - Parameters:
///   - accuracyMetres: the radius that holds the true place with a probability of 68 %; NaN where it is unknown.
///   - speed: metres a second; NaN where it is unknown.
///   - sampleTime: when the fix was measured, by the device's clock.
///   - receivedTime: now, by the server's clock.
/// - Returns: 0 accepted, 1 late, 2 filtered, 3 a repetition; −1 for a place that is not on the globe or a wrong time.
@_expose(wasm, "feed")
@_cdecl("feed")
public func feed(
    _ longitude: Double, _ latitude: Double, _ accuracyMetres: Double, _ speed: Double, _ sampleTime: Double,
    _ receivedTime: Double
) -> Int32 {
    guard let place = try? Coordinate(latitude: latitude, longitude: longitude), isMoment(sampleTime),
        isMoment(receivedTime)
    else { return -1 }
    let position = Position(
        coordinate: place, sampleTime: Instant(milliseconds: Int64(sampleTime)),
        receivedTime: Instant(milliseconds: Int64(receivedTime)),
        accuracy: accuracyMetres.isNaN ? nil : Metres(accuracyMetres), speed: speed.isNaN ? nil : speed)
    let verdict = phone.follow(position)
    answer = phone.changeNumbers
    return Phone.number(of: verdict)
}

/// Applies the effects of the passing of time. Sets `answer` to the changes that follow: `Phone.changeNumbers`.
@_expose(wasm, "sweep")
@_cdecl("sweep")
public func sweep(_ now: Double) {
    guard isMoment(now) else { return }
    phone.sweep(now: Instant(milliseconds: Int64(now)))
    answer = phone.changeNumbers
}

/// The number of elements of `answer`, as the last call set it.
@_expose(wasm, "answerCount")
@_cdecl("answerCount")
public func answerCount() -> Int32 { Int32(answer.count) }

/// Sets `answer` to the presences near the phone: `Phone.presenceNumbers`.
@_expose(wasm, "presences")
@_cdecl("presences")
public func presences() { answer = phone.presenceNumbers }

/// Sets `answer` to the person's safety as this phone alone decides it: `Phone.safetyNumbers`.
@_expose(wasm, "safety")
@_cdecl("safety")
public func safety() { answer = phone.safetyNumbers }

/// Sets `answer` to the estimate of where the phone is: `Phone.estimateNumbers`.
@_expose(wasm, "estimate")
@_cdecl("estimate")
public func estimate() { answer = phone.estimateNumbers }

/// Sets `answer` to the bits of the phone's track, which Tests/Wasm compares: `Phone.trackNumbers`.
@_expose(wasm, "trackWords")
@_cdecl("trackWords")
public func trackWords() { answer = phone.trackNumbers }
