import Foundation

/// What is said of a person beside their state, in words.
@MainActor struct PersonWords {
    let wording: Wording

    private var words: Words { wording.words }

    /// The battery level below which a phone may soon be silent, per cent.
    static let lowPercent = 20.0

    /// The word of a state.
    func state(_ state: ShownState) -> String { words.text(named: "state.\(state.rawValue)") ?? state.rawValue }

    /// The word of a doubt.
    func doubt(_ doubt: StateDoubt) -> String { words.text(named: "doubt.\(doubt.rawValue)") ?? doubt.rawValue }

    /// The state with any doubt.
    func stateWithDoubt(_ person: Person, _ shown: ShownState) -> String {
        if shown == .seemsToHaveLeft, let region = person.region {
            return words.text(.rowLeftPlace, ["state": state(shown), "place": wording.legible(region.name)])
        }
        guard let doubt = person.doubt, !(shown == .checking && doubt == .checking) else { return state(shown) }
        return words.listed([state(shown), self.doubt(doubt)])
    }

    /// How a state is known, and who has heard a call for help; empty if the state makes that plain.
    func knownBy(_ person: Person) -> String {
        let place = person.region.map { wording.legible($0.name) }
        let marked = person.state == .unknown ? nil : person.markedBy
        let known: String? =
            switch person.source {
            case "ownDeclaration": words.text(.knownOwnWord)
            case "seemsToHaveLeft":
                place.map { words.text(.knownLeftPlace, ["place": $0]) } ?? words.text(.knownLeft)
            case "underReview": words.text(.knownUnderReview)
            case "checkInTimer": words.text(.knownTimer)
            default: place ?? marked.map { words.text(.knownMarked, ["name": wording.called($0)]) }
            }
        let heard = person.acknowledgedBy.map { words.text(.knownHeardBy, ["name": wording.called($0)]) }
        return words.listed([known ?? "", heard ?? ""])
    }

    /// When the person was heard, or that their device's clock is off.
    func heard(_ person: Person) -> String {
        if person.roll?.kind == .visitor { return words.text(.rowVisitor) }
        if let ahead = person.clockAheadSeconds, abs(ahead) >= 60 {
            let told: KeyValuePairs = ["duration": wording.duration(abs(ahead)), "age": wording.age(of: person.heard)]
            return words.text(ahead < 0 ? .rowClockBehind : .rowClockAhead, told)
        }
        guard let heard = person.heard else { return words.text(.rowNeverHeard) }
        return words.text(.rowHeard, ["age": wording.age(of: heard)])
    }

    /// When the person was located, and how exactly if the place is rough; empty if never.
    func located(_ person: Person) -> String {
        guard let place = person.located, place.time != nil else { return "" }
        let rough = place.accuracyMetres.flatMap { $0 >= MapModel.roughMetres ? "±" + wording.length($0) : nil }
        return words.listed([words.text(.rowLocated, ["age": wording.age(of: place.time)]), rough ?? ""])
    }

    /// The battery level; empty if none is known.
    func battery(_ person: Person) -> String {
        guard let percent = person.located?.battery else { return "" }
        let number = words.text(.textPercent, ["number": String(Int(percent.rounded()))])
        return words.text(percent < Self.lowPercent ? .rowBatteryLow : .rowBattery, ["percent": number])
    }

    /// That the person paused, by their own word; empty for others and for who calls for help.
    func pause(_ person: Person) -> String {
        guard let pause = person.pause, !person.state.isCall, pause.until > wording.now else { return "" }
        let until = words.text(.rowPaused, ["time": wording.minute(pause.until)])
        return words.listed([until, quoted(pause.note)])
    }

    /// The note of the call for help, or that of a mark.
    func note(_ person: Person) -> String { quoted(person.state.isCall ? person.callNote ?? person.note : person.note) }

    /// What somebody wrote, in quotation marks; empty for nothing.
    func quoted(_ text: String?) -> String {
        guard let text, !text.isEmpty else { return "" }
        return words.text(.textQuoted, ["text": wording.legible(text)])
    }

    /// The state of a check-in timer; empty without one.
    func timer(_ timer: Person.Timer?) -> String {
        guard let timer else { return "" }
        switch timer.happened {
        case "reminded": return words.text(.timerDue, ["time": wording.minute(timer.dueAt)])
        case "overdue": return words.text(.timerOverdue, ["time": wording.minute(timer.lastWord)])
        case "sos": return words.text(.timerSos, ["time": wording.minute(timer.lastWord)])
        case "started", "checkedIn": return words.text(.timerNext, ["time": wording.minute(timer.dueAt)])
        // What a newer server says is not taken for all being well.
        default: return words.text(.timerNotUnderstood)
        }
    }

    /// What the roll of an open incident says of a person beside the state; empty for most.
    func roll(_ person: Person) -> String {
        guard let roll = person.roll else { return "" }
        if let act = roll.takenOff {
            let time = wording.clock(act.at)
            let said = by(act, .rollTakenOff, .rollTakenOffBy, ["time": time])
            guard let reason = act.text else { return said }
            return words.text(.rollReason, ["words": said, "reason": wording.legible(reason)])
        }
        switch roll.kind {
        case .removed: return by(roll.departure, .rollRemoved, .rollRemovedBy)
        case .moved: return by(roll.departure, .rollMoved, .rollMovedBy)
        case .user, .visitor: break
        }
        guard let word = roll.unconfirmed, !person.isAccounted else { return "" }
        let said: KeyValuePairs = ["name": wording.called(word.by), "age": wording.age(of: word.at)]
        return word.text == "offSite" ? words.text(.rollSaidOffSite, said) : words.text(.rollSaidSafe, said)
    }

    /// That the person has seen the call of the incident; empty if not.
    func callSeen(_ person: Person) -> String {
        guard let seen = person.roll?.callSeenAt else { return "" }
        return words.text(.incidentCallSeen, ["time": wording.minute(seen)])
    }

    /// The presences of devices, how sure each is, the doubtful first.
    func presences(_ presences: some Sequence<TeamState.Presence>) -> [String] {
        presences.sorted { ($0.doubt == nil ? 1 : 0, $0.region.name) < ($1.doubt == nil ? 1 : 0, $1.region.name) }
            .compactMap { presence($0) }
    }

    private func presence(_ presence: TeamState.Presence) -> String? {
        let place = wording.legible(presence.region.name)
        switch presence.doubt {
        case .checking:
            return presence.standing == "inside"
                ? words.text(.presenceCheckingIn, ["place": place]) : words.text(.presenceChecking)
        case .poorAccuracy: return words.text(.presencePoorAccuracy, ["place": place])
        case .notUnderstood: return words.text(.presenceNotUnderstood, ["place": place])
        case .stale:
            guard presence.standing == "inside" else { return nil }
            return words.text(.presenceStale, ["place": place, "time": wording.minute(presence.sampleTime)])
        case nil: break
        }
        let time = wording.minute(presence.since)
        guard let percent = presence.insidePercent else {
            return presence.standing == "inside"
                ? words.text(.presenceInside, ["place": place, "time": time]) : nil
        }
        // Nothing that is measured is wholly sure.
        let number = percent >= 100 ? ">\u{A0}99" : percent <= 0 ? "<\u{A0}1" : String(percent)
        let sure = words.text(.presenceSure, ["percent": words.text(.textPercent, ["number": number])])
        if percent > 50 { return words.text(.presenceSureInside, ["sure": sure, "place": place, "time": time]) }
        return words.text(
            presence.standing == "inside" ? .presenceStill : .presenceMaybe, ["sure": sure, "place": place])
    }

    private func by(
        _ act: Person.RollPlace.Act?, _ plain: Word, _ named: Word, _ parameters: KeyValuePairs<String, String> = [:]
    ) -> String {
        guard let name = act?.by else { return words.text(plain, parameters) }
        let time = parameters.first { $0.key == "time" }?.value ?? ""
        return words.text(named, ["name": wording.called(name), "time": time])
    }
}
