import MusterCore
import MusterHTTP
import MusterServer
import MusterWire
import NIOCore

/// Handles what a client sends.
extension TAKConnection {
    /// What has been taken from the bytes that arrived.
    private struct Batch {
        var events: [CoTEvent] = []
        /// Why the stream cannot be read further.
        var fault: CoTError?
        /// Whether more bytes must arrive before there is another event.
        var isLast = false
    }

    /// Handles the events that have arrived. When one fails, the calls for help behind it are stored before the
    /// connection closes.
    func handleAll() async {
        do {
            while true {
                let batch = takeBatch()
                if !batch.events.isEmpty { try await handle(batch.events) }
                if let fault = batch.fault { throw fault }
                if batch.isLast { break }
                await Task.yield()
            }
            if phase == .open { try holdMemory() }
        } catch let fault as CoTError {
            await refuse([], because: fault)
            await storeCallsLeft()
            close()
        } catch {
            // The client connects again. TAK has no acknowledgements, so positions that it sent meanwhile are lost.
            let isEnded = (error as? IdentityError)?.endsCredential == true
            parts.metrics.count(event: isEnded ? "tak_certificate_ended" : "tak_unavailable")
            if !isEnded { await storeCallsLeft() }
            close()
        }
    }

    /// Takes some whole events from what has arrived. Those that cannot be read are kept for an operator, and left out.
    private func takeBatch() -> Batch {
        var batch = Batch()
        // Frames count, not events: a message may hold none.
        for _ in 0..<TAKLimits.eventsAtOnce {
            do throws(CoTError) {
                guard let frame = try frames.next() else {
                    batch.isLast = true
                    return batch
                }
                do throws(CoTError) {
                    if let event = try frame.event() { batch.events.append(event) }
                } catch {
                    // The next event may be a call for help, so the connection goes on.
                    unreadableCount += 1
                    let (bytes, fault) = (frame.bytes, error)
                    if unreadableCount <= TAKLimits.unreadable {
                        Task { await refuse(bytes, because: fault) }
                    } else {
                        parts.metrics.count(event: "tak_unreadable")
                    }
                }
            } catch {
                batch.fault = error
                return batch
            }
        }
        return batch
    }

    /// Keeps an event that cannot be read for an operator.
    private func refuse(_ bytes: [UInt8], because fault: CoTError) async {
        parts.metrics.count(event: "tak_unreadable")
        guard let holder else { return }
        let report = parts.refused.report(bytes, from: holder.device, of: device, at: "tak", because: "\(fault).")
        parts.refused.warn(of: report, event: "tak_unreadable")
        try? await parts.refused.store([report])
    }

    /// Counts the bytes of an incomplete event against the memory for requests.
    private func holdMemory() throws {
        let bytes = frames.waitingBytes
        if bytes <= TAKLimits.freeBytes {
            guard hold.bytes > 0 else { return }
            parts.connections.bodies.release(hold)
            hold = BodyBudget.Hold(from: address)
        } else if bytes > hold.bytes {
            try parts.connections.bodies.countBytes(
                bytes - hold.bytes, for: &hold, of: holder?.device.user.rawValue)
        }
    }

    /// Handles events in order, also when the connection has closed meanwhile: the client has sent them. Calls for help
    /// come before positions, and an event that fails keeps no call behind it from being stored.
    ///
    /// - Throws: the first error, once every call for help has been tried.
    private func handle(_ events: [CoTEvent]) async throws {
        let principal: Principal
        do {
            principal = try await verifyWithRetry().device
        } catch {
            // The server cannot verify the client now. It could before, which is enough for a call for help.
            if (error as? IdentityError)?.endsCredential != true, let holder {
                await store(events.filter(\.isCall), by: holder.device)
            }
            throw error
        }
        var positions: [CoTEvent] = []
        var failure: (any Error)?
        for event in events {
            do {
                if event.endsCall {
                    await end(event, by: principal)
                } else if event.isCall {
                    try await call(event, by: principal)
                } else if event.type == CoTEvent.ping {
                    // A client that does not read gets no answers that would pile up.
                    if channel.isWritable { send(picture.pong(at: parts.configuration.now())) }
                } else if event.type == CoTEvent.versionRequest {
                    answer(requestOf: event.detail.requestedVersion)
                } else if isOwn(event) {
                    positions.append(event)
                } else {
                    parts.metrics.count(event: "tak_left_out")
                }
            } catch {
                failure = failure ?? error
            }
        }
        do {
            try await intake.store(positions, by: principal)
        } catch {
            // Positions come again. The connection goes on, because a call for help may be on its way by it.
            parts.metrics.count(event: "tak_positions_lost")
            if (error as? CoordinatorError) == .closed { failure = failure ?? error }
        }
        if let failure { throw failure }
    }

    // MARK: Calls for help

    private func call(_ event: CoTEvent, by principal: Principal) async throws {
        try await intake.call(event, by: principal, isAnew: refusedEnds.contains(event.uid))
        refusedEnds.remove(event.uid)
    }

    /// Ends a call for help. Where that fails, the call stands: a person can end it.
    private func end(_ event: CoTEvent, by principal: Principal) async {
        let hasEnded: Bool
        do {
            hasEnded = try await intake.end(event, by: principal, unless: { [isTakenOver] in isTakenOver.isSet })
        } catch {
            parts.metrics.count(event: "tak_end_not_taken")
            hasEnded = false
        }
        if hasEnded {
            refusedEnds.remove(event.uid)
        } else if refusedEnds.count < TAKLimits.refusedEnds {
            refusedEnds.insert(event.uid)
        }
    }

    /// Stores the calls for help among what has arrived and will not be handled otherwise, one of each UID.
    private func storeCallsLeft() async {
        guard let holder else { return }
        var calls: [String: CoTEvent] = [:]
        var count = 0
        while calls.count < TAKLimits.callsLeft, let frame = try? frames.next() {
            if let event = try? frame.event(), event.isCall { calls[event.uid] = event }
            count += 1
            if count.isMultiple(of: TAKLimits.eventsAtOnce) { await Task.yield() }
        }
        await store(Array(calls.values), by: holder.device)
    }

    private func store(_ calls: [CoTEvent], by principal: Principal) async {
        for event in calls {
            do {
                try await call(event, by: principal)
            } catch {
                parts.metrics.count(event: "tak_sos_lost")
            }
        }
    }

    // MARK: Positions

    /// Whether an event reports where this client is, as a machine found it.
    private func isOwn(_ event: CoTEvent) -> Bool {
        guard event.isReport else { return false }
        guard ownUID.isOwn(event) else {
            parts.metrics.count(event: "tak_of_another")
            return false
        }
        // A place that a person set by hand on the map proves nothing: it would be a way to declare oneself safe.
        return !event.isPlacedByHand
    }
}

extension CoTFrames.Frame {
    /// The event; nil for a message without one.
    fileprivate func event() throws(CoTError) -> CoTEvent? {
        switch self {
        case .xml(let bytes):
            return try bytes.withUnsafeBytes { buffer in
                Result { () throws(CoTError) in try CoTEvent(xml: buffer) }
            }.get()
        case .message(let bytes): return try TAKMessage.event(in: bytes)
        case .tooLarge: throw .tooLarge
        }
    }

    fileprivate var bytes: [UInt8] {
        switch self {
        case .xml(let bytes), .message(let bytes): bytes
        case .tooLarge: []
        }
    }
}
