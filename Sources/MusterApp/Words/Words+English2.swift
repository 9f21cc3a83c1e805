// The texts of the app in English, continued.

extension Words {
    static let english2 = """
        statusGuessElsewhere = This phone thinks you are inside {place}, and outside every assembly point. \
        The server has not confirmed it.
        statusGuessInside = This phone thinks you are inside {place}. The server has not confirmed it.
        statusGuessOutside = This phone thinks you are outside every assembly point. The server has not \
        confirmed it.
        statusGuessTitle = This phone’s own guess
        statusMayHaveChanged = It may be different now: this phone does not hear the server.
        statusNotFollowed = It does not follow you: nobody learns from it whether you are safe.
        statusNothingYet = The server has not said yet how it sees you.
        statusPaused = You are paused until {time}, which your leaders read
        statusSaid = The server said {age}, at {time}:
        statusSays = The server says:
        statusSourceCheckInTimer = Your check-in did not come in time
        statusSourceMarked = {name} said so
        statusSourceOwnDeclaration = You said so yourself
        statusSourcePosition = Your phone is outside every assembly point
        statusSourceRegion = Your phone is inside {place}
        statusSourceSeemsToHaveLeft = You seem to have left {place}
        statusSourceSilence = Nothing was heard of your phone lately
        statusSourceUnderReview = It works out anew where you are, because assembly points were edited
        statusSourceUnlocated = Where your phone is, is not known well enough
        tabIncident = Incident
        tabMap = Map
        tabNow = Now
        tabPeople = People
        tabPhone = This phone
        tabRegions = Regions
        tabSeen = Who sees me
        tabWay = Way
        tallyAccounted = {accounted} of {people} accounted for
        tallyChecking = {count} checking
        tallyUnaccounted = {count} unaccounted
        textPercent = {number}\u{A0}%
        textQuoted = “{text}”
        timeDays.one = {count} day
        timeDays.other = {count} days
        timeDaysAgo.one = {count} day ago
        timeDaysAgo.other = {count} days ago
        timeHours = {count} h
        timeHoursAgo = {count} h ago
        timeMinutes = {count} min
        timeMinutesAgo = {count} min ago
        timeNever = never
        timeNow = now
        timeSeconds = {count} s
        timeSecondsAgo = {count} s ago
        timerAlone = Working alone?
        timerAskEnd = End your timer? Nobody will be notified if you do not check in.
        timerCheckIn = Check in
        timerDue = check-in due since {time}
        timerEnd = End timer
        timerEvery = I check in every
        timerLabel = Check-in timer
        timerMinutes120 = 2 hours
        timerMinutes15 = 15 minutes
        timerMinutes30 = 30 minutes
        timerMinutes60 = hour
        timerNext = next check-in due {time}
        timerNotUnderstood = check-in timer: in a state that this version of the app does not know
        timerOrderEnd = your timer is ended
        timerOrderStart = your timer runs
        timerOverdue = no check-in since {time}, leaders notified
        timerSos = no check-in since {time}
        timerStart = Start timer
        timerWhat = What and where?
        timerYouAreDue = Your check-in is due since {time}. Check in, or your leaders are notified
        timerYouAreOverdue = Your check-in is due since {time}. Check in: your leaders were notified
        timerYours = Your timer: {words}
        trackingAsking = Waiting for a first position. If the phone asks, allow it.
        trackingAway = The server cannot be reached. What waits goes out by itself.
        trackingBusy = The server takes nothing now, and is asked again: {reason}
        trackingCoarse = Only rough positions come. They show where you cannot be, and never that you are \
        safe. Allow the precise location for this app in the settings.
        trackingDenied = Your position is not reported: the phone does not let this app know it. Allow the \
        location for this app in the settings.
        trackingFix = Position of {time}, to within {length}
        trackingFixOnly = Position of {time}
        trackingNoPosition = The phone cannot find its position now.
        trackingNothingWaits = Nothing waits for the server
        trackingOff = Your position is not reported.
        trackingOn = Your position is reported, also while the app is closed if you allowed that.
        trackingPaused = Paused until {time}: this app records no position. It goes on by itself then, and \
        at once when you end the pause, in an incident, when your check-in is overdue, or when you call for \
        help.
        trackingRefused.one = The server did not take {count} position. It is kept on this phone.
        trackingRefused.other = The server did not take {count} positions. They are kept on this phone.
        trackingSentAt = last sent at {time}
        trackingSignedOut = Your session has ended. Positions are still kept here. Sign in again, and they \
        are sent.
        trackingStorageFull = This phone has no room left. New positions wait in memory, and are lost when \
        the app is closed. Make room on the phone.
        trackingTitle = Where you are
        trackingTurnOff = Stop reporting
        trackingTurnOn = Report my position
        visibleAdmin = {name}, runs the server
        visibleAnalyst = {name}, analyst
        visibleBefore = This is what the server said before the connection was lost. It may be different \
        now.
        visibleEnd = End the pause
        visibleLabel = Who can see where you are
        visibleLeader = {name}, leader of your team
        visibleLink = Whoever has a link
        visibleLinkIncident = Whoever has a link to the incident
        visibleLinkPerson = Whoever has a link to you
        visibleMadeBy = made by {name}
        visibleMinutes240 = 4 hours
        visibleMinutes30 = 30 minutes
        visibleMinutes60 = 1 hour
        visibleNobody = Nobody but you.
        visibleNote = Why, if you like: your leaders read it
        visibleOffline = Only the server knows that, and there is no connection to it.
        visibleOld = This server is too old to say who sees you.
        visibleOrderEnd = end the pause
        visibleOrderPause = pause until {time}
        visiblePause = Pause
        visiblePaused = You are paused until {time}, which your leaders read. This app records no position \
        until then.
        visiblePausedUrgent = You are paused until {time}, which your leaders read. This app reports your \
        position all the same, because you are called, call for help, or your check-in is overdue.
        visibleToken = Whoever has a token of your device {device}
        visibleUntil = until {time}
        visibleWhat = For a while this app records no position, and your leaders read why nothing is heard \
        of you. What another app or device of yours reports is seen as ever.
        visitorAdd = Put on the roll
        visitorName = Name
        visitorNeedsHelp = Needs help
        visitorNote = Note: where they were, whom they visit
        visitorOffSite = Off site
        visitorSafe = Safe
        visitorState = How they are
        visitorTitle = Visitor on the roll of {team}
        visitorUnaccounted = Not found yet
        waitingSendNow = Send now
        waitingTitle = What waits to be sent
        wayAccuracy = Your place is known to {length}.
        wayAtEdge = You may be inside {place}, but not surely. Go on to its middle.
        wayByCompass = The arrow turns by the compass.
        wayByNorth = The arrow does not turn: north is up.
        wayByWalk = The arrow turns by the direction in which you walk.
        wayByBeacon = A radio beacon decides who is at {place}: stay close to it.
        wayDenied = This app may not read where the phone is, so there is no distance. The assembly points \
        are on the map.
        wayHere = you are there
        wayInside = As this phone sees it, you are inside {place}. Whether you count as safe is said by the \
        server.
        wayLooks = Where this phone is, is being found out. The assembly points are on the map.
        wayNear = You may be at {place} already. The direction is not sure.
        wayNearest = Show the nearest again
        wayNoAccuracy = How exact your place is, is not known.
        wayNoFix = This phone does not report where it is, so no distance is known. The assembly points are \
        on the map.
        wayNoPoints = Your team has no assembly point.
        wayNotHeard = The server did not say yet which assembly points there are.
        wayOld = This is your place of {time}, {age}. Where you are now is not known.
        wayOthers = Other assembly points
        wayRoughCompass = The compass is not exact (±{degrees}°). Move the phone in the shape of an 8.
        wayStraight = {length}, straight line
        wayTitle = Way to the assembly point
        wayTurnAhead = ahead of you
        wayTurnAheadLeft = ahead to your left
        wayTurnAheadRight = ahead to your right
        wayTurnBehind = behind you
        wayTurnBehindLeft = behind you to the left
        wayTurnBehindRight = behind you to the right
        wayTurnLeft = to your left
        wayTurnRight = to your right
        wayWasAtEdge = You may have been inside {place} then, but not surely.
        wayWasInside = As this phone saw it then, you were inside {place}.
        windEast = east
        windNorth = north
        windNorthEast = north-east
        windNorthWest = north-west
        windSouth = south
        windSouthEast = south-east
        windSouthWest = south-west
        windWest = west
        """
}
