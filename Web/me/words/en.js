/** The words of the app's frame in English. The other tables have the same keys. */
export default Object.freeze({
    "me.app.what": "Say that you are safe, call for help, find the way.",
    "me.app.tabs": "Parts of the app",
    "me.app.now": "Now",
    "me.app.way": "Way",
    "me.app.seen": "Who sees me",
    "me.app.phone": "Phone",
    "me.app.offline": "No connection",
    "me.app.notLive": "No connection to the server since {time}, {age}. What it said then may be old.",
    "me.app.notLiveNow": "No connection to the server since {time}. What it said then may be old.",
    "me.app.neverLive": "No connection to the server yet.",
    "me.app.who": "Signed in as {name}",
    "me.app.missing": "A part of this page could not be loaded. Open the page again while you have a connection.",
    "me.app.notifications": "Notifications",
    "me.app.notified": "This phone is notified when an incident begins, also while this page is closed.",
    "me.app.notNotified": "This phone is not notified while this page is closed.",
    "me.app.endNotify": "Do not notify me any more",
    "me.app.thisApp": "This app",
    "me.app.version.none": "It is not on this phone yet: without a connection it does not open.",
    "me.app.version.kept": "It is on this phone, and opens without a connection.",
    "me.app.version.ready": "It is on this phone, and opens without a connection. A new version is ready.",
    "me.app.version.failed": "It could not be put on this phone: without a connection it does not open. It is tried "
        + "again.",
    "me.app.version.unsupported": "This browser cannot keep it: without a connection it does not open. It needs "
        + "https.",
    "me.app.newVersion": "A new version is ready.",
    "me.app.useNew": "Use it now",
    "me.app.signOutTitle": "Sign out?",
    "me.app.signOutErases": "Everything of yours on this phone is erased: what waits to be sent, your track and the "
        + "downloaded maps.",
    "me.app.signOutLoses": "Not sent yet, and lost then: {what}.",
    "me.app.notErased": "You are signed out, but this browser did not erase everything. Delete the data of this site "
        + "in its settings.",
    "me.app.ended": "The session has ended. Sign in again.",
    "me.app.endedWaiting": "The session has ended. Sign in again: {what} wait on this phone to be sent.",
    "me.app.former": "{name} was signed in on this phone, and {what} of theirs were not sent. {name} can sign in and "
        + "send them. Press “Sign in” once more to erase them.",
});
