/** The words of tracking in English. The other tables have the same keys. */
export default Object.freeze({
    "me.tracking.title": "Where you are",
    "me.tracking.off": "Your position is not reported.",
    "me.tracking.asking": "Waiting for a first position. If the browser asks, allow it.",
    "me.tracking.on": "Your position is reported while this page is open and the screen is lit.",
    "me.tracking.denied": "Your position is not reported: the browser does not let this page know it. Allow the "
        + "position for this page in the browser’s settings, and for the browser in the phone’s.",
    "me.tracking.coarse": "Only rough positions come. They show where you cannot be, and never that you are safe. "
        + "Allow the precise position in the phone’s settings.",
    "me.tracking.frozen": "No new position comes any more. Keep the screen lit; go outside or to a window.",
    "me.tracking.elsewhere": "Another tab of this browser reports your position.",
    "me.tracking.paused": "Paused until {time}: this app records no position. It goes on by itself then, and at once "
        + "when you end the pause, in an incident, when your check-in is overdue, or when you call for help.",
    "me.tracking.unsupported": "This page gets no position. It needs https, and a browser that knows positions.",
    "me.tracking.turnOn": "Report my position",
    "me.tracking.turnOff": "Stop reporting",
    "me.tracking.fix": "Position of {time}, to within {length}",
    "me.tracking.fixOnly": "Position of {time}",
    "me.tracking.oldFix": "Last position of {time}: nothing newer has come",
    "me.tracking.jumping": "The positions jump. They count once they agree with each other.",
    "me.tracking.waiting": {
        one: "{count} position waits for the server", other: "{count} positions wait for the server",
    },
    "me.tracking.nothingWaits": "Nothing waits for the server",
    "me.tracking.sentAt": "last sent at {time}",
    "me.tracking.away": "The server cannot be reached. What waits goes out by itself.",
    "me.tracking.busy": "The server takes nothing now, and is asked again: {reason}",
    "me.tracking.serverFull": "The server has no room, and is asked again: {reason}",
    "me.tracking.signedOut": "Your session has ended. Positions are still kept here. Sign in again, and they are sent.",
    "me.tracking.forbidden": "The server takes no positions from you: {reason}",
    "me.tracking.noDevice": "The server does not take this browser as a device of yours: {reason}",
    "me.tracking.noPosition": "The phone cannot find its position now.",
    "me.tracking.again": "Try again",
    "me.tracking.storageFull": "This phone has no room left. New positions wait in this page’s memory and are lost "
        + "when it closes. Make room on the phone.",
    "me.tracking.storageUnavailable": "This browser lets the page keep nothing: what was not sent is lost when the "
        + "page closes. Leave the private mode, or allow this site to store data.",
    "me.tracking.storageFailed": "This browser could not store or read positions: {reason}",
    "me.tracking.thinned": {
        one: "{count} position from {first} to {last} was left out because too many waited: your track is coarser "
            + "there.",
        other: "{count} positions from {first} to {last} were left out because too many waited: your track is coarser "
            + "there.",
    },
    "me.tracking.refused": {
        one: "The server did not take {count} position. It is kept on this phone.",
        other: "The server did not take {count} positions. They are kept on this phone.",
    },
    "me.tracking.erased": {
        one: "The browser erased {count} position before it was sent.",
        other: "The browser erased {count} positions before they were sent.",
    },
    "me.tracking.lost": {
        one: "{count} position is lost, because there was no room for it.",
        other: "{count} positions are lost, because there was no room for them.",
    },
    "me.tracking.clearTold": "I have read this: do not keep or show it any more",
    "me.tracking.awake": "Keep the screen lit while this page is open",
    "me.tracking.awakeRefused": "The browser does not keep the screen lit now; often the battery is nearly empty.",
    "me.tracking.awakeUnsupported": "This browser cannot keep the screen lit. Set it in the phone’s settings.",
    "me.tracking.kept": "The browser keeps what this app stores: {used} of {quota} MB.",
    "me.tracking.erasable": "The browser may erase what this app stores when the phone runs short of room: {used} of "
        + "{quota} MB.",
    "me.tracking.keptUnknown": "The browser does not say whether it keeps what this app stores.",
    "me.tracking.nearlyFull": "What the browser lets this app store is nearly full: {used} of {quota} MB.",
    "me.tracking.askKeep": "Ask the browser to keep it",
    "me.tracking.notKept": "The browser did not agree. Installed on the home screen, the app is kept more often.",
    "me.tracking.safari": {
        one: "Safari erases what this page stores, also what waits, when you have not opened it for {count} day. Share "
            + "› Add to Home Screen keeps it.",
        other: "Safari erases what this page stores, also what waits, when you have not opened it for {count} days. "
            + "Share › Add to Home Screen keeps it.",
    },
    "me.tracking.limits": "What a page cannot do",
    "me.tracking.limitsLit": "It gets no position while the screen is dark, while another app is in front, or while "
        + "another tab is.",
    "me.tracking.limitsClosed": "It does nothing once it is closed.",
    "me.tracking.limitsOwnTracks": "The free app OwnTracks reports your position in the background, to the same "
        + "server.",
    "me.tracking.setUp": "Set up OwnTracks",
    "me.tracking.step1": "Install OwnTracks, and allow external configuration in its settings.",
    "me.tracking.step2": "On this phone open the link. On another phone scan the code with the camera.",
    "me.tracking.step3": "Forbid external configuration again.",
    "me.tracking.openOwnTracks": "Open it in OwnTracks",
    "me.tracking.code": "QR code that sets up OwnTracks for {name}",
    "me.tracking.secret": "The code is a secret: whoever has it can report positions as you. It is shown once.",
    "me.tracking.ownHost": "No other device reaches this server at {host}: on each device, that is the device itself. "
        + "Open this app at the server’s address in its network or the Internet, and set OwnTracks up there.",
    "me.tracking.clear": "Without https, anyone on the way can read the code’s secret and your positions.",
    "me.tracking.hideCode": "Hide the code",
});
