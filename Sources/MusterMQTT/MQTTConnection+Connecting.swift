import MusterCoding
import MusterCore
import MusterHTTP
import MusterMeshblu
import MusterServer
import MusterWire

/// Authenticates a client, and begins and ends its session.
extension MQTTConnection {
    /// Why the server does not accept a client.
    private struct Refusal: Error {
        let reason: MQTTReason
        let words: String
    }

    /// Answers CONNECT.
    func accept(_ connect: MQTTConnect) async throws {
        phase = .connecting
        version = connect.version
        isBridge = connect.isBridge
        do {
            let isPresent = try await signIn(connect)
            guard phase == .connecting else { return }
            phase = .open
            reader.limitBytes = MQTTLimits.packetBytes
            leaveStrangers()
            send(.connectAnswer(connectAnswer(to: connect, isSessionPresent: isPresent)))
            watchKeepAlive()
            if isPresent { sendStatus(isRunning: true) }
            if session?.subscriptions.isEmpty == false { startSending() }
        } catch {
            refuse(error)
        }
    }

    private func refuse(_ error: any Error) {
        let refusal =
            switch error {
            case let refusal as Refusal: refusal
            case IdentityError.refused, IdentityError.missing:
                Refusal(reason: .badUserNameOrPassword, words: "Name, password or token is wrong.")
            case IdentityError.tooManyTries(let seconds):
                Refusal(reason: .connectionRateExceeded, words: "Too many tries. Try again in \(seconds) s.")
            case let refusal as FeedShares.Refusal: Refusal(reason: .quotaExceeded, words: refusal.words)
            default: Refusal(reason: .serverBusy, words: "The server cannot answer now. Try again later.")
            }
        parts.metrics.count(event: "mqtt_connect_refused")
        var properties = MQTTProperties()
        properties.add(.reasonString, .text(refusal.words))
        send(.connectAnswer(MQTTConnectAnswer(refusal.reason, properties: properties)))
        close()
    }

    /// Verifies the client's proof and resumes or begins its session.
    ///
    /// - Returns: whether the server had an earlier session of the client.
    private func signIn(_ connect: MQTTConnect) async throws -> Bool {
        if connect.properties.text(.authenticationMethod) != nil {
            throw Refusal(reason: .badAuthenticationMethod, words: "Sign in with a user name, and a token or password.")
        }
        let proof = try proof(of: connect)
        let principal = try await proof.verify(by: parts.identity, atOpening: true)
        let clientID = try clientID(of: connect)
        if let will = connect.will { try check(will, by: principal) }
        guard phase == .connecting else { throw CancellationError() }
        self.proof = proof
        self.principal = principal
        takeTerms(of: connect)
        let key = MQTTSession.Key(user: principal.user, device: principal.device, clientID: clientID)
        let owner = FeedOwner(principal)
        let previous = try sessions.open(key, by: owner, self)
        // From here on `closed` removes this client from the count.
        self.owner = owner
        session = MQTTSession(key)
        let taken = await previous?.takeOver()
        if let will = taken?.will { await inherit(will, in: key, isClean: connect.isClean) }
        let earlier = if let session = taken?.session { session } else { try await sessions.kept(key) }
        guard phase == .connecting else { throw CancellationError() }
        try await takeUp(earlier, connect)
        inheritedWill = nil
        await sessions.endWaiting(willOf: key, isSessionResumed: !connect.isClean)
        guard phase == .connecting else { throw CancellationError() }
        will = connect.will
        return session?.subscriptions.isEmpty == false || (earlier?.isKept == true && !connect.isClean)
    }

    /// Takes over the will of the connection that had the session before. It is published at once where the session
    /// ends with a clean start, and where it has no delay; a resumed session drops it (MQTT 5.0, section 3.1.3.2.2).
    private func inherit(_ will: DelayedWill, in key: MQTTSession.Key, isClean: Bool) async {
        if isClean || will.delaySeconds == 0 { return await will.publish() }
        if phase == .connecting {
            inheritedWill = will
        } else if !isTakenOver {
            sessions.publishWill(will, of: key)
        }
    }

    private func takeUp(_ earlier: MQTTSession?, _ connect: MQTTConnect) async throws {
        guard var current = session else { throw CancellationError() }
        if !connect.isClean, let earlier { current = earlier }
        isStored = earlier?.isKept ?? false
        let asked = connect.properties.number(.sessionExpiry)
        let wanted = connect.version == .v5 ? asked ?? 0 : connect.isClean ? 0 : MQTTLimits.sessionSeconds
        current.expirySeconds = min(wanted, MQTTLimits.sessionSeconds)
        if current.isKept, !isStored, try await !sessions.reserveRoom(for: current.key) {
            throw Refusal(
                reason: .quotaExceeded,
                words: "\(MQTTLimits.keptSessions) sessions are kept for you, which is the limit. "
                    + "Connect with a clean start, or with a client id that you used before.")
        }
        guard phase == .connecting else { throw CancellationError() }
        session = current
        sentPlace = current.place
        // A clean start deletes the stored session now, instead of when the connection ends.
        if connect.isClean, isStored { sessions.saveSoon(current) }
    }

    /// Reads the proof from the user name and the password. A token needs no user name. Clients of Meshblu sign in with
    /// a UUID.
    private func proof(of connect: MQTTConnect) throws -> any RequestProof {
        guard let password = connect.password else { throw IdentityError.missing }
        let name = connect.userName ?? ""
        let storeID = parts.coordinator.storeID
        if let token = String(validating: password, as: UTF8.self),
            let proof = MeshbluProof(userName: name, password: token, from: address, to: storeID)
        {
            return proof
        }
        guard name.isEmpty else {
            return HeaderProof("Basic " + Base64.encode(Array(name.utf8) + [0x3A] + password), from: address)
        }
        guard let token = String(validating: password, as: UTF8.self) else { throw IdentityError.refused }
        return HeaderProof("Bearer \(token)", from: address)
    }

    private func clientID(of connect: MQTTConnect) throws -> String {
        let id = connect.clientID
        guard id.isEmpty else {
            guard id.utf8.count <= MQTTLimits.clientIDBytes, id.unicodeScalars.allSatisfy({ $0.value >= 0x20 }) else {
                throw Refusal(
                    reason: .clientIdentifierNotValid,
                    words: "A client id has \(MQTTLimits.clientIDBytes) bytes at most and no control characters.")
            }
            return id
        }
        guard connect.isClean || connect.version == .v5 else {
            throw Refusal(reason: .clientIdentifierNotValid, words: "A session that is kept needs a client id.")
        }
        return "muster-\(UInt64.random(in: 0 ... .max))"
    }

    private func check(_ will: MQTTConnect.Will, by principal: Principal) throws {
        do {
            _ = try IncomingTopic(will.topic, by: Access(principal, in: parts.coordinator.directory))
        } catch {
            throw Refusal(reason: error.reason, words: "The will: \(error.words)")
        }
    }

    /// Applies the limits that the client states.
    private func takeTerms(of connect: MQTTConnect) {
        keepAliveSeconds = Int64(connect.keepAliveSeconds)
        inFlightLimit = min(Int(connect.properties.number(.receiveMaximum) ?? 65_535), MQTTLimits.inFlight)
        clientPacketLimit = connect.properties.number(.maximumPacketSize).map { Int($0) } ?? .max
        sendsReasons = connect.properties.number(.requestProblemInformation) != 0
    }

    private func connectAnswer(to connect: MQTTConnect, isSessionPresent: Bool) -> MQTTConnectAnswer {
        var properties = MQTTProperties()
        if let session, connect.properties.number(.sessionExpiry) ?? 0 != session.expirySeconds {
            properties.add(.sessionExpiry, .number(session.expirySeconds))
        }
        if connect.clientID.isEmpty, let session {
            properties.add(.assignedClientIdentifier, .text(session.key.clientID))
        }
        properties.add(.receiveMaximum, .number(UInt32(MQTTLimits.inFlight)))
        properties.add(.maximumPacketSize, .number(UInt32(MQTTLimits.packetBytes)))
        properties.add(.topicAliasMaximum, .number(UInt32(MQTTLimits.topicAliases)))
        properties.add(.sharedSubscriptionAvailable, .number(0))
        return MQTTConnectAnswer(.success, isSessionPresent: isSessionPresent, properties: properties)
    }

    // MARK: Verifying again

    /// Verifies the client's proof again with the present credentials and rights.
    func verify() async throws -> Principal {
        guard let proof else { throw IdentityError.missing }
        let principal = try await proof.verify(by: parts.identity, atOpening: false)
        self.principal = principal
        return principal
    }

    /// Verifies the client's proof again for a packet. Waits and tries again while the server is too busy to verify.
    ///
    /// - Throws: as `verify`, after `MQTTLimits.verifications` tries.
    func verifyWithRetry() async throws -> Principal {
        for _ in 1..<MQTTLimits.verifications {
            do {
                return try await verify()
            } catch let error as IdentityError where !error.endsCredential {
                try await Task.sleep(for: .seconds(MQTTLimits.verificationSeconds))
                guard phase == .open else { throw error }
            }
        }
        return try await verify()
    }

    /// Verifies the client's proof again, and disconnects the client if its credential has ended.
    func verifyStill() async {
        guard phase == .open else { return }
        do {
            _ = try await RequestWork.$current.withValue(work) { try await verify() }
        } catch let error as IdentityError where error.endsCredential {
            parts.metrics.count(event: "mqtt_credential_ended")
            disconnect(.notAuthorized, "The credential has ended.")
        } catch {
            // The server cannot verify now. The client's next packet, and the next beat, are verified again.
        }
    }

    // MARK: Ending the session

    /// Handles DISCONNECT. The will is dropped unless the client asks for it to be published.
    func end(_ reason: MQTTReason, _ properties: MQTTProperties) throws(MQTTError) {
        if let seconds = properties.number(.sessionExpiry) {
            guard session?.isKept == true || seconds == 0 else {
                throw MQTTError(.protocolError, "a session that was not kept cannot be kept at its end")
            }
            session?.expirySeconds = min(seconds, MQTTLimits.sessionSeconds)
        }
        if reason != .disconnectWithWill { will = nil }
        close()
    }

    /// Ends this connection because a new connection of the same client takes over its session.
    ///
    /// - Returns: the session, or nil when it is not kept; and the will, or nil when there is none.
    func takeOver() -> (session: MQTTSession?, will: DelayedWill?) {
        isTakenOver = true
        let will = takeWill()
        disconnect(.sessionTakenOver)
        guard let session, session.isKept else { return (nil, will) }
        return (session, will)
    }

    /// Ends this connection because the server stops. Subscribers of the server's status learn it first.
    func stop() {
        sendStatus(isRunning: false)
        disconnect(.serverShuttingDown)
    }

    /// Tells the client whether the server runs, if it subscribed to that. A resumed session gets it without asking.
    private func sendStatus(isRunning: Bool) {
        let message = TopicMessages.status(isRunning: isRunning)
        guard phase == .open, let match = session?.match(message.topic) else { return }
        send(message, at: .atMostOnce, by: match)
    }

    /// Removes and returns the will that is published when this connection has ended.
    private func takeWill() -> DelayedWill? {
        defer { (will, inheritedWill) = (nil, nil) }
        guard let will, let proof, let session else { return inheritedWill }
        let delaySeconds = min(will.properties.number(.willDelay) ?? 0, session.expirySeconds)
        return DelayedWill(delaySeconds: delaySeconds) { [parts, intake] in
            // The will is published only if the client's credential is still valid, as for any message.
            guard let principal = try? await proof.verify(by: parts.identity, atOpening: false) else { return }
            let message = PublishIntake.Message(
                topic: will.topic, payload: will.payload, mayBeOld: true, properties: will.properties,
                at: parts.configuration.now())
            _ = try? await intake.store([message], by: principal)
        }
    }

    /// The session, with the last change up to which the client has acknowledged every message.
    var currentSession: MQTTSession? {
        guard var session else { return nil }
        session.place = inFlight.values.min().map { LogSequence($0.rawValue - 1) } ?? sentPlace
        session.sentThrough = max(session.sentThrough, sentThrough)
        return session
    }

    /// Removes the client from the count, stores its session, and publishes its will.
    func endSession() {
        guard let owner, let session = currentSession else { return }
        self.session = session
        if !isTakenOver, session.isKept || isStored { sessions.saveSoon(session) }
        sessions.close(session.key, by: owner, self)
        self.owner = nil
        if let will = takeWill() { sessions.publishWill(will, of: session.key) }
    }
}
