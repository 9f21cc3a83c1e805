/** The words of who sees the person in English. The other tables have the same keys. */
export default Object.freeze({
    "me.visible.label": "Who can see where you are",
    "me.visible.leader": "{name}, leader of your team",
    "me.visible.analyst": "{name}, analyst",
    "me.visible.admin": "{name}, runs the server",
    "me.visible.token": "Whoever has a token of your device {device}",
    "me.visible.madeBy": "made by {name}",
    "me.visible.link": "Whoever has a link",
    "me.visible.link.person": "Whoever has a link to you",
    "me.visible.link.incident": "Whoever has a link to the incident",
    "me.visible.until": "until {time}",
    "me.visible.nobody": "Nobody but you.",
    "me.visible.old": "This server is too old to say who sees you.",
    "me.visible.offline": "Only the server knows that, and there is no connection to it.",
    "me.visible.before": "This is what the server said before the connection was lost. It may be different now.",
    "me.visible.pause": "Pause",
    "me.visible.what": "For a while this app records no position, and your leaders read why nothing is heard of you. "
        + "What another app or device of yours reports is seen as ever.",
    "me.visible.note": "Why, if you like: your leaders read it",
    "me.visible.minutes30": "30 minutes", "me.visible.minutes60": "1 hour", "me.visible.minutes240": "4 hours",
    "me.visible.paused": "You are paused until {time}, which your leaders read. This app records no position "
        + "until then.",
    "me.visible.pausedUrgent": "You are paused until {time}, which your leaders read. This app reports your position "
        + "all the same, because you are called, call for help, or your check-in is overdue.",
    "me.visible.pausedSilent": "You are paused until {time}, which your leaders read. This app does not report your "
        + "position.",
    "me.visible.end": "End the pause",
    "me.visible.orderPause": "pause until {time}",
    "me.visible.orderEnd": "end the pause",
});
