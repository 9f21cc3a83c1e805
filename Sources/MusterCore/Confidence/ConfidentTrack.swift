public import MusterGeometry

/// A device's estimated position and its uncertainty: a filter that processes the device's fixes one by one. It is like
/// a Kalman filter with a gate for outliers. It does no dead reckoning: between two fixes the estimate does not move.
///
/// The engine filters once for each device, whatever regions there are. The filter assumes of a fix:
/// - Its error is 1.6 times the reported accuracy, because receivers promise too much.
/// - A part of its error is new each time, and a share of its error never averages out. Fixes a few seconds apart err
///   alike, so a hundred of them are not ten times as good as one.
/// - A fix far from where the device can be is a *surprise*, which the filter does not believe at once. Surprises must
///   persist for 45 s, or for 180 s when the device reports that it stands still and the surprises stay in place too.
///   After a gap of half a minute the filter believes three accurate fixes over 20 s that agree, and after four minutes
///   of silence one accurate fix.
/// - Fixes that are no surprises, but for minutes lie to one side of the estimate, by 1.5 deviations on average, show
///   that the device went there while its fixes were poor: the track moves to them.
/// - The device moves when it reports a speed, when fixes 20 s apart are farther from each other than their errors
///   explain, or when its fixes form a path: each leads on from the ones before. A device that reports that it stands
///   while its fixes move away is not believed until it reports a speed.
///
/// The filter computes in metres east and north of the present estimate, by the lengths of a degree at its latitude,
/// and with longitudes the short way round. Within a kilometre of a pole, where these bend, it is off by per cents.
///
/// A track takes 184 bytes, in fields of fixed width. The places that fixes are compared with are `Float` degrees
/// relative to the estimate, exact to a hundredth of a millimetre at 100 m. Their ages are in milliseconds, 49 days at
/// most.
public struct ConfidentTrack: Hashable, Sendable {
    var latitude = 0.0
    var longitude = 0.0
    var milliseconds: Int64 = 0
    /// V: the variance that further fixes reduce, square metres on each axis.
    var variance: Float = 0
    /// B: the variance that further fixes do not reduce, square metres on each axis.
    var lasting: Float = 0
    /// A1 and A2: two earlier fixes, 20 s or more apart, that the filter measures motion against.
    var anchor = Mark()
    var anchorAccuracy: Float = 0
    var earlierAnchor = Mark()
    /// The speed from A2 to A1, metres a second.
    var anchorSpeed: Float = 0
    /// w: the velocity of the path that the last fixes form, metres a second; 0 while they form none.
    var pathEast: Float = 0
    var pathNorth: Float = 0
    /// u: the speed at the last fix for which there was evidence, metres a second; 0 when the device may stand.
    var speed: Float = 0
    /// c: the last surprise, also after it was dismissed. Its age is that of the first one of its series.
    var candidate = Mark()
    var candidateVariance: Float = 0
    /// The place of the first of them.
    var candidateStart = Mark()
    var candidateStartVariance: Float = 0
    /// The first of the accurate surprises that lie near it; or the one to which the track moved at once.
    var steady = Mark()
    /// The mean of the last minutes' innovations, in their deviations; see `hasDrifted`.
    var innovationEast: Float = 0
    var innovationNorth: Float = 0
    /// The mean √R of the last minutes, metres. A fix worse than 200 m counts as one of 200 m.
    var usualDeviation: Float = 0
    /// The age of the last fix of fine accuracy that was no surprise.
    var fittedMilliseconds: UInt32 = 0
    /// The value of `fittedMilliseconds` at the first surprise.
    var gapMilliseconds: UInt32 = 0
    /// Marks of where the estimate was. The filter sets a new one when the newest is 10 s old.
    var waypoint = Mark()
    var earlierWaypoint = Mark.none
    var earliestWaypoint = Mark.none
    /// The numbers of fixes, of anchors and of surprises in a row; each counts up to 2, which is as far as it matters.
    var fixes: UInt8 = 0
    var anchors: UInt8 = 0
    var surprises: UInt8 = 0
    /// How many accurate surprises lie near `steady`, itself included.
    var steadyCount: UInt8 = 0
    /// For how many fixes in a row the estimate has moved; counts up to 3.
    var movingFixes: UInt8 = 0
    /// 1 after the device reported that it stands while its fixes moved away, until it reports a speed; else 0.
    var doubtsStanding: UInt8 = 0
    /// 1 while only much worse fixes have contradicted `candidate`; else 0. See `noteContradiction`.
    var isContradicted: UInt8 = 0

    public init() {}

    /// Whether the track has processed no fix, and so has no estimate.
    public var isEmpty: Bool { fixes == 0 }

    /// Where the filter believes the device to be.
    public var estimate: Coordinate { Coordinate(validLatitude: latitude, longitude: longitude) }

    /// The standard deviation of the estimate on each axis, metres; infinite for an empty track.
    public var deviationMetres: Double { isEmpty ? .infinity : Double(variance + lasting).squareRoot() }

    /// The standard deviation that would remain after any number of fixes like the last ones, metres; infinite for an
    /// empty track.
    public var leastDeviationMetres: Double { isEmpty ? .infinity : Double(lasting).squareRoot() }

    /// How old the last fix of 200 m or better that was no surprise was at the last fix, seconds; of a track without
    /// one, how old its first fix was.
    var fineAgeSeconds: Double { Double(fittedMilliseconds) / 1000 }

    /// Whether the last fix was a surprise that the filter has neither believed nor dismissed. The estimate does not
    /// move meanwhile: a client should show "checking" and not the former probability.
    public var isChecking: Bool { surprises > 0 }

    /// The place of the last fix that is being checked; nil unless `isChecking`.
    public var candidateEstimate: Coordinate? {
        guard isChecking else { return nil }
        return coordinate(of: candidate)
    }

    /// The sample time of the first of the fixes that are being checked; nil unless `isChecking`.
    public var candidateSince: Instant? {
        isChecking ? Instant(milliseconds: milliseconds - Int64(candidate.ageMilliseconds)) : nil
    }

    /// Whether the track has processed two fixes or more, and the last one was no surprise.
    public var isSettled: Bool { fixes >= 2 && surprises == 0 }
}

extension ConfidentTrack {
    /// Processes the next fix.
    ///
    /// - Returns: false for a fix that is not newer than the last one; such a fix changes nothing.
    @discardableResult
    public mutating func advance(_ fix: ConfidentFix) -> Bool {
        guard !isEmpty else {
            start(with: fix)
            return true
        }
        guard fix.sampleTime.milliseconds > milliseconds else { return false }
        // As floating-point numbers, the two times cannot overflow.
        let elapsed = (Double(fix.sampleTime.milliseconds) - Double(milliseconds)) / 1000
        age(bySeconds: elapsed)
        let step = Step(fix, from: estimate, elapsedSeconds: elapsed)
        let speed = speed(at: step)
        let travelled = speed * elapsed
        // The device may have stopped only just now.
        let reach = max(speed, Double(self.speed)) * elapsed
        let predicted = Double(variance) + Self.diffusion * elapsed + reach * reach
        // The lasting error of an estimate made of worse fixes is no error of this better fix.
        let unshared = max(Double(lasting) - Self.lastingShare * step.variance, 0)
        let deviation = (predicted + unshared + step.variance).squareRoot()
        noteInnovation(step, deviationMetres: deviation)
        if step.metres > Self.gate * deviation {
            weighSurprise(step)
        } else if hasDrifted(to: step, deviationMetres: deviation) {
            restart(at: step)
        } else {
            follow(step, travelledMetres: travelled, predicted: predicted, unshared: unshared)
        }
        noteMotion(after: step)
        self.speed = Float(speed)
        milliseconds = fix.sampleTime.milliseconds
        fixes = 2
        return true
    }

    /// Returns the place of a mark.
    func coordinate(of mark: Mark) -> Coordinate {
        Coordinate(
            validLatitude: max(-90, min(90, latitude + Double(mark.northDegrees))),
            longitude: shortWay(longitude + Double(mark.eastDegrees)))
    }

    private mutating func start(with fix: ConfidentFix) {
        latitude = fix.coordinate.latitude
        longitude = fix.coordinate.longitude
        milliseconds = fix.sampleTime.milliseconds
        let step = Step(fix, from: fix.coordinate, elapsedSeconds: 0)
        speed = Float(speed(at: step))
        variance = Float(step.variance)
        lasting = Float(Self.lastingShare * step.variance)
        usualDeviation = Float(step.fineDeviation)
        fixes = 1
    }

    /// Moves the anchors on, and returns the speed for which there is evidence, metres a second; 0 when the device may
    /// stand.
    private mutating func speed(at step: Step) -> Double {
        guard step.isFine else { return 0 }
        var speed = 0.0
        var sinceAnchor = 0.0
        if anchors > 0 {
            let slack = Self.slackShare * (step.accuracy + Double(anchorAccuracy))
            sinceAnchor = step.speed(since: anchor, slackMetres: slack)
            if anchors > 1 {
                let sinceEarlier = step.speed(since: earlierAnchor, slackMetres: slack)
                speed = min(sinceAnchor, Double(anchorSpeed), sinceEarlier)
            }
        }
        if anchors == 0 || anchor.ageMilliseconds >= Self.anchorMilliseconds {
            beginPath(at: step)
            earlierAnchor = anchor
            anchor = Mark(step)
            anchorAccuracy = Float(step.accuracy)
            anchorSpeed = Float(sinceAnchor)
            anchors = min(anchors + 1, 2)
        }
        if isOnPath(step) { speed = max(speed, pathSpeed) }
        if let said = step.saidSpeed {
            if said >= Self.leastSpeed { doubtsStanding = 0 }
            if doubtsStanding == 0 { speed = said }
        }
        return speed < Self.leastSpeed ? 0 : speed
    }

    /// Averages a fix that is no surprise: moves the estimate towards it by the filter's gain.
    ///
    /// - Parameters:
    ///   - predicted: the variance of the estimate at the time of the fix, without the lasting part.
    ///   - unshared: the lasting variance that came from worse fixes, and that is no error of this fix.
    private mutating func follow(_ step: Step, travelledMetres: Double, predicted: Double, unshared: Double) {
        noteContradiction(by: step)
        continuePath(to: step)
        surprises = 0
        let isOnPath = isOnPath(step)
        if step.isFine { fittedMilliseconds = 0 }
        let error = step.variance
        var gain: Double
        if travelledMetres > 0 {
            let lag = isOnPath ? Self.pathLagShare : Self.lagShare
            gain = travelledMetres / (travelledMetres + lag * error.squareRoot())
            let uncertain = predicted + unshared
            if step.elapsed > Self.sparseSeconds { gain = max(gain, uncertain / (uncertain + error)) }
            let left = (1 - gain) * (Double(variance) + Self.diffusion * step.elapsed)
            variance = Float(max(left, Self.movingShare * error))
        } else {
            // Errors correlate over some 30 s, so the second of two fixes in quick succession adds little information.
            let weight = max(hyperbolicTangent(step.elapsed / (2 * Self.correlationSeconds)), Self.leastWeight)
            gain = (predicted + unshared) / (predicted + unshared + error / weight)
            variance = Float((1 - gain) * predicted)
        }
        lasting += Float(gain * (Self.lastingShare * error - Double(lasting)))
        move(eastDegrees: gain * step.eastDegrees, northDegrees: gain * step.northDegrees)
    }

    mutating func move(eastDegrees: Double, northDegrees: Double) {
        latitude = max(-90, min(90, latitude + northDegrees))
        longitude = shortWay(longitude + eastDegrees)
        anchor.recede(eastDegrees: eastDegrees, northDegrees: northDegrees)
        earlierAnchor.recede(eastDegrees: eastDegrees, northDegrees: northDegrees)
        candidate.recede(eastDegrees: eastDegrees, northDegrees: northDegrees)
        waypoint.recede(eastDegrees: eastDegrees, northDegrees: northDegrees)
        earlierWaypoint.recede(eastDegrees: eastDegrees, northDegrees: northDegrees)
        earliestWaypoint.recede(eastDegrees: eastDegrees, northDegrees: northDegrees)
    }

    private mutating func age(bySeconds elapsed: Double) {
        let milliseconds = UInt32(min(elapsed * 1000, Double(UInt32.max)).rounded())
        anchor.age(byMilliseconds: milliseconds)
        earlierAnchor.age(byMilliseconds: milliseconds)
        candidate.age(byMilliseconds: milliseconds)
        steady.age(byMilliseconds: milliseconds)
        waypoint.age(byMilliseconds: milliseconds)
        earlierWaypoint.age(byMilliseconds: milliseconds)
        earliestWaypoint.age(byMilliseconds: milliseconds)
        fittedMilliseconds = Self.sum(fittedMilliseconds, milliseconds)
    }
}
