// Encodes a phone's changes and state as numbers, because the host can read nothing else. Tests/Wasm compares them.

extension Phone {
    static func number(of verdict: Verdict?) -> Int32 {
        switch verdict {
        case .accepted?: 0
        case .late?: 1
        case .filtered?: 2
        case nil: 3
        }
    }

    /// The changes of the last call, six numbers each: kind (0 enter, 1 exit, 2 dwell, 3 passed, 4 presence), region,
    /// time, per cent inside, standing, doubt. −1 stands for an absent one; a crossing has no standing and no doubt.
    var changeNumbers: [Double] {
        var numbers: [Double] = []
        for change in changes {
            switch change {
            case .crossing(let crossing):
                numbers += [
                    Double(crossing.kind.rawValue), Double(crossing.region.rawValue),
                    Double(crossing.sampleTime.milliseconds), number(crossing.insidePercent), -1, -1,
                ]
            case .presence(let report):
                numbers += [
                    4, Double(report.region.rawValue), Double(report.sampleTime.milliseconds),
                    number(report.insidePercent), Double(report.standing.rawValue), number(report.doubt?.rawValue),
                ]
            default: continue
            }
        }
        return numbers
    }

    /// The presences near the phone, seven numbers each: region, standing, probability, per cent inside, doubt, time
    /// since which the probability is on this side of one half, and 1 where events say inside, else 0. −1 is absent.
    var presenceNumbers: [Double] {
        var numbers: [Double] = []
        let events = engine.standings(of: Phone.device)
        for report in engine.reports(of: Phone.device) {
            let isInside = events.contains { $0.region == report.region && $0.standing == .inside }
            numbers += [
                Double(report.region.rawValue), Double(report.standing.rawValue), probability(of: report.region) ?? -1,
                number(report.insidePercent), number(report.doubt?.rawValue), Double(report.since.milliseconds),
                isInside ? 1 : 0,
            ]
        }
        return numbers
    }

    /// The person's safety as this phone alone decides it: state, source, region or −1, doubt or −1, since when.
    var safetyNumbers: [Double] {
        let safety = engine.safety(of: Phone.user)
        return [
            Double(safety.state.rawValue), number(of: safety.source), Double(safety.region?.rawValue ?? -1),
            number(safety.doubt?.rawValue), Double(safety.since.milliseconds),
        ]
    }

    /// The estimate of where the phone is: longitude, latitude, deviation in metres, whether it has settled, whether
    /// fixes are checked, and the longitude and latitude that those suggest, or NaN. Empty before the first fix.
    var estimateNumbers: [Double] {
        let track = state.track
        guard !track.isEmpty else { return [] }
        let candidate = track.candidateEstimate
        return [
            track.estimate.longitude, track.estimate.latitude, track.deviationMetres, track.isSettled ? 1 : 0,
            track.isChecking ? 1 : 0, candidate?.longitude ?? .nan, candidate?.latitude ?? .nan,
        ]
    }

    /// The bits of the track: its 27 words of 64 bits, each as its upper and its lower half.
    var trackNumbers: [Double] {
        state.track.words.flatMap { [Double($0 >> 32), Double($0 & 0xFFFF_FFFF)] }
    }

    private func number(_ value: UInt8?) -> Double { value.map { Double($0) } ?? -1 }

    private func number(of source: Safety.Source) -> Double {
        switch source {
        case .silence: 0
        case .region: 1
        case .position: 2
        case .ownDeclaration: 3
        case .marked: 4
        case .unlocated: 5
        case .seemsToHaveLeft: 6
        case .underReview: 7
        case .checkInTimer: 8
        }
    }
}
