/// The keys of the texts. Each is in the table of every language, as `key = text` or, where it counts, as `key.one` and
/// `key.other`.
public enum Word: String, CaseIterable, Sendable {
    case appEnded, appEndedWaiting, appNeverLive, appNotLive, appSignOutErases, appSignOutTitle, appVersion, appWho
    case askClose, askCloseDoes, askCloseTitle, askDrill, askDrillTitle, askEndsDrill, askEvacuate, askHeardFromDoes
    case askHeardFromTitle, askIsDrill, askIsReal, askMissing, askMore, askNotLive, askRealTitle, askReason
    case askReopen, askReopenDoes, askReopenTitle, askStartDoes, askStartNote, askTakeOff, askTakeOffDoes
    case askTakeOffTitle
    case askedAnswered, askedHeard, askedUnheard
    case betweenParts
    case callAcknowledge, callDo, callDoDrill, callDrill, callLine, callMeans, callOver, callReal, callSeen
    case callSeenHere, callSeenNoTime, callSeenRefused, callWay
    case cancel
    case connectionBannerRefused, connectionConnecting
    case datasetsSynchronize, datasetsTitle
    case declarationsAskEnd, declarationsCancelled, declarationsClear, declarationsEmergency, declarationsEnd
    case declarationsEndNow, declarationsKept, declarationsLate, declarationsMessages, declarationsNoPlace
    case declarationsPositions, declarationsRefused, declarationsSayAgain, declarationsSeen, declarationsSending
    case declarationsServer
    case declarationsUnkept, declarationsUnseen, declarationsWaits
    case deliveryTooShort
    case doubtChecking, doubtNotUnderstood, doubtPoorAccuracy, doubtStale
    case errorAnotherAccount, errorConflict, errorContended, errorCredentials, errorDeviceFull, errorIllegalServer
    case errorNotRegistered, errorOther, errorStore, errorStoreOfAnother, errorUserExists, errorWrongKey
    case eventAcknowledgeBy, eventClear, eventClearBy, eventDrill, eventEvacuation, eventNeedsHelp, eventNeedsHelpBy
    case eventOffSite, eventOffSiteBy, eventSafe, eventSafeBy, eventSos, eventSosBy
    case fault403, fault404, fault409, fault412, faultUnanswered
    case headerLanguage, headerSignOut
    case incidentAsOf, incidentCallSeen, incidentCalled, incidentCalledBy, incidentComplete, incidentCountAccounted
    case incidentCountChecking, incidentCountPeople, incidentCountUnaccounted, incidentEvery, incidentFewer
    case incidentHandOver
    case incidentIsDrill, incidentLedBy, incidentLedByNobody, incidentNoCrew, incidentNone, incidentOnlyWaiting
    case incidentOrderByHand, incidentOrderEvery, incidentOrderReport, incidentPar, incidentParAsked
    case incidentParAskedBy, incidentParCrewMore, incidentParCrewOverdue, incidentParCrewShort, incidentParCrewWaits
    case incidentParCrewWhole, incidentParNow, incidentParOverdue, incidentParReported, incidentParShort
    case incidentPast, incidentPresent, incidentRoll, incidentRuns, incidentTo, incidentVisitors, incidentWhole
    case intentCheckIn, intentFocus, intentFocusAll, intentFocusUrgent, intentFocusWhat, intentHelp, intentHelpWhat
    case intentSafe, intentSafeWhat, intentSeen, intentSeenCall, intentSos, intentSosWhat, intentWhere
    case intentWherePerson, intentWhereWhat
    case inviteDo, inviteLong, inviteNotWhole, inviteOver, invitePassword, inviteRule, inviteShort
    case inviteSignedIn, inviteTeam, inviteUntil, inviteWelcome
    case knownHeardBy, knownLeft, knownLeftPlace, knownMarked, knownOwnWord, knownTimer, knownUnderReview
    case leavingOne, leavingSeveral, leavingSomewhere
    case lengthKilometres, lengthMetres
    case listAgain
    case mapLabel, mapPeople
    case myHelp, myNote, mySafe, mySendNote, mySendNow, mySentIn, mySentNow, mySos, mySosHow, myWaitsIn, myWaitsNow
    case noticeForbidden
    case nearbyAllow, nearbyAsks, nearbyFailed, nearbyNoDirection, nearbyNoDistance, nearbyNobody, nearbyRefuse
    case nearbyTitle, nearbyWhat
    case nowhereUnknown, nowhereVisitor
    case orderAcknowledge, orderCallSeen, orderCheckedIn, orderClear, orderCloseHere, orderDrill, orderHandOverHere
    case orderMark, orderNeedsHelp, orderOffSite, orderParHere, orderReal, orderReopenHere, orderSafe
    case orderTakeOffHere, orderVisitor
    case ordersDrill, ordersEvacuate
    case permissionBluetooth, permissionBluetoothWithout, permissionCamera, permissionCameraWithout
    case permissionCriticalAlerts, permissionCriticalAlertsWithout, permissionLocalNetwork
    case permissionLocalNetworkWithout, permissionLocation, permissionLocationWithout, permissionLocationAlways
    case permissionLocationAlwaysWithout, permissionMotion, permissionMotionWithout, permissionNearbyInteraction
    case permissionNearbyInteractionWithout, permissionNotifications, permissionNotificationsWithout
    case permissionPreciseLocation, permissionPreciseLocationWithout
    case permissionsAsk, permissionsSettings, permissionsStateDenied, permissionsStateGranted
    case permissionsStateNotAsked, permissionsStateRestricted, permissionsTitle
    case personAcknowledge, personAsk, personClear, personHeardFrom, personHistory, personMarkNeedsHelp
    case personMarkOffSite, personMarkSafe, personSignIn, personUnknown
    case presenceChecking, presenceCheckingIn, presenceInside, presenceMaybe, presenceNotUnderstood
    case presencePoorAccuracy, presenceStale, presenceStill, presenceSure, presenceSureInside
    case problemNoConnection, problemSignIn
    case pushAllClear, pushCallBody, pushCheckIn, pushDrillOver, pushLocateBody, pushNeedsHelp, pushNoWord
    case pushNoWordBody
    case questionAsked
    case regionsCollectionName, regionsDrawingCircleHint, regionsDrawingHint, regionsEffectBecomeSafe
    case regionsEffectEndSafe, regionsEffectEntering, regionsEffectLeaving, regionsEffectMore, regionsEffectNone
    case regionsForeign, regionsInvalid, regionsKindCircle, regionsKindNone, regionsKindPolygon, regionsNew
    case regionsNone, regionsRadius, regionsRemove, regionsRemoveNow, regionsSaidTooFew, regionsSave
    case regionsSettingsIsNarrow, regionsSettingsMuster, regionsSettingsMusterHint, regionsSettingsName
    case regionsTagMuster, regionsToolsCircle, regionsToolsPolygon, regionsToolsRedo, regionsToolsUndo, regionsTryOut
    case regionsVertexOne, regionsVerticesNone, regionsVerticesRemove
    case rollMoved, rollMovedBy, rollReason, rollRemoved, rollRemovedBy, rollSaidOffSite, rollSaidSafe, rollTakenOff
    case rollTakenOffBy
    case rosterAllCrews, rosterNobody, rosterNobodyFound, rosterSearch
    case rowBattery, rowBatteryLow, rowClockAhead, rowClockBehind, rowHeard, rowLeftPlace, rowLocated, rowNeverHeard
    case rowPaused, rowSince, rowVisitor
    case screensPeople, screensRegions
    case signInAskDo, signInAskHost, signInAskWhat, signInInsecure
    case signInName, signInNoAnswer, signInNoLink, signInPassword, signInScan, signInServer, signInSignIn, signInWhat
    case signInWrong
    case signOutErase, signOutNothingWaits, signOutWaits
    case sosAcknowledge, sosCall, sosFrom, sosHow, sosSince, sosTitle
    case spokenCheckIn, spokenNeedsHelp, spokenSafe, spokenSos
    case stateChecking, stateLocated, stateNeedsHelp, stateOffSite, stateSafe, stateSeemsToHaveLeft, stateSos
    case stateUnknown, stateUnsafe
    case statusCallNotSent, statusCallUnsent, statusWas
    case statusDoubt, statusGuessCalling, statusGuessElsewhere, statusGuessInside
    case statusGuessOutside, statusGuessTitle, statusMayHaveChanged, statusNotFollowed, statusNothingYet
    case statusPaused, statusSaid, statusSays, statusSourceCheckInTimer, statusSourceMarked
    case statusSourceOwnDeclaration, statusSourcePosition, statusSourceRegion, statusSourceSeemsToHaveLeft
    case statusSourceSilence, statusSourceUnderReview, statusSourceUnlocated
    case tabIncident, tabMap, tabNow, tabPeople, tabPhone, tabRegions, tabSeen, tabWay
    case tallyAccounted, tallyChecking, tallyUnaccounted
    case textPercent, textQuoted
    case timeDays, timeDaysAgo, timeHours, timeHoursAgo, timeMinutes, timeMinutesAgo, timeNever, timeNow, timeSeconds
    case timeSecondsAgo
    case timerAlone, timerAskEnd, timerCheckIn, timerDue, timerEnd, timerEvery, timerLabel, timerMinutes120
    case timerMinutes15, timerMinutes30, timerMinutes60, timerNext, timerNotUnderstood, timerOrderEnd
    case timerOrderStart, timerOverdue, timerSos, timerStart, timerWhat, timerYouAreDue, timerYouAreOverdue
    case timerYours
    case trackingAsking, trackingAway, trackingBusy, trackingCoarse, trackingDenied, trackingFix, trackingFixOnly
    case trackingNoPosition, trackingNothingWaits, trackingOff, trackingOn, trackingPaused, trackingRefused
    case trackingSentAt, trackingSignedOut, trackingStorageFull, trackingTitle, trackingTurnOff, trackingTurnOn
    case visibleAdmin, visibleAnalyst, visibleBefore, visibleEnd, visibleLabel, visibleLeader, visibleLink
    case visibleLinkIncident, visibleLinkPerson, visibleMadeBy, visibleMinutes240, visibleMinutes30, visibleMinutes60
    case visibleNobody, visibleNote, visibleOffline, visibleOld, visibleOrderEnd, visibleOrderPause, visiblePause
    case visiblePaused, visiblePausedUrgent, visibleToken, visibleUntil, visibleWhat
    case visitorAdd, visitorName, visitorNeedsHelp, visitorNote, visitorOffSite, visitorSafe, visitorState
    case visitorTitle, visitorUnaccounted
    case waitingSendNow, waitingTitle
    case wayAccuracy, wayAtEdge, wayByCompass, wayByNorth, wayByWalk, wayByBeacon, wayDenied, wayHere, wayInside
    case wayLooks, wayNear, wayNearest, wayNoAccuracy, wayNoFix, wayNoPoints, wayNotHeard, wayOld, wayOthers
    case wayRoughCompass, wayStraight, wayTitle, wayTurnAhead, wayTurnAheadLeft, wayTurnAheadRight, wayTurnBehind
    case wayTurnBehindLeft, wayTurnBehindRight, wayTurnLeft, wayTurnRight, wayWasAtEdge, wayWasInside
    case widgetStatus, widgetStatusWhat, widgetWay, widgetWayWhat
    case windEast, windNorth, windNorthEast, windNorthWest, windSouth, windSouthEast, windSouthWest, windWest
}
